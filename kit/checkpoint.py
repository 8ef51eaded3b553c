"""Checkpoints: all that a run needs to go on as if nothing had happened; safetensors and JSON only, whole or absent."""

import json
import shutil
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from kit.errors import KitError
from kit.files import write_whole
from kit.rundir import CHECKPOINTS

DEVICES = ("cuda", "mps", "npu")  # each has a random generator of its own beside the CPU's


def save(
    folder: Path, step: int, model: nn.Module, optimizer: torch.optim.Optimizer, extra: dict[str, Any], keep: int
) -> Path:
    """Write `checkpoints/step-N` and delete all but the newest `keep`.

    Args:
        extra: JSON values to find again on resume (seconds so far, the loss scaler's state, ...).
    """
    path = folder / CHECKPOINTS / f"step-{step:07d}"
    write_whole(path, lambda temporary: _write(temporary, step, model, optimizer, extra), folder=True)
    prune(folder, keep)
    return path


def prune(folder: Path, keep: int) -> None:
    """Delete all but the newest `keep` (a process killed between a save and this leaves one more)."""
    for old in existing(folder)[:-keep]:
        shutil.rmtree(old, ignore_errors=True)


def existing(folder: Path) -> list[Path]:
    """The run's checkpoints, oldest first."""
    found = (path for path in (folder / CHECKPOINTS).glob("step-*") if path.name.removeprefix("step-").isdigit())
    return sorted(found, key=lambda path: int(path.name.removeprefix("step-")))


def write_trial(path: Path, model: nn.Module) -> None:
    """The part of a save that can fail because of the model: trained weights to safetensors."""
    save_file(_weights(model), path / "weights.safetensors")


def _weights(model: nn.Module) -> dict[str, Tensor]:
    return {name: p.detach().contiguous() for name, p in model.named_parameters() if p.requires_grad}


def _write(path: Path, step: int, model: nn.Module, optimizer: torch.optim.Optimizer, extra: dict[str, Any]) -> None:
    save_file(_weights(model), path / "weights.safetensors")
    tensors, numbers = _flat(optimizer)
    save_file({**tensors, **_generators()}, path / "optimizer.safetensors")
    (path / "state.json").write_text(json.dumps({"step": step, "numbers": numbers, **extra}), encoding="utf-8")


def _flat(optimizer: torch.optim.Optimizer) -> tuple[dict[str, Tensor], dict[str, Any]]:
    tensors: dict[str, Tensor] = {}
    numbers: dict[str, Any] = {}
    for index, state in optimizer.state_dict()["state"].items():
        for name, value in state.items():
            if isinstance(value, Tensor):
                tensors[f"{index}/{name}"] = value.detach().clone().contiguous()
            elif isinstance(value, int | float):
                numbers[f"{index}/{name}"] = value
    return tensors, numbers


def _generators() -> dict[str, Tensor]:
    """The states of all random generators: dropout draws from the one of its device."""
    states = {"rng/cpu": torch.get_rng_state()}
    for name in DEVICES:
        device = getattr(torch, name, None)
        if device is not None and device.is_available():
            states[f"rng/{name}"] = device.get_rng_state()
    return states


def restore(path: Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """Put weights, optimizer states and random generators back; returns the state with its `step`.

    Raises:
        KitError: the checkpoint does not belong to this recipe, or the disk has lost a part of it.
    """
    try:
        state = json.loads((path / "state.json").read_text(encoding="utf-8"))
        weights = load_file(path / "weights.safetensors")
        tensors = load_file(path / "optimizer.safetensors")
    except Exception as error:  # safetensors' errors have no common base below it
        fix = "delete this folder: --resume then continues from the checkpoint before it, or from the start"
        raise KitError(f"this checkpoint cannot be read ({error})", where=str(path), fix=fix) from None
    own = {name: p for name, p in model.named_parameters() if p.requires_grad}
    if {n: p.shape for n, p in own.items()} != {n: w.shape for n, w in weights.items()}:
        fix = "resume with the run's own recipe.json"
        raise KitError("this checkpoint was made by another recipe or model", where=str(path), fix=fix)
    with torch.no_grad():
        for name, parameter in own.items():
            parameter.copy_(weights[name])
    torch.set_rng_state(tensors.pop("rng/cpu"))
    for name in DEVICES:
        device, saved = getattr(torch, name, None), tensors.pop(f"rng/{name}", None)
        if saved is not None and device is not None and device.is_available():
            device.set_rng_state(saved)
    states: dict[int, dict[str, Any]] = {}
    for key, value in {**tensors, **state["numbers"]}.items():
        index, name = key.split("/", 1)
        states.setdefault(int(index), {})[name] = value
    optimizer.load_state_dict({**optimizer.state_dict(), "state": states})
    return state
