"""The error tree. Every error that its user can mend carries the sentence shown to them as its text.

HelloAgainError
├── ConfigError            a setting is unknown, of the wrong type or out of range; names its path and what is right
├── ModelError
│   ├── ModelUnavailable   the model cannot be loaded or reached: missing, damaged, too large, wrong address
│   ├── ModelBusy          too many requests wait already
│   ├── ModelFailed        this one generation failed; another may work
│   └── PromptTooLong      the prompt does not fit the model's context
├── MalformedOutput        a structured task's answer could not be parsed
├── StorageError
│   ├── DatabaseTooNew     the database was written by a newer program
│   ├── StorageAway        the database's server does not answer now; it may in a moment
│   └── IndexUnusable      the vector index cannot be opened or written
├── DeliveryFailed         a platform did not take a reply; says whether to try again
├── AdapterStopped         a platform cannot be used: wrong token, missing permission, a second process; says what to do
│   ├── NotSetUp           nobody has set the platform up: it has no token
│   └── PartStopped        a part of a platform cannot be used; its other parts may go on
└── BadInput               a file or a command cannot be read; names the line and the reason
"""


class HelloAgainError(Exception):
    """The root of all errors this program raises on purpose. Its text is a sentence for people."""


class ConfigError(HelloAgainError):
    """A setting is unknown, of the wrong type or out of range."""


class ModelError(HelloAgainError):
    """Something about a language model or an encoder."""

    tokens: int = 0
    """Tokens that the failed work had used before."""


class ModelUnavailable(ModelError):
    """The model cannot be loaded or reached. The text names the setting to change."""


class ModelBusy(ModelError):
    """The engine has as many requests as it takes; try again later."""


class ModelFailed(ModelError):
    """One generation failed. Another attempt may succeed."""


class PromptTooLong(ModelError):
    """The prompt does not fit the model's context. The model's description knows the limit by now."""

    def __init__(self, sentence: str, *, limit: int | None = None, prompt_tokens: int | None = None) -> None:
        super().__init__(sentence)
        self.limit = limit
        """The tokens that prompt and reply may have together, where that was told."""
        self.prompt_tokens = prompt_tokens
        """The tokens that the prompt has, where that was told."""


class MalformedOutput(HelloAgainError):
    """The answer to a structured task could not be parsed."""


class StorageError(HelloAgainError):
    """The database or the vector index cannot do its work."""


class LeaseLost(StorageError):
    """Another process does by now what this one was doing, so it may not write for it any more."""


class DatabaseTooNew(StorageError):
    """The database was written by a newer program."""


class StorageAway(StorageError):
    """The database's server does not answer now; it may in a moment, and what was asked can be asked again."""


class IndexUnusable(StorageError):
    """The vector index cannot be opened or written."""


class DeliveryFailed(HelloAgainError):
    """A platform did not take a reply."""

    def __init__(
        self,
        sentence: str,
        *,
        retry: bool,
        uncertain: bool = False,
        code: str = "refused",
        after_s: float = 0.0,
        absent: bool = False,
    ) -> None:
        super().__init__(sentence)
        self.retry = retry
        """Whether the same send may succeed later. False: the platform refused it for good."""
        self.uncertain = uncertain
        """Whether it may have arrived all the same, because only the answer was lost."""
        self.code = code
        """One word for the outbox: "dm_closed" (the person takes no DMs), "gone" (the place is lost), "person_gone"
        (the account was deleted), "uncertain" (a check-in may have arrived, and is not sent twice) or "refused"."""
        self.after_s = after_s
        """Seconds the platform wants to be left alone before the next attempt."""
        self.absent = absent
        """Whether it surely is not there, whatever earlier attempts had left uncertain."""


class AdapterStopped(HelloAgainError):
    """A platform cannot be used. The text says what its owner can do."""


class NotSetUp(AdapterStopped):
    """Nobody has set a platform up."""


class PartStopped(AdapterStopped):
    """A part of a platform cannot be used; its other parts may go on."""


class BadInput(HelloAgainError):
    """A file or a command cannot be read."""
