"""Memory as it is: a tracker that follows every storage of a step, and a sampler that reads the device while it runs.

"Not measured" is None, never 0.
"""

import json
import threading
import time
import weakref
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import Any

import psutil
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

INTERVAL = 0.5  # seconds between two samples


class MemoryTracker(TorchDispatchMode):
    """Counts the bytes of all storages that the operations under it create, from birth to death.

    The same count on CPU, CUDA and `meta` tensors: it follows what the step asks for, not what an allocator reserves.
    Storages that exist before are added with `hold`.

    Args:
        limit_bytes: raise `torch.OutOfMemoryError` when the live bytes pass it; 0: no limit.
    """

    def __init__(self, limit_bytes: int = 0) -> None:
        super().__init__()
        self.limit_bytes = limit_bytes
        self.live_bytes = 0
        self.peak_bytes = 0
        self._sizes: dict[int, int] = {}

    def hold(self, tensors: Iterable[Tensor]) -> None:
        """Count tensors made outside: weights, buffers, optimizer states."""
        for tensor in tensors:
            self._follow(tensor)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        tree_map_only(Tensor, self._follow, result)
        return result

    def _follow(self, tensor: Tensor) -> None:
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self._sizes:
            return
        size = storage.nbytes()
        self._sizes[key] = size
        weakref.finalize(storage, self._forget, key)
        self.live_bytes += size
        self.peak_bytes = max(self.peak_bytes, self.live_bytes)
        if self.limit_bytes and self.live_bytes > self.limit_bytes:
            limit = self.limit_bytes / 2**30
            raise torch.OutOfMemoryError(
                f"{self.live_bytes / 2**30:.2f} GiB asked for under a limit of {limit:.2f} GiB"
            )

    def _forget(self, key: int) -> None:
        self.live_bytes -= self._sizes.pop(key, 0)


def nothing() -> AbstractContextManager[None]:
    """In place of a tracker where the device's allocator counts by itself."""
    return nullcontext()


def held_tensors(model: nn.Module, optimizer: torch.optim.Optimizer | None = None) -> list[Tensor]:
    """Weights, buffers, the scales of 4-bit weights, and optimizer states: what lives before a step begins."""
    tensors: list[Tensor] = [*model.parameters(), *model.buffers()]
    for module in model.modules():
        tensors += _quantization_scales(getattr(module, "weight", None))
    for state in optimizer.state.values() if optimizer else ():
        tensors += [value for value in state.values() if isinstance(value, Tensor)]
    return tensors


def _quantization_scales(weight: Any) -> list[Tensor]:
    state = getattr(weight, "quant_state", None)
    levels = [state, getattr(state, "state2", None)]
    found = [getattr(level, name, None) for level in levels for name in ("absmax", "code", "offset")]
    int8 = [getattr(weight, name, None) for name in ("CB", "SCB")]
    return [value for value in found + int8 if isinstance(value, Tensor)]


def peak_bytes(device: str) -> int | None:
    """The allocator's peak since the last reset, where the device has one (CUDA, NPU); else None."""
    allocator = getattr(torch, device, None) if device in {"cuda", "npu"} else None
    return allocator.max_memory_allocated() if allocator else None


def set_limit(device: str, limit_bytes: int) -> None:
    """Let this process have no more than `limit_bytes` of the device (CUDA; elsewhere the tracker holds the limit)."""
    if device == "cuda" and limit_bytes:
        total = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction(min(1.0, limit_bytes / total))


def sample(device: str) -> dict[str, int | None]:
    """Bytes now: allocated and reserved by torch, used on the whole device, and resident in this process."""
    allocated: int | None = None
    reserved: int | None = None
    whole: int | None = None
    if device in {"cuda", "npu"}:
        allocator = getattr(torch, device)
        allocated, reserved = allocator.memory_allocated(), allocator.memory_reserved()
        free, total = allocator.mem_get_info()
        whole = total - free
    elif device == "mps":
        allocated, reserved = torch.mps.current_allocated_memory(), torch.mps.driver_allocated_memory()
    rss = psutil.Process().memory_info().rss
    return {"allocated_bytes": allocated, "reserved_bytes": reserved, "device_bytes": whole, "rss_bytes": rss}


class MemorySampler:
    """Writes `sample` to a JSONL file every half second until closed.

    Args:
        since: seconds at which its clock starts: in a resumed run, where the last sample stands.
    """

    def __init__(self, device: str, path: Path, rank: int = 0, since: float = 0.0) -> None:
        self._device, self._path, self._rank = device, path, rank
        self._done = threading.Event()
        self._start = time.monotonic() - since
        self._thread = threading.Thread(target=self._run, name="kit-memory", daemon=True)

    def __enter__(self) -> "MemorySampler":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        with self._path.open("a", encoding="utf-8", buffering=1) as file:
            while True:
                values = sample(self._device)
                seconds = round(time.monotonic() - self._start, 2)
                file.write(json.dumps({"seconds": seconds, "rank": self._rank, **values}) + "\n")
                if self._done.wait(INTERVAL):
                    return


def nbytes(tensors: Sequence[Tensor]) -> int:
    """Bytes of the distinct storages behind `tensors`."""
    return sum({t.untyped_storage()._cdata: t.untyped_storage().nbytes() for t in tensors}.values())
