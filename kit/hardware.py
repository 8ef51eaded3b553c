"""Hardware: what is here, as far as the installed torch can use it (`detect`), and what could be (`card`, `catalog`).

Every automatic answer carries its reason. Nothing here imports torch or starts CUDA.
"""

import math
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from kit import cards as known
from kit import devices
from kit.cards import Card, CardState, card, catalog
from kit.drivers import CardReading
from kit.readings import Readings, read_system

__all__ = ["Card", "CardState", "Machine", "card", "catalog", "detect", "disk_free_bytes", "machine_from", "pretend"]

GIB = 2**30
_TORCH_KIND = {"nvidia": "cuda", "amd": "cuda", "huawei": "npu", "apple": "mps"}
_DRIVER = {"nvidia": "NVML", "amd": "sysfs", "huawei": "npu-smi", "apple": "sysctl"}
_VISIBLE = {
    "nvidia": ("CUDA_VISIBLE_DEVICES",), "amd": ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"),
    "huawei": ("ASCEND_RT_VISIBLE_DEVICES",),
}


class Machine(BaseModel):
    """This computer. `kind` is torch's device type, `cards` its devices of that kind (cpu: one card, the CPU).

    `unusable` are cards that the installed torch cannot use; `reasons` says why each choice is what it is. Sizes in
    bytes; `ram_bytes` and `ram_free_bytes` respect a container's limit. `cpu_flags` None: they could not be read.
    """

    model_config = ConfigDict(frozen=True)
    name: str
    kind: str
    tier: str
    precision: str
    cards: tuple[Card, ...]
    unusable: tuple[Card, ...] = ()
    cores: int
    cpu_name: str
    cpu_flags: tuple[str, ...] | None
    ram_bytes: int
    ram_free_bytes: int
    swap_bytes: int
    system: str
    os_version: str
    python: str
    versions: dict[str, str]
    torch_cuda: str = ""
    torch_hip: str = ""
    driver: str = ""
    driver_cuda: str = ""
    driver_error: str = ""
    nvidia_on_bus: int = 0
    container: str = ""
    wsl: bool = False
    rosetta: bool = False
    environment: dict[str, str] = {}
    reasons: dict[str, str]

    @property
    def traits(self) -> dict[str, Any]:
        """What sharpens the rules of `devices`: `devices.compute_dtype(kind, capability, **machine.traits)`."""
        return _traits(self.cards[0], self.cpu_flags, self.system, self.os_version)

    def disk_free_bytes(self, path: Path | str = ".") -> int:
        """Bytes free where `path` lies or would lie."""
        return disk_free_bytes(path)

    def text(self) -> str:
        """A few lines for people: the devices, and each automatic choice with its reason."""
        head = f"{self.name}: device {self.kind}, lesson column {self.tier}, precision {self.precision}"
        return "\n".join([head, *(f"  {what}: {why}" for what, why in self.reasons.items())])


def detect() -> Machine:
    """This machine, in about 0.1 s."""
    return machine_from(read_system())


def disk_free_bytes(path: Path | str = ".") -> int:
    """Bytes free on the disk where `path` lies or would lie."""
    place = Path(path).expanduser().absolute()
    while not place.exists():
        place = place.parent
    return shutil.disk_usage(place).free


def pretend(device: Card, count: int = 1, *, machine: Machine | None = None) -> Machine:
    """`machine` (default: this one) with `count` devices like `device` in place of its own: for rehearsals."""
    base = machine or detect()
    system, version = ("Darwin", "14.0") if device.kind == "mps" else (base.system, base.os_version)
    chosen = _choices(device, count, base.cpu_flags, system, version)
    return base.model_copy(update={
        "name": _name((device,) * count), "kind": device.kind, "cards": (device,) * count, "unusable": (),
        "system": system, "os_version": version, **{what: choice.value for what, choice in chosen.items()},
        "reasons": {"kind": "pretended", **{what: choice.reason for what, choice in chosen.items()}},
    })


