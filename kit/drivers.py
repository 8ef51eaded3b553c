"""Drivers: which accelerators the system's drivers report, uninterpreted; NVIDIA, AMD, Ascend and Apple.

NVML, sysfs, `npu-smi` and `sysctl` are asked, never torch: a kernel that has touched CUDA can no longer fork workers
(accelerate#940). A driver that does not answer a question leaves None.
"""

import itertools
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class CardReading:
    """One accelerator as its driver reports it; None is what the driver did not tell. Sizes in bytes."""

    name: str
    vendor: str
    index: int = 0
    uuid: str = ""
    architecture: str = ""
    compute_capability: tuple[int, int] | None = None
    memory_bytes: int | None = None
    reserved_bytes: int | None = None  # by the driver: in memory_bytes, but never to be had
    used_bytes: int | None = None
    temperature_celsius: int | None = None
    power_watts: float | None = None
    power_limit_watts: float | None = None
    ecc: bool | None = None
    cores: int | None = None
    mig: bool = False  # a slice of a card that is split (NVIDIA MIG)


def nvidia() -> tuple[list[CardReading], str, str, str]:
    """Cards, driver version, the CUDA version it offers, and what went wrong ('' when there is no NVIDIA driver)."""
    try:
        import pynvml
    except ImportError:
        return [], "", "", "the package nvidia-ml-py is not installed"
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        absent = isinstance(error, pynvml.NVMLError_LibraryNotFound)
        return [], "", "", "" if absent else str(error)
    try:
        cards = []
        for index in range(pynvml.nvmlDeviceGetCount()):
            handle = pynvml.nvmlDeviceGetHandleByIndex(index)
            slices = _mig_slices(pynvml, handle)
            cards += [_nvidia_card(pynvml, one, index, mig=bool(slices)) for one in slices or [handle]]
        cuda = _ask(pynvml.nvmlSystemGetCudaDriverVersion) or 0
        dotted = f"{cuda // 1000}.{cuda % 1000 // 10}" if cuda else ""
        return cards, str(_ask(pynvml.nvmlSystemGetDriverVersion) or ""), dotted, ""
    except pynvml.NVMLError as error:
        return [], str(_ask(pynvml.nvmlSystemGetDriverVersion) or ""), "", str(error)
    finally:
        _ask(pynvml.nvmlShutdown)


def _mig_slices(pynvml: Any, handle: Any) -> list[Any]:
    """Handles of the MIG slices: with MIG on, torch sees these instead of the card."""
    if (_ask(pynvml.nvmlDeviceGetMigMode, handle) or [0])[0] != 1:
        return []
    count = _ask(pynvml.nvmlDeviceGetMaxMigDeviceCount, handle) or 0
    slices = [_ask(pynvml.nvmlDeviceGetMigDeviceHandleByIndex, handle, number) for number in range(count)]
    return [one for one in slices if one is not None]


def _nvidia_card(pynvml: Any, handle: Any, index: int, mig: bool) -> CardReading:
    memory = _ask(pynvml.nvmlDeviceGetMemoryInfo, handle, pynvml.nvmlMemory_v2)
    memory = memory or _ask(pynvml.nvmlDeviceGetMemoryInfo, handle)
    capability, ecc = _ask(pynvml.nvmlDeviceGetCudaComputeCapability, handle), _ask(pynvml.nvmlDeviceGetEccMode, handle)
    draw, limit = _ask(pynvml.nvmlDeviceGetPowerUsage, handle), _ask(pynvml.nvmlDeviceGetEnforcedPowerLimit, handle)
    return CardReading(
        name=str(_ask(pynvml.nvmlDeviceGetName, handle) or "NVIDIA GPU"), vendor="nvidia", index=index, mig=mig,
        uuid=str(_ask(pynvml.nvmlDeviceGetUUID, handle) or ""),
        compute_capability=(int(capability[0]), int(capability[1])) if capability else None,
        memory_bytes=memory.total if memory else None, used_bytes=memory.used if memory else None,
        reserved_bytes=getattr(memory, "reserved", None),
        temperature_celsius=_ask(pynvml.nvmlDeviceGetTemperature, handle, pynvml.NVML_TEMPERATURE_GPU),
        power_watts=draw / 1000 if draw is not None else None,
        power_limit_watts=limit / 1000 if limit is not None else None, ecc=bool(ecc[0]) if ecc else None,
    )


