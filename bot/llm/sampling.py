"""How the next token is chosen, for each request of a batch by its own temperature and top_p."""

import torch
from transformers.generation.continuous_batching.cb_logits_processors import ContinuousBatchingLogitsProcessorList
from transformers.generation.continuous_batching.requests import FutureRequestState
from transformers.generation.logits_process import LogitsProcessorList

CANDIDATES = 1024
"""Only the most likely tokens can be sampled. Beyond them lies no mass worth a sort of the whole vocabulary."""


class PerRequestSampler(ContinuousBatchingLogitsProcessorList):
    """Takes the place of the manager's own logits processors, and of its sampling.

    The manager's temperature, top-k and top-p warpers sort the whole vocabulary twice and draw from all of it: on a CPU
    that takes longer than the forward pass of a small model. They cannot be greedy either: temperature 0 divides by
    zero, and top-k 1 keeps every token of a tie, which is drawn by chance. This one leaves the row of a greedy request
    as it is, and for the others draws once among the nucleus of the CANDIDATES most likely tokens (Gumbel-max) and
    leaves only the token drawn. The manager, told not to sample, then takes the argmax of each row.
    """

    def __init__(self, device: torch.device, seed: int | None = None) -> None:
        super().__init__(LogitsProcessorList())
        self.tensors_required = 2
        self.supported_keys = {"temperature": float, "top_p": float}
        self.do_processing = True
        self._generator = torch.Generator(device)
        if seed is None:
            self._generator.seed()
        else:
            self._generator.manual_seed(seed)
        self._any_sampled = True

    def fill_defaults(self, int32_tensor: torch.Tensor) -> None:
        """Greedy, whole distribution. Shape (2, 1): float32 bits kept as int32, as the manager stores them."""
        default = torch.tensor([[0.0], [1.0]], dtype=torch.float32, device=int32_tensor.device)
        int32_tensor.copy_(default.view(torch.int32))

    def prepare_tensor_args(
        self, requests_in_batch: list[FutureRequestState], arg_storage: torch.Tensor
    ) -> torch.Tensor:
        """Writes temperature and top_p of every request that gets a new token into the first columns of two rows."""
        asked = [request.state.logit_processor_kwargs for request in requests_in_batch if request.has_new_token]
        self._any_sampled = any(kwargs.get("temperature", 0.0) > 0 for kwargs in asked)
        rows = [[kwargs.get("temperature", 0.0) for kwargs in asked], [kwargs.get("top_p", 1.0) for kwargs in asked]]
        values = torch.tensor(rows, dtype=torch.float32).view(torch.int32)
        arg_storage[:2, : len(asked)] = values.to(arg_storage.device)
        return arg_storage

    def __call__(
        self,
        input_ids: torch.Tensor,
        scores: torch.Tensor,
        logits_processor_args: torch.Tensor,
    ) -> torch.Tensor:
        """Scores of shape (requests, vocabulary), in which the argmax of each row is the token to take."""
        if not self._any_sampled:
            return scores
        settings = logits_processor_args[:2, : scores.size(0)].view(torch.float32)
        temperature, top_p = settings[0].unsqueeze(1), settings[1].unsqueeze(1)
        sampled = temperature > 0
        values, tokens = torch.topk(scores, min(CANDIDATES, scores.size(1)), dim=1)
        values = values / torch.where(sampled, temperature, 1.0)
        probabilities = values.softmax(dim=1)
        before = probabilities.cumsum(dim=1) - probabilities
        noise = torch.empty_like(values).exponential_(generator=self._generator).log_().neg_()
        drawn = (values + noise).masked_fill_(before >= top_p, -torch.inf).argmax(dim=1, keepdim=True)
        chosen = torch.where(sampled, tokens.gather(1, drawn), scores.argmax(dim=1, keepdim=True))
        return torch.full_like(scores, -torch.inf).scatter_(1, chosen, 0.0)
