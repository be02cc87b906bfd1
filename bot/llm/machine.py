"""What this machine has for a model: its device, free memory, cores and disk. Torch is imported for a GPU only."""

import importlib
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from bot.config import Model
from bot.errors import ModelUnavailable

CGROUP = Path("/sys/fs/cgroup")
GPU_FILES = ("/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg", "/dev/kfd")
"""One of them is there when a driver for a GPU that torch can use is: NVIDIA's, Windows' in WSL, AMD's."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What a model can use here now. Sizes in bytes."""

    device: str
    """"cuda" or "cpu"."""
    free: int
    """Memory that is free on the device."""
    memory: int
    """Main memory that is free."""
    cores: int
    disk: int
    """Space that is free where models are kept."""
    gguf_on_gpu: bool = False
    """Whether llama.cpp, as it is installed here, computes on the GPU."""


def resolve_device(settings: Model) -> str:
    """The device to use: "cuda" or "cpu". Raises ModelUnavailable when a GPU is asked for and there is none."""
    if settings.device == "cpu":
        return "cpu"
    if _driver_is_there() and _torch().cuda.is_available():
        return "cuda"
    if settings.device == "cuda":
        raise ModelUnavailable(
            "model.device is cuda, but no CUDA GPU can be used here. Set model.device to auto or cpu."
        )
    return "cpu"


def free_bytes(device: str) -> int:
    """Memory that is free now on "cuda" or "cpu", in bytes. In a container, within its limit."""
    if device == "cuda":
        return int(_torch().cuda.mem_get_info()[0])
    free = int(psutil.virtual_memory().available)
    try:
        limit = int((CGROUP / "memory.max").read_text("ascii"))
        used = int((CGROUP / "memory.current").read_text("ascii"))
    except (OSError, ValueError):  # no such limit here
        return free
    return min(free, max(limit - used, 0))


def free_disk(folder: Path) -> int:
    """Bytes that are free where `folder` is or will be."""
    place = folder.expanduser().absolute()
    while not place.exists():
        place = place.parent
    return shutil.disk_usage(place).free


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def threads() -> int:
    """The threads that a model computes with on a CPU: one for each core, at most OMP_NUM_THREADS where that is set.

    With that variable an owner leaves cores to other work. What torch and NumPy do not understand is no limit here.
    """
    most = os.environ.get("OMP_NUM_THREADS", "")
    return min(cores(), max(1, int(most))) if most.isdecimal() else cores()


def llama_cpp_uses_the_gpu() -> bool:
    """Whether the installed llama.cpp was built for a GPU that is there. The usual build knows CPUs only."""
    devices = importlib.import_module("xllamacpp").get_device_info()
    return any("CPU" not in device["type"].name and "ACCEL" not in device["type"].name for device in devices)


def gpu_name() -> str:
    """What the GPU is called; there has to be one."""
    return str(_torch().cuda.get_device_name())


def _driver_is_there() -> bool:
    return any(Path(file).exists() for file in GPU_FILES) or shutil.which("nvidia-smi") is not None


def _torch() -> Any:
    """Torch takes seconds to import, which a start without a GPU is spared."""
    return importlib.import_module("torch")
