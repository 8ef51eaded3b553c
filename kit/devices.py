"""The rules: what a kind and generation of device can do, each answer with its reason.

Pure functions, no torch and no detection. `kind` is torch's device type: cuda (NVIDIA, and AMD under ROCm), mps, npu
or cpu. Three more facts sharpen an answer where they are known: `architecture` (AMD: "gfx942"), `flags` (of the CPU;
None: could not be read) and `os_version` ("14.5" on macOS). `Machine.traits` holds them, so call
`rule(kind, capability, **machine.traits)`. What is unknown is said to be so, and the answer then is the one that is
right on every device.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

GIB = 2**30
Capability = tuple[int, int] | None


class Choice(NamedTuple):
    """An automatic choice and the sentence that explains it."""

    value: Any
    reason: str


class Memory(Protocol):
    """What the memory budget needs to know of a card (`hardware.Card` has it); None is unknown."""

    @property
    def kind(self) -> str: ...
    @property
    def memory_bytes(self) -> int | None: ...
    @property
    def usable_bytes(self) -> int | None: ...
    @property
    def free_bytes(self) -> int | None: ...


# CDNA 1 and later, RDNA 3 and later multiply bf16 in hardware (ROCm documentation, precision support).
_AMD_BF16 = ("gfx908", "gfx90a", "gfx94", "gfx95", "gfx11", "gfx12")
_AMD_NO_BF16 = ("gfx900", "gfx906", "gfx101", "gfx103")
# Linux names of the CPU instructions that multiply bf16: x86 (Cooper Lake, Zen 4, Sapphire Rapids on), then Arm.
_CPU_BF16 = ("avx512_bf16", "amx_bf16", "bf16")


def has_bf16(
    kind: str, capability: Capability, *, architecture: str = "", flags: Sequence[str] | None = (), os_version: str = ""
) -> Choice:
    """Whether bf16 is computed in hardware: True, False, or None for unknown.

    `torch.cuda.is_bf16_supported()` is not asked: it answers True on a T4, through emulation.
    """
    if kind == "cuda" and capability is not None:
        good = capability >= (8, 0)
        return Choice(good, f"compute capability {_dotted(capability)}: bf16 needs 8.0 (Ampere) or newer")
    if kind == "cuda" and "gfx" in architecture:
        known = any(name in architecture for name in _AMD_BF16 + _AMD_NO_BF16)
        if known:
            good = any(name in architecture for name in _AMD_BF16)
            return Choice(good, f"{architecture}: bf16 needs CDNA or RDNA 3 or newer")
        return Choice(None, f"{architecture}: whether it computes bf16 is unknown")
    if kind == "cuda":
        return Choice(None, "the card's compute capability is unknown")
    if kind == "npu":
        return Choice(True, "Ascend 910B computes bf16")
    if kind == "mps":
        major = _major(os_version)
        if major is None:
            return Choice(None, "the macOS version is unknown; bf16 on Metal needs 14 or newer")
        return Choice(major >= 14, f"macOS {os_version}: bf16 on Metal needs 14 or newer")
    if flags is None:
        return Choice(None, "the CPU's instruction flags could not be read")
    found = [flag for flag in _CPU_BF16 if flag in flags]
    if found:
        return Choice(True, f"the CPU multiplies bf16 in hardware ({', '.join(found)})")
    return Choice(False, "the CPU has neither AVX512-BF16 nor AMX, so bf16 is slower than fp32")


def compute_dtype(
    kind: str, capability: Capability, *, architecture: str = "", flags: Sequence[str] | None = (), os_version: str = ""
) -> Choice:
    """The precision to train in: 'bf16-mixed', 'fp16-mixed' (both keep trainable weights in fp32) or 'fp32'."""
    bf16 = has_bf16(kind, capability, architecture=architecture, flags=flags, os_version=os_version)
    if bf16.value:
        return Choice("bf16-mixed", f"bf16-mixed: {bf16.reason}; trainable weights stay in fp32")
    if kind == "mps":
        return Choice("fp32", f"fp32: {bf16.reason}, and fp16 has no loss scaler there")
    if kind == "cpu" or bf16.value is None:
        return Choice("fp32", f"fp32: {bf16.reason}; fp32 is right on every device")
    if capability is not None and capability < (7, 0) and capability != (6, 0):
        # CUDA C++ Programming Guide, arithmetic throughput: 6.1 runs fp16 at 1/64 of fp32.
        return Choice("fp32", f"fp32: {bf16.reason}, and before 7.0 (Volta) fp16 is no faster than fp32")
    return Choice("fp16-mixed", f"fp16-mixed: {bf16.reason}; fp16 with fp32 adapters and loss scaling instead")


def precision_works(
    kind: str, precision: str, capability: Capability, *,
    architecture: str = "", flags: Sequence[str] | None = (), os_version: str = "",
) -> Choice:
    """Whether a precision that the user asked for can be trained on this device: True or False."""
    if precision == "fp32":
        return Choice(True, "fp32 works on every device")
    if precision == "fp16-mixed":
        scaler = grad_scaler(kind, precision)
        return Choice(scaler.value, scaler.reason)
    if kind == "cpu":
        return Choice(True, "every CPU computes bf16, slowly where the instructions are missing")
    bf16 = has_bf16(kind, capability, architecture=architecture, flags=flags, os_version=os_version)
    if bf16.value is None:
        return Choice(True, f"{bf16.reason}; tried because it was asked for")
    return bf16


def grad_scaler(kind: str, precision: str) -> Choice:
    """Whether losses must be scaled: only fp16 needs it, and only cuda and npu have the scaler."""
    if precision != "fp16-mixed":
        return Choice(False, f"{precision} has fp32's range: no loss scaling")
    if kind in {"cuda", "npu"}:
        return Choice(True, "fp16 gradients underflow without loss scaling")
    return Choice(False, f"fp16 training needs loss scaling, which torch does not offer on {kind}: use bf16 or fp32")


def attention(kind: str, capability: Capability, **_traits: Any) -> Choice:
    """The attention implementation; always torch's own `sdpa`, with the kernel that stands behind it."""
    if kind == "cuda" and capability is not None:
        kernel = "FlashAttention kernel" if capability >= (8, 0) else "memory-efficient kernel"
        here = f"compute capability {_dotted(capability)}; FlashAttention needs 8.0"
        return Choice("sdpa", f"sdpa: torch's {kernel} ({here})")
    return Choice("sdpa", f"sdpa: torch picks the fastest kernel that {kind} has")


