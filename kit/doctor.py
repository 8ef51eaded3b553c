"""Doctor: what is wrong with this machine for fine-tuning, what it means, and what to do; made to be pasted.

Pure but for the free disk space, so that it can examine any pretended machine.
"""

import importlib.metadata
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from packaging.requirements import Requirement

from kit import devices
from kit.files import cache_folder
from kit.hardware import Card, Machine, disk_free_bytes

GIB = 2**30
_INSTALL_TORCH = "reinstall torch with the command that https://pytorch.org/get-started/locally/ gives for"


class Finding(NamedTuple):
    """One thing that was looked at. `ok` False: to be fixed; None: unknown, or a limit worth knowing."""

    ok: bool | None
    what: str
    detail: str
    fix: str = ""


def doctor(machine: Machine, *, disk_bytes: int | None = None) -> list[Finding]:
    """All findings about `machine`, in the order in which to fix them.

    Args:
        disk_bytes: free space where models are cached; None: look.
    """
    checks: list[Callable[[Machine], list[Finding]]] = [
        _python, _torch, _packages, _driver, _unusable, _device, _builds, _precision, _four_bit, _card_memory, _health,
        _ram, _environment,
    ]
    findings = [finding for check in checks for finding in check(machine)]
    return [*findings, _disk(disk_free_bytes(cache_folder()) if disk_bytes is None else disk_bytes)]


def doctor_text(machine: Machine, findings: list[Finding]) -> str:
    """The machine, the findings with their fixes, a verdict, and what to paste into an issue."""
    mark = {True: "ok   ", False: "FIX  ", None: "note "}
    lines = [f"{mark[f.ok]} {f.what}: {f.detail}" + (f"\n      -> {f.fix}" if f.fix else "") for f in findings]
    wrong = sum(f.ok is False for f in findings)
    verdict = f"{wrong} thing{'s' if wrong != 1 else ''} to fix" if wrong else "ready"
    place = " ".join(part for part in (machine.container, "WSL" if machine.wsl else "") if part)
    packages = ", ".join(f"{name} {version}" for name, version in machine.versions.items())
    built = f"CUDA {machine.torch_cuda or '-'}, ROCm {machine.torch_hip or '-'}, driver {machine.driver or '-'}"
    paste = [
        f"machine: {machine.name} ({machine.kind}); {machine.system} {machine.os_version} {place}".rstrip(),
        f"python {machine.python}; {built}", f"packages: {packages or 'none'}",
    ]
    return "\n".join([machine.text(), "", *lines, "", verdict, "", "To paste into an issue:", *paste])


def as_dict(machine: Machine, findings: list[Finding]) -> dict[str, Any]:
    """The same as one JSON object: `ok` (nothing to fix), `findings`, `machine`."""
    ok = all(finding.ok is not False for finding in findings)
    return {"ok": ok, "findings": [f._asdict() for f in findings], "machine": machine.model_dump(mode="json")}


def _python(machine: Machine) -> list[Finding]:
    found, requires = devices.parse_version(machine.python), "3.11, 3.12 or 3.13"
    good = None if found is None else (3, 11) <= found < (3, 14)
    fix = "" if good else f"make a new environment with Python {requires}"
    findings = [Finding(good, "python", machine.python or "unknown", fix)]
    if machine.rosetta:
        findings.append(Finding(
            False, "python's processor", "this Python is built for Intel and runs translated: no Apple GPU for torch",
            "install an arm64 Python (python.org, Homebrew in /opt/homebrew, or Miniforge) and make a new environment",
        ))
    return findings


def _torch(machine: Machine) -> list[Finding]:
    version = machine.versions.get("torch")
    if version is None:
        return [Finding(False, "torch", "not installed", "pip install 'torch>=2.10,<2.14'")]
    built = (machine.torch_cuda and f"CUDA {machine.torch_cuda}") or (machine.torch_hip and f"ROCm {machine.torch_hip}")
    return [Finding(True, "torch", f"{version}, built {'for ' + built if built else 'without CUDA and ROCm'}")]