def machine_from(readings: Readings) -> Machine:
    """What the readings mean: which devices torch can use, how much memory there is, and why. Pure."""
    reasons: dict[str, str] = {}
    ram, free = _ram(readings, reasons)
    cores = _cores(readings, reasons)
    groups, unusable = _sort(readings, reasons)
    kind = next((one for one in ("cuda", "npu", "mps") if one in groups), "cpu")
    cpu = Card(
        name=readings.cpu_name or readings.processor, vendor="cpu", kind="cpu", architecture=readings.processor,
        memory_bytes=ram, free_bytes=free, cores=cores, flags=readings.cpu_flags,
        sources=dict.fromkeys(("memory_bytes", "free_bytes", "cores", "flags"), "the system"),
    )
    used = tuple(groups.pop(kind, [cpu]))
    chosen = _choices(used[0], len(used), readings.cpu_flags, readings.system, readings.os_version)
    reasons = {"kind": _why(kind, readings), **{what: choice.reason for what, choice in chosen.items()}, **reasons}
    return Machine(
        name=f"{cpu.name}, {cores} cores, {ram / GIB:.0f} GiB" if kind == "cpu" else _name(used),
        kind=kind, tier=chosen["tier"].value, precision=chosen["precision"].value, reasons=reasons,
        cards=used, unusable=(*unusable, *(one for others in groups.values() for one in others)),
        cores=cores, cpu_name=cpu.name, cpu_flags=readings.cpu_flags, ram_bytes=ram, ram_free_bytes=free,
        swap_bytes=readings.swap_bytes, system=readings.system, os_version=readings.os_version,
        python=readings.python, versions=readings.versions, torch_cuda=readings.torch_cuda,
        torch_hip=readings.torch_hip, driver=readings.nvidia_driver, driver_cuda=readings.driver_cuda,
        driver_error=readings.nvml_error, nvidia_on_bus=readings.nvidia_on_bus, container=readings.container,
        wsl=readings.wsl, rosetta=readings.rosetta, environment=readings.environment,
    )


def _choices(
    device: Card, count: int, flags: Sequence[str] | None, system: str, version: str
) -> dict[str, devices.Choice]:
    traits = _traits(device, flags, system, version)
    many = devices.Choice("multi_gpu", f"{count} devices") if count > 1 else devices.Choice("gpu24", "one device")
    few = {"mps": devices.Choice("mac", "an Apple GPU"), "cpu": devices.Choice("cpu", "no GPU or NPU to use")}
    precision = devices.compute_dtype(device.kind, device.compute_capability, **traits)
    return {"tier": few.get(device.kind, many), "precision": precision}


def _traits(device: Card, flags: Sequence[str] | None, system: str, version: str) -> dict[str, Any]:
    return {"architecture": device.architecture, "flags": flags, "os_version": version if system == "Darwin" else ""}


def _ram(readings: Readings, reasons: dict[str, str]) -> tuple[int, int]:
    limit = readings.cgroup_limit_bytes
    if limit is None or limit >= readings.ram_bytes:
        return readings.ram_bytes, readings.ram_free_bytes
    host = f"the host has {readings.ram_bytes / GIB:.0f} GiB"
    reasons["ram"] = f"{limit / GIB:.1f} GiB: the limit of this container or group; {host}"
    return limit, max(0, min(readings.ram_free_bytes, limit - (readings.cgroup_used_bytes or 0)))


def _cores(readings: Readings, reasons: dict[str, str]) -> int:
    quota = math.ceil(readings.cpu_quota) if readings.cpu_quota else readings.cores
    if quota < readings.cores:
        reasons["cores"] = f"{quota}: the CPU quota of this container or group; the host offers {readings.cores}"
    return max(1, min(quota, readings.cores))


def _sort(readings: Readings, reasons: dict[str, str]) -> tuple[dict[str, list[Card]], list[Card]]:
    """The visible cards: by torch device type, and those that the installed torch cannot use."""
    groups: dict[str, list[Card]] = {}
    unusable: list[Card] = []
    for vendor in dict.fromkeys(one.vendor for one in readings.cards):
        seen = [one for one in readings.cards if one.vendor == vendor]
        visible = _visible(seen, readings.environment, reasons)
        if len(visible) > 1 and any(one.mig for one in visible):
            visible = visible[:1]
            reasons["mig"] = "a process can use one MIG slice: the first one that it sees"
        found = [_detected(one, readings) for one in visible]
        obstacle = _obstacle(vendor, readings)
        if obstacle and found:
            reasons[vendor] = obstacle
            unusable += found
        elif found:
            groups.setdefault(found[0].kind, []).extend(found)
    return groups, unusable


def _obstacle(vendor: str, readings: Readings) -> str:
    """Why the installed torch cannot use cards of `vendor`; '' if it can, or if there is no torch to ask."""
    torch = readings.versions.get("torch", "")
    if not torch:
        return ""
    if vendor == "nvidia" and not readings.torch_cuda:
        return f"torch {torch} is built without CUDA"
    if vendor == "amd" and not readings.torch_hip:
        return f"torch {torch} is built without ROCm"
    if vendor == "huawei" and "torch-npu" not in readings.versions:
        return "the package torch-npu is not installed"
    return ""