def _ask(question: Callable[..., Any], *arguments: Any) -> Any:
    """The driver's answer, or None: cards, drivers and containers differ in which questions they take."""
    import pynvml

    try:
        return question(*arguments)
    except pynvml.NVMLError:
        return None


def nvidia_on_bus(root: Path) -> int:
    """NVIDIA display controllers on the PCI bus, driver or not."""
    nvidia_devices = [d for d in root.glob("sys/bus/pci/devices/*") if read_text(d / "vendor").strip() == "0x10de"]
    return sum(read_text(device / "class").startswith("0x03") for device in nvidia_devices)


def amd(root: Path) -> list[CardReading]:
    """AMD GPUs that ROCm's kernel driver lists, without those that have under 2 GiB of their own (parts of a CPU)."""
    cards: list[CardReading] = []
    for node in sorted(root.glob("sys/class/kfd/kfd/topology/nodes/*"), key=lambda path: (len(path.name), path.name)):
        facts = dict(line.split(None, 1) for line in read_text(node / "properties").splitlines() if " " in line)
        version = int(facts.get("gfx_target_version", 0))
        device = root / f"sys/class/drm/renderD{facts.get('drm_render_minor', '')}/device"
        memory = read_number(device / "mem_info_vram_total")
        if not version or (memory is not None and memory < 2**31):
            continue
        gfx = f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"
        heat = next((read_number(file) for file in device.glob("hwmon/hwmon*/temp1_input")), None)
        cards.append(CardReading(
            name=read_text(device / "product_name").strip() or f"AMD GPU ({gfx})", vendor="amd", index=len(cards),
            architecture=gfx, memory_bytes=memory, used_bytes=read_number(device / "mem_info_vram_used"),
            temperature_celsius=heat // 1000 if heat else None,
        ))
    return cards


def ascend() -> list[CardReading]:
    nodes = sorted(Path("/dev").glob("davinci[0-9]*")) if sys.platform == "linux" else []
    if not nodes:
        return []
    return parse_npu_smi(output("npu-smi", "info")) or [
        CardReading(name="Ascend NPU", vendor="huawei", index=index) for index in range(len(nodes))
    ]


def parse_npu_smi(text: str) -> list[CardReading]:
    """Cards in the table of `npu-smi info`: two lines a chip, the second one with used / total HBM in MB."""
    cards: list[CardReading] = []
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines]
    for above, below in itertools.pairwise(row for row in rows if len(row) == 3):
        first, memory = above[0].split(), re.findall(r"(\d+)\s*/\s*(\d+)", below[2])
        if len(first) < 2 or not first[0].isdigit() or ":" not in below[1] or not memory:
            continue
        name = first[1] if first[1].lower().startswith("ascend") else f"Ascend {first[1]}"
        power = re.match(r"([\d.]+)\s+(\d+)", above[2])
        cards.append(CardReading(
            name=name, vendor="huawei", index=len(cards), memory_bytes=int(memory[-1][1]) * 2**20,
            used_bytes=int(memory[-1][0]) * 2**20, power_watts=float(power[1]) if power else None,
            temperature_celsius=int(power[2]) if power else None,
        ))
    return cards


def apple(ram_bytes: int) -> list[CardReading]:
    if sys.platform != "darwin" or platform.machine() != "arm64":
        return []
    cores = re.search(r'"gpu-core-count"\s*=\s*(\d+)', output("ioreg", "-r", "-c", "AGXAccelerator", "-d", "1"))
    return [CardReading(
        name=sysctl("machdep.cpu.brand_string") or "Apple GPU", vendor="apple", memory_bytes=ram_bytes,
        cores=int(cores[1]) if cores else None,
    )]


def sysctl(name: str) -> str:
    """A value of macOS's `sysctl`, or '' elsewhere and for names that it does not know."""
    return output("sysctl", "-n", name).strip() if sys.platform == "darwin" else ""


def output(*command: str) -> str:
    """What a command prints, or '' when it is missing, fails to start or takes 10 seconds."""
    if shutil.which(command[0]) is None:
        return ""
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", timeout=10)
        return done.stdout
    except (OSError, subprocess.SubprocessError):
        return ""


def read_text(file: Path) -> str:
    """The file's text, or '' when it cannot be read."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def read_number(file: Path) -> int | None:
    """The whole number that is all of the file, or None."""
    text = read_text(file).strip()
    return int(text) if text.isdigit() else None