def flash_attention(kind: str, capability: Capability) -> Choice:
    """Whether the separate flash-attn package (attention='flash') can run."""
    if kind != "cuda":
        return Choice(False, f"flash-attn runs on cuda only, not on {kind}: use attention=sdpa")
    if capability is None:
        return Choice(None, "the card's compute capability is unknown; flash-attn needs 8.0 on NVIDIA")
    here = f"flash-attn needs compute capability 8.0 (here {_dotted(capability)}); sdpa runs everywhere"
    return Choice(capability >= (8, 0), here)


def four_bit_route(kind: str, capability: Capability = None) -> Choice:
    """What holds 4-bit weights on this device: 'bitsandbytes', or None with the reason and the alternative.

    Source: the support table in the README of bitsandbytes 0.50.
    """
    if kind == "cuda" and capability is not None and capability < (6, 0):
        return Choice(None, f"bitsandbytes needs compute capability 6.0 (here {_dotted(capability)}); use LoRA in fp32")
    if kind == "cuda":
        return Choice("bitsandbytes", "bitsandbytes: fused nf4 kernels for NVIDIA and AMD")
    if kind == "cpu":
        return Choice("bitsandbytes", "bitsandbytes: nf4 runs on the CPU, slower than on a GPU")
    if kind == "mps":
        return Choice(None, (
            "this kit has not tried 4-bit training on mps: bitsandbytes has Metal kernels from macOS 26 on (with the"
            " package `kernels`) and unoptimised torch code before; use LoRA on mps, QLoRA on the CPU, or MLX"
        ))
    if kind == "npu":
        return Choice(None, "bitsandbytes 0.50 has no kernels for Ascend; use LoRA in bf16")
    return Choice(None, f"4-bit weights on {kind} are not known to this kit; use LoRA")


def optimizer_works(kind: str, optimizer: str) -> Choice:
    """Whether an optimizer does what its name says on this device: True or False."""
    if optimizer.startswith("paged") and kind != "cuda":
        return Choice(False, f"paged optimizers need CUDA's managed memory; nothing is paged on {kind}: drop `paged_`")
    if optimizer.endswith("8bit") and kind not in {"cuda", "cpu"}:
        return Choice(False, f"bitsandbytes has no 8-bit optimizer for {kind}: use adamw")
    return Choice(True, f"{optimizer} runs on {kind}")


def allocator_environment(kind: str, system: str = "Linux") -> Choice:
    """Environment variables for the child process, set before torch is imported: a dict, perhaps empty."""
    growing, why = "expandable_segments:True", "segments grow in place: unequal batches leave fewer unusable holes"
    if kind == "cuda" and system == "Linux":
        return Choice({"PYTORCH_CUDA_ALLOC_CONF": growing}, why)
    if kind == "npu":
        return Choice({"PYTORCH_NPU_ALLOC_CONF": growing}, why)
    if kind == "cuda":
        return Choice({}, f"growing segments are not offered on {system}")
    if kind == "mps":
        # Often advised: a watermark ratio of 0.0. It lifts the limit and may bring the system down (PyTorch's docs).
        return Choice({}, "the watermarks stay as they are: without a limit macOS itself runs out of memory")
    return Choice({}, "the system's allocator")