def _visible(seen: list[CardReading], environment: dict[str, str], reasons: dict[str, str]) -> list[CardReading]:
    """Cards that `CUDA_VISIBLE_DEVICES` or its like leaves; CUDA reads the list up to the first entry it cannot use."""
    for variable in _VISIBLE.get(seen[0].vendor, ()):
        if variable not in environment:
            continue
        chosen: list[CardReading] = []
        for token in (part.strip() for part in environment[variable].split(",")):
            by_number = [one for one in seen if token == str(one.index)]
            by_uuid = [one for one in seen if len(token) > 4 and one.uuid.startswith(token)]
            if not (by_number or by_uuid):
                break
            chosen += by_number or by_uuid[:1]
        reasons[variable] = f"'{environment[variable]}' leaves {len(chosen)} of {len(seen)} cards"
        if len({one.name for one in seen}) > 1 and environment.get("CUDA_DEVICE_ORDER") != "PCI_BUS_ID":
            reasons[variable] += "; CUDA may number unlike cards otherwise: set CUDA_DEVICE_ORDER=PCI_BUS_ID"
        return chosen
    return seen


def _detected(reading: CardReading, readings: Readings) -> Card:
    """The reading, completed by what the catalogue knows of such a card."""
    entry, source = _entry(reading), _DRIVER[reading.vendor]
    memory, usable = reading.memory_bytes, entry.usable_bytes if entry else None
    if memory and reading.reserved_bytes:
        usable = memory - reading.reserved_bytes
    if memory and reading.vendor == "apple":
        usable = devices.metal_working_set_bytes(memory, readings.metal_wired_limit_bytes).value
    told: dict[str, Any] = {
        "memory_bytes": memory, "usable_bytes": usable, "compute_capability": reading.compute_capability,
        "cores": reading.cores, "architecture": reading.architecture or None,
        "free_bytes": None if memory is None or reading.used_bytes is None else
        memory - reading.used_bytes - (reading.reserved_bytes or 0),
    }
    told = {what: value for what, value in told.items() if value is not None}
    facts = entry.model_dump() if entry else {"notes": "not in the catalogue: bandwidth and FLOP/s are unknown"}
    sources = {what: f"catalogue, {entry.name}: {who}" for what, who in entry.sources.items()} if entry else {}
    state = CardState(
        used_bytes=reading.used_bytes, temperature_celsius=reading.temperature_celsius, ecc=reading.ecc,
        power_watts=reading.power_watts, power_limit_watts=reading.power_limit_watts,
    )
    return Card.model_validate({
        **facts, **told, "name": reading.name, "vendor": reading.vendor, "kind": _TORCH_KIND[reading.vendor],
        "state": state, "sources": {**sources, **dict.fromkeys(told, source)},
    })


def _entry(reading: CardReading) -> Card | None:
    """The catalogue's card that this one is: by name, and by memory, since one name can come in several sizes."""
    if reading.vendor == "apple":
        size = f"{(reading.memory_bytes or 0) // GIB}GB"
        names = [f"{reading.name}-{reading.cores}core-{size}", f"{reading.name}-{size}"]
        found = [entry for entry in map(known.find, names) if entry and not entry.meaning]
    else:
        match = known.find(reading.name)
        found = [match] if match else []
    if not found or reading.memory_bytes is None or found[0].card.memory_bytes is None:
        return None
    off = abs(reading.memory_bytes / found[0].card.memory_bytes - 1)  # ECC in the same memory takes up to 6.3 %
    return found[0].card if off < 0.08 else None


def _why(kind: str, readings: Readings) -> str:
    if "torch" not in readings.versions and kind != "cpu":
        return f"{kind}: this device is there; torch is not installed, so whether it can use it is unknown"
    built = f"CUDA {readings.torch_cuda}" if readings.torch_cuda else f"ROCm {readings.torch_hip}"
    why = {"cuda": f"torch is built for {built}", "npu": "torch-npu is installed", "mps": "an Apple GPU"}
    return f"{kind}: {why.get(kind, 'no GPU or NPU that torch can use')}"


def _name(used: Sequence[Card]) -> str:
    names = [one.name for one in used]
    counts = {name: names.count(name) for name in dict.fromkeys(names)}
    return " + ".join(f"{count} x {name}" if count > 1 else name for name, count in counts.items())