def _packages(machine: Machine) -> list[Finding]:
    """Installed versions against the bounds that the kit's own package metadata declares."""
    findings = []
    for need in _requirements():
        have = machine.versions.get(need.name)
        if need.name == "torch" and have is None:
            continue
        if have is None:
            findings.append(Finding(False, need.name, "not installed", f"pip install '{need.name}{need.specifier}'"))
        elif not need.specifier.contains(have.split("+")[0], prereleases=True):
            detail = f"{have} is installed, the kit is made for {need.specifier}"
            findings.append(Finding(False, need.name, detail, f"pip install '{need.name}{need.specifier}'"))
    return findings or [Finding(True, "packages", "all within the bounds of the kit")]


def _requirements() -> list[Requirement]:
    checked = {"torch", "transformers", "peft", "bitsandbytes", "accelerate", "datasets", "safetensors"}
    try:
        lines = importlib.metadata.requires("finetune-kit") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    needs = [Requirement(line) for line in lines if "extra ==" not in line]
    return [need for need in needs if need.name in checked]


def _driver(machine: Machine) -> list[Finding]:
    seen = any(card.vendor == "nvidia" for card in (*machine.cards, *machine.unusable))
    if machine.driver_error:
        fix = "reinstall the NVIDIA driver, then ask nvidia-smi"
        if "mismatch" in machine.driver_error.lower():
            fix = "reboot: the driver was updated while it ran"
        if "nvidia-ml-py" in machine.driver_error:
            fix = "pip install nvidia-ml-py"
        return [Finding(False, "NVIDIA driver", machine.driver_error, fix)]
    if machine.nvidia_on_bus and not seen and not machine.driver:
        fix = "start the container with --gpus all" if machine.container else "install the NVIDIA driver, then reboot"
        return [Finding(False, "NVIDIA driver", f"{machine.nvidia_on_bus} NVIDIA card(s) on the bus, no driver", fix)]
    wanted, offered = devices.parse_version(machine.torch_cuda), devices.parse_version(machine.driver_cuda)
    if not seen or wanted is None or offered is None:
        return []
    runs = devices.driver_runs(wanted, offered)
    fix = "" if runs.value else f"update the driver, or {_INSTALL_TORCH} CUDA {machine.driver_cuda}"
    return [Finding(runs.value, "driver and torch", f"driver {machine.driver}: {runs.reason}", fix)]


def _unusable(machine: Machine) -> list[Finding]:
    advice = {
        "nvidia": f"{_INSTALL_TORCH} CUDA", "amd": f"{_INSTALL_TORCH} ROCm",
        "huawei": "install torch-npu of torch's version, and CANN",
    }
    findings = []
    for vendor in dict.fromkeys(card.vendor for card in machine.unusable):
        names = _names([card for card in machine.unusable if card.vendor == vendor])
        if vendor in machine.reasons:
            findings.append(Finding(False, names, f"not used: {machine.reasons[vendor]}", advice.get(vendor, "")))
        else:
            findings.append(Finding(None, names, f"not used: the run takes {machine.kind}"))
    return findings


def _device(machine: Machine) -> list[Finding]:
    detail = machine.reasons.get("kind", machine.kind)
    if machine.kind == "cpu" and not machine.unusable:
        return [Finding(None, "device", f"{detail}; lessons run on the small model, and larger cards are predicted")]
    findings = [Finding(True, "device", f"{machine.name}: {detail}")]
    if len({card.name for card in machine.cards}) > 1:
        findings.append(Finding(None, "unlike cards", "the slowest and smallest sets the pace of a run on all of them"))
    return findings


def _builds(machine: Machine) -> list[Finding]:
    """Whether torch's build has kernels for the NVIDIA cards at hand."""
    built = devices.parse_version(machine.torch_cuda)
    if built is None:
        return []
    findings = []
    for card in {card.name: card for card in machine.cards if card.vendor == "nvidia"}.values():
        fits = devices.cuda_build_fits(card.compute_capability, built)
        other = "12.6" if card.compute_capability and card.compute_capability < (7, 5) else "12.8 or newer"
        fix = f"{_INSTALL_TORCH} CUDA {other}" if fits.value is False else ""
        findings.append(Finding(fits.value, f"torch on {card.name}", fits.reason, fix))
    return findings


def _precision(machine: Machine) -> list[Finding]:
    bf16 = devices.has_bf16(machine.kind, machine.cards[0].compute_capability, **machine.traits)
    return [Finding(True if bf16.value else None, "precision", machine.reasons.get("precision", bf16.reason))]


