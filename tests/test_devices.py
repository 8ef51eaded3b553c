"""The rules, against published facts: tables of vendors and frameworks, and numbers that programs printed."""

import importlib.metadata
import itertools

import pytest

from kit import devices
from kit.cards import Card, card, catalog

GIB = 2**30


@pytest.mark.parametrize(
    ("capability", "expected"),
    [((6, 0), "fp16"), ((6, 1), "fp32"), ((7, 0), "fp16"), ((7, 5), "fp16"), ((8, 0), "bf16"), ((8, 6), "bf16"),
     ((8, 9), "bf16"), ((9, 0), "bf16"), ((10, 0), "bf16"), ((12, 0), "bf16")],
)
def test_precision_of_nvidia_follows_compute_capability(capability, expected):
    """A T4 (7.5) says yes to torch.cuda.is_bf16_supported() and then emulates; a P40 (6.1) runs fp16 at 1/64."""
    choice = devices.compute_dtype("cuda", capability)
    assert choice.value.startswith(expected)
    assert "compute capability" in choice.reason


def test_t4_trains_in_mixed_fp16_with_a_scaler():
    assert devices.compute_dtype("cuda", (7, 5)).value == "fp16-mixed"
    assert devices.grad_scaler("cuda", "fp16-mixed").value is True
    assert devices.precision_works("cuda", "bf16", (7, 5)).value is False


def test_unknown_hardware_is_unknown_and_gets_the_safe_answer():
    for kind, traits in [("cuda", {}), ("cuda", {"architecture": "gfx1399"}), ("mps", {}), ("cpu", {"flags": None})]:
        assert devices.has_bf16(kind, None, **traits).value is None
        assert devices.compute_dtype(kind, None, **traits).value == "fp32"
        assert any(word in devices.compute_dtype(kind, None, **traits).reason for word in ("unknown", "could not"))


def test_precision_of_amd_follows_the_architecture():
    for architecture, works in [("gfx942", True), ("CDNA 3 (gfx942)", True), ("gfx90a", True), ("gfx1100", True),
                                ("gfx1030", False), ("gfx906", False)]:
        assert devices.has_bf16("cuda", None, architecture=architecture).value is works


def test_precision_on_mac_follows_macos():
    assert devices.compute_dtype("mps", None, os_version="13.6").value == "fp32"
    assert devices.compute_dtype("mps", None, os_version="14.1").value.startswith("bf16")
    assert devices.compute_dtype("mps", None, os_version="26.0").value.startswith("bf16")


def test_no_fp16_on_mac_because_it_has_no_scaler():
    """'fp16 mixed precision requires a GPU (not mps)' (transformers#32648)."""
    choice = devices.precision_works("mps", "fp16-mixed", None, os_version="15.0")
    assert choice.value is False and "loss scaling" in choice.reason


def test_precision_of_a_cpu_follows_its_flags():
    assert devices.compute_dtype("cpu", None, flags=("avx2", "avx512f", "avx512_bf16")).value.startswith("bf16")
    assert devices.compute_dtype("cpu", None, flags=("amx_bf16",)).value.startswith("bf16")
    assert devices.compute_dtype("cpu", None, flags=("avx2",)).value == "fp32"
    assert devices.precision_works("cpu", "bf16", None, flags=("avx2",)).value is True


@pytest.mark.parametrize(
    ("capability", "cuda", "fits"),
    [((7, 0), (12, 6), True), ((7, 0), (12, 8), False), ((7, 0), (13, 0), False), ((7, 5), (12, 8), True),
     ((7, 5), (13, 0), True), ((8, 0), (12, 6), True), ((9, 0), (13, 0), True), ((10, 0), (12, 8), True),
     ((12, 0), (12, 6), False), ((12, 0), (13, 0), True)],
)
def test_builds_of_torch_match_its_support_matrix(capability, cuda, fits):
    """The table of pytorch#172352: a V100 with a CUDA 12.8 build dies with 'no kernel image is available'."""
    assert devices.cuda_build_fits(capability, cuda).value is fits


def test_driver_runs_builds_of_the_same_major_version():
    assert devices.driver_runs((12, 8), (12, 2)).value is True
    assert devices.driver_runs((13, 0), (12, 8)).value is False
    assert devices.driver_runs((12, 6), (13, 0)).value is True


