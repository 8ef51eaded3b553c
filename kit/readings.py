"""Readings: what the system, the drivers and the installed packages say, uninterpreted.

The one seam to a real machine: `read_system()` fills a `Readings`, and all that follows (`hardware.machine_from`,
`doctor`) is pure, so a test or a lesson can pretend any hardware. Imports no torch and never starts CUDA.
"""

import importlib.metadata
import importlib.util
import os
import platform
import re
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from kit.drivers import CardReading, amd, apple, ascend, nvidia, nvidia_on_bus, read_number, read_text, sysctl

PACKAGES = (
    "torch", "transformers", "peft", "bitsandbytes", "accelerate", "datasets", "safetensors", "tokenizers", "trl",
    "numpy", "nvidia-ml-py", "torch-npu", "flash-attn", "kernels", "mlx", "mlx-lm", "vllm", "jupyterlab", "ipywidgets",
)
ENVIRONMENT = (
    "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
    "ASCEND_RT_VISIBLE_DEVICES", "PYTORCH_MPS_HIGH_WATERMARK_RATIO", "PYTORCH_CUDA_ALLOC_CONF",
)
CPU_FLAGS = ("avx2", "avx512f", "avx512_bf16", "amx_bf16", "amx_tile", "bf16", "i8mm", "sve", "asimd")


@dataclass(frozen=True)
class Readings:
    """Everything that was read. The defaults describe a bare Linux machine of which nothing is known."""

    system: str = "Linux"
    os_version: str = ""
    processor: str = "x86_64"
    cpu_name: str = ""
    cpu_flags: tuple[str, ...] | None = None
    cores: int = 1
    cpu_quota: float | None = None
    ram_bytes: int = 0
    ram_free_bytes: int = 0
    swap_bytes: int = 0
    cgroup_limit_bytes: int | None = None
    cgroup_used_bytes: int | None = None
    container: str = ""
    wsl: bool = False
    rosetta: bool = False
    metal_wired_limit_bytes: int = 0
    cards: tuple[CardReading, ...] = ()
    nvidia_driver: str = ""
    driver_cuda: str = ""
    nvml_error: str = ""
    nvidia_on_bus: int = 0
    python: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    torch_cuda: str = ""
    torch_hip: str = ""
    environment: dict[str, str] = field(default_factory=dict)


def read_system() -> Readings:
    """Read this machine: 0.1 s, more where `npu-smi` must be asked."""
    system, memory = platform.system(), psutil.virtual_memory()
    limit, used, quota = cgroup(Path("/"))
    nvidia_cards, driver, driver_cuda, error = nvidia()
    torch_cuda, torch_hip = _torch_build()
    name, flags = _cpu(system)
    affinity = getattr(os, "sched_getaffinity", None)
    return Readings(
        system=system, os_version=platform.mac_ver()[0] if system == "Darwin" else platform.release(),
        processor=platform.machine(), cpu_name=name, cpu_flags=flags,
        cores=len(affinity(0)) if affinity else os.cpu_count() or 1, cpu_quota=quota,
        ram_bytes=memory.total, ram_free_bytes=memory.available, swap_bytes=_swap(),
        cgroup_limit_bytes=limit, cgroup_used_bytes=used, container=_container(Path("/")),
        wsl="microsoft" in platform.release().lower(), rosetta=sysctl("sysctl.proc_translated") == "1",
        metal_wired_limit_bytes=int(sysctl("iogpu.wired_limit_mb") or 0) * 2**20,
        cards=(*nvidia_cards, *amd(Path("/")), *ascend(), *apple(memory.total)),
        nvidia_driver=driver, driver_cuda=driver_cuda, nvml_error=error, nvidia_on_bus=nvidia_on_bus(Path("/")),
        python=platform.python_version(), versions=_versions(), torch_cuda=torch_cuda, torch_hip=torch_hip,
        environment={name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
    )


def cgroup(root: Path) -> tuple[int | None, int | None, float | None]:
    """Memory limit, memory used (bytes, without caches that the kernel would give back) and CPU quota (cores).

    The tightest limit on the way from this process's group to the top counts; cgroup v2 and v1.
    """
    limit: int | None = None
    used: int | None = None
    quota: float | None = None
    for line in read_text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        names = [part for part in path.split("/") if part]
        tops = {"": "", "memory": "memory", "cpu": "cpu"}
        for top in [tops[name] for name in controllers.split(",") if name in tops]:
            for depth in range(len(names), -1, -1):
                folder = root.joinpath("sys/fs/cgroup", top, *names[:depth])
                found = read_number(folder / "memory.max") or read_number(folder / "memory.limit_in_bytes")
                if found and found < 2**60 and (limit is None or found < limit):
                    limit, used = found, _cgroup_used(folder)
                cores = _cgroup_cores(folder)
                quota = cores if quota is None or (cores is not None and cores < quota) else quota
    return limit, used, quota


def _cgroup_used(folder: Path) -> int | None:
    used = read_number(folder / "memory.current") or read_number(folder / "memory.usage_in_bytes")
    cache = re.search(r"^(?:total_)?inactive_file (\d+)$", read_text(folder / "memory.stat"), re.MULTILINE)
    return None if used is None else used - (int(cache[1]) if cache else 0)


def _cgroup_cores(folder: Path) -> float | None:
    quota, _, period = read_text(folder / "cpu.max").strip().partition(" ")
    if not quota:
        quota, period = read_text(folder / "cpu.cfs_quota_us").strip(), read_text(folder / "cpu.cfs_period_us").strip()
    return int(quota) / int(period) if quota.isdigit() and period.isdigit() and int(period) else None


def _container(root: Path) -> str:
    marks = {"docker": root / ".dockerenv", "podman": root / "run/.containerenv"}
    found = [name for name, file in marks.items() if file.exists()]
    return "kubernetes" if "KUBERNETES_SERVICE_HOST" in os.environ else (found or [""])[0]


def _cpu(system: str) -> tuple[str, tuple[str, ...] | None]:
    """The CPU's name and those of its flags that matter here; None where flags cannot be read."""
    if system == "Darwin":
        flags = ("FEAT_BF16",) if sysctl("hw.optional.arm.FEAT_BF16") == "1" else ()
        return sysctl("machdep.cpu.brand_string"), flags
    name, flags_line = "", None
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                key, _, value = line.partition(":")
                name = name or (value.strip() if key.strip() == "model name" else "")
                if key.strip() in {"flags", "Features"}:
                    flags_line = value.split()
                    break
    except OSError:
        pass
    found = None if flags_line is None else tuple(flag for flag in CPU_FLAGS if flag in flags_line)
    return name or platform.processor() or platform.machine(), found


def _torch_build() -> tuple[str, str]:
    """The CUDA and ROCm versions that the installed torch was built for, read from its version.py, not imported."""
    spec = importlib.util.find_spec("torch")
    folders = (spec.submodule_search_locations or []) if spec else []
    text = "".join(read_text(Path(folder) / "version.py") for folder in folders)
    found = dict(re.findall(r"^(cuda|hip)\b[^=\n]*=\s*'([^']+)'", text, re.MULTILINE))
    return found.get("cuda", ""), found.get("hip", "")


def _versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _swap() -> int:
    try:
        return psutil.swap_memory().total
    except (OSError, RuntimeError):  # sandboxes without /proc/vmstat
        return 0