def _four_bit(machine: Machine) -> list[Finding]:
    route = devices.four_bit_route(machine.kind, machine.cards[0].compute_capability)
    return [Finding(True if route.value else None, "4-bit weights", route.reason)]


def _card_memory(machine: Machine) -> list[Finding]:
    findings = []
    for number, card in enumerate(machine.cards):
        budget = devices.memory_budget_bytes(card)
        detail = f"{_gib(budget.value)} for a run: {budget.reason}" if budget.value else budget.reason
        used, whole = card.state.used_bytes if card.state else None, card.memory_bytes
        busy = used is not None and whole is not None and used > whole // 4
        fix = f"see which programs hold {_gib(used)} of it: nvidia-smi, npu-smi or rocm-smi" if busy else ""
        good = True if budget.value and not busy else None
        findings.append(Finding(good, f"memory of device {number} ({card.name})", detail, fix))
    return findings


def _health(machine: Machine) -> list[Finding]:
    findings = []
    for number, card in enumerate(machine.cards):
        state = card.state
        if state is None or (state.temperature_celsius is None and state.power_limit_watts is None):
            continue
        hot = (state.temperature_celsius or 0) >= 85
        limit, usual = state.power_limit_watts, card.power_watts
        limited = limit is not None and usual is not None and limit < 0.8 * usual
        shown = [
            f"{state.temperature_celsius} C" if state.temperature_celsius is not None else "temperature unknown",
            f"{state.power_watts:.0f} W now" if state.power_watts is not None else "power unknown",
            f"limit {limit:.0f} W" if limit is not None else "",
            {True: "ECC on", False: "ECC off", None: ""}[state.ecc],
        ]
        fix = "it slows itself down: look at fans and dust" if hot else ""
        fix = fix or (f"slower than with its {usual} W: nvidia-smi -pl raises the limit" if limited else "")
        good = None if hot or limited else True
        findings.append(Finding(good, f"health of device {number}", ", ".join(part for part in shown if part), fix))
    return findings


def _ram(machine: Machine) -> list[Finding]:
    detail = f"{_gib(machine.ram_free_bytes)} free of {_gib(machine.ram_bytes)}"
    detail += f" ({machine.reasons['ram']})" if "ram" in machine.reasons else ""
    fix = "close programs"
    fix = "raise the container's memory limit" if "ram" in machine.reasons else fix
    fix = "raise memory= in .wslconfig on Windows, then wsl --shutdown" if machine.wsl else fix
    free = machine.ram_free_bytes / GIB
    good = False if free < 2 else None if free < 6 else True
    findings = [Finding(good, "RAM", detail, "" if good else fix)]
    if not machine.swap_bytes and machine.system == "Linux":
        findings.append(Finding(None, "swap", "none: a process that needs more than the free RAM is killed at once"))
    return findings


def _environment(machine: Machine) -> list[Finding]:
    findings = [
        Finding(None, name, machine.reasons[name]) for name in machine.environment if name in machine.reasons
    ]
    ratio = machine.environment.get("PYTORCH_MPS_HIGH_WATERMARK_RATIO", "")
    if re.fullmatch(r"0(\.0*)?", ratio):
        detail = "no limit for the GPU's share of the RAM: macOS itself can run out"
        findings.append(Finding(False, f"PYTORCH_MPS_HIGH_WATERMARK_RATIO={ratio}", detail, "unset it"))
    return findings


def _disk(free: int) -> Finding:
    good = False if free < 3 * GIB else None if free < 20 * GIB else True
    shown = str(cache_folder()).replace(str(Path.home()), "~", 1)
    fix = "" if good else "make room, or set KIT_CACHE to a folder on a larger disk; a 7B model needs 15 GiB"
    return Finding(good, "disk", f"{_gib(free)} free for models ({shown})", fix)


def _names(cards: list[Card]) -> str:
    counts = Counter(card.name for card in cards)
    return " + ".join(f"{count} x {name}" if count > 1 else name for name, count in counts.items())


def _gib(count: int | None) -> str:
    return "unknown" if count is None else f"{count / GIB:.1f} GiB"