@pytest.mark.parametrize(
    ("ram_gib", "printed_mib"), [(16, 10922.67), (32, 21845.34), (36, 27648.0), (64, 49152.0), (96, 73728.0)]
)
def test_metal_working_set_is_what_macs_print(ram_gib, printed_mib):
    """`recommendedMaxWorkingSetSize` in public llama.cpp logs."""
    assert devices.metal_working_set_bytes(ram_gib * GIB).value == pytest.approx(printed_mib * 2**20, rel=1e-5)
    assert devices.metal_working_set_bytes(ram_gib * GIB, 5 * GIB).value == 5 * GIB


def test_memory_budgets():
    context = GIB // 2
    assert devices.memory_budget_bytes(card("RTX-4090")).value == pytest.approx(23.14 * GIB, rel=1e-4)
    assert devices.memory_budget_bytes(card("T4")).value == pytest.approx(14.25 * GIB, rel=1e-4)
    assert devices.memory_budget_bytes(card("M2-16GB")).value == 16 * GIB * 2 // 3
    busy = card("RTX-3090").model_copy(update={"free_bytes": 10 * GIB})
    assert devices.memory_budget_bytes(busy).value == 10 * GIB - context
    full = card("RTX-3090").model_copy(update={"free_bytes": 1000})
    assert devices.memory_budget_bytes(full).value == 0
    cpu = Card(name="cpu", vendor="cpu", kind="cpu", memory_bytes=64 * GIB, free_bytes=8 * GIB)
    assert 7 * GIB < devices.memory_budget_bytes(cpu).value < 8 * GIB
    assert devices.memory_budget_bytes(Card(name="?", vendor="?", kind="cuda")).value is None


def test_every_budget_of_the_catalogue_is_below_the_memory_and_above_a_half():
    for one in catalog():
        budget = devices.memory_budget_bytes(one)
        assert one.memory_bytes / 2 < budget.value < one.memory_bytes, one.name
        assert budget.reason


def test_four_bit_routes_follow_the_table_of_the_installed_bitsandbytes():
    """Fails when bitsandbytes changes its support table: then look at the rule again."""
    table = importlib.metadata.metadata("bitsandbytes").get_payload()
    assert "SM60+ minimum" in table and "Ascend" not in table and "<code>mps</code>" in table
    assert devices.four_bit_route("cuda", (6, 0)).value == "bitsandbytes"
    assert devices.four_bit_route("cuda", (5, 2)).value is None
    assert devices.four_bit_route("cpu").value == "bitsandbytes"
    for kind in ("mps", "npu", "xpu"):
        route = devices.four_bit_route(kind)
        assert route.value is None and "LoRA" in route.reason


def test_optimizers():
    assert devices.optimizer_works("cuda", "paged_adamw_8bit").value is True
    assert devices.optimizer_works("cpu", "paged_adamw_8bit").value is False
    assert devices.optimizer_works("cpu", "adamw_8bit").value is True
    assert devices.optimizer_works("mps", "adamw_8bit").value is False
    assert all(devices.optimizer_works(kind, "adamw").value for kind in ("cuda", "mps", "npu", "cpu"))


def test_flash_attention_needs_ampere_but_sdpa_runs_everywhere():
    assert devices.flash_attention("cuda", (8, 0)).value is True
    assert devices.flash_attention("cuda", (7, 5)).value is False
    assert devices.flash_attention("mps", None).value is False
    assert "memory-efficient" in devices.attention("cuda", (7, 5)).reason
    assert "FlashAttention kernel" in devices.attention("cuda", (8, 6)).reason


def test_allocator_never_lifts_the_limit_of_a_mac():
    assert devices.allocator_environment("mps", "Darwin").value == {}
    assert devices.allocator_environment("cuda", "Windows").value == {}
    assert "expandable_segments:True" in devices.allocator_environment("cuda", "Linux").value.values()


def test_every_answer_has_a_reason():
    kinds, capabilities = ("cuda", "mps", "npu", "cpu"), (None, (5, 2), (7, 5), (9, 0))
    for kind, capability in itertools.product(kinds, capabilities):
        answers = [
            devices.has_bf16(kind, capability), devices.compute_dtype(kind, capability),
            devices.attention(kind, capability), devices.flash_attention(kind, capability),
            devices.four_bit_route(kind, capability),
            devices.allocator_environment(kind), devices.cuda_build_fits(capability, (12, 8)),
        ]
        assert all(len(answer.reason) > 5 for answer in answers)
        assert devices.compute_dtype(kind, capability).value in {"fp32", "bf16", "bf16-mixed", "fp16-mixed"}
        works = devices.precision_works(kind, devices.compute_dtype(kind, capability).value, capability)
        assert works.value is True, "the automatic choice must be one that works"