def cuda_build_fits(capability: Capability, torch_cuda: tuple[int, int]) -> Choice:
    """Whether torch (2.11 on) built for CUDA `torch_cuda` has kernels for this card: True, False or None (unknown).

    Source: pytorch RELEASE.md, CUDA support matrix (Volta left the 12.8 builds with 2.11, pytorch#172352).
    """
    built = _dotted(torch_cuda)
    if capability is None:
        return Choice(None, f"torch is built for CUDA {built}; the card's compute capability is unknown")
    here = f"compute capability {_dotted(capability)}, torch built for CUDA {built}"
    if capability < (7, 5) and torch_cuda >= (12, 8):
        return Choice(False, f"{here}: builds for CUDA 12.8 on start at 7.5 (Turing); take the build for CUDA 12.6")
    if capability >= (10, 0) and torch_cuda < (12, 8):
        return Choice(False, f"{here}: Blackwell needs a build for CUDA 12.8 or newer")
    if capability < (5, 0):
        return Choice(False, f"{here}: torch has no kernels below 5.0 (Maxwell)")
    return Choice(True, here)


def driver_runs(torch_cuda: tuple[int, int], driver_cuda: tuple[int, int]) -> Choice:
    """Whether a driver that offers CUDA `driver_cuda` runs a torch built for `torch_cuda`: the same major suffices.

    Source: NVIDIA, CUDA Compatibility, minor version compatibility.
    """
    text = f"torch is built for CUDA {_dotted(torch_cuda)}, the driver offers {_dotted(driver_cuda)}"
    return Choice(driver_cuda[0] >= torch_cuda[0], text)


def metal_working_set_bytes(ram_bytes: int, wired_limit_bytes: int = 0) -> Choice:
    """What Metal offers its programs, `torch.mps.recommended_max_memory()`, from the RAM (bytes).

    Two thirds were seen at 16 and 32 GiB (llama-cpp-python#687, llama.cpp#2011), three quarters at 64 and 96 GiB
    (llama.cpp#1870, #3213).
    """
    if wired_limit_bytes:
        return Choice(wired_limit_bytes, "sysctl iogpu.wired_limit_mb was set by hand")
    if ram_bytes <= 32 * GIB:
        return Choice(ram_bytes * 2 // 3, "Metal offers two thirds of the RAM up to 32 GiB")
    return Choice(ram_bytes * 3 // 4, "Metal offers three quarters of the RAM above 32 GiB")


def memory_budget_bytes(card: Memory) -> Choice:
    """Bytes that the tensors of one training process can hope for on `card`; None when its memory is unknown.

    A CUDA context takes 0.3 to 0.5 GiB outside of PyTorch's count (pytorch#107667).
    """
    if card.memory_bytes is None:
        return Choice(None, "how much memory the device has is unknown")
    if card.kind == "mps":
        metal = metal_working_set_bytes(card.memory_bytes)
        return Choice(card.usable_bytes, "what Metal offers here") if card.usable_bytes else metal
    if card.kind == "cpu":
        free = card.free_bytes if card.free_bytes is not None else card.memory_bytes
        reserve = min(2 * GIB, free // 10)
        return Choice(free - reserve, f"free RAM less {_gib(reserve)} for the system and this notebook")
    seen = 95 if card.kind == "npu" else 98  # per cent that torch sees of cards whose usable bytes nobody has reported
    usable = card.usable_bytes or card.memory_bytes * seen // 100
    context = GIB // 2
    taken = card.free_bytes is not None and card.free_bytes < usable
    base = card.free_bytes if taken and card.free_bytes is not None else usable
    what = "what is free now" if taken else "what torch sees of the card"
    return Choice(max(0, base - context), f"{what} ({_gib(base)}) less {_gib(context)} for the {card.kind} context")


def parse_version(text: str | None) -> tuple[int, int] | None:
    """'12.6' or '12.6.3' as (12, 6); None for what is no version."""
    parts = (text or "").split(".")
    if len(parts) < 2 or not (parts[0].isdigit() and parts[1].isdigit()):
        return None
    return int(parts[0]), int(parts[1])


def _major(version: str) -> int | None:
    head = version.split(".")[0]
    return int(head) if head.isdigit() else None


def _dotted(pair: tuple[int, int]) -> str:
    return f"{pair[0]}.{pair[1]}"


def _gib(count: int) -> str:
    return f"{count / GIB:.1f} GiB"
