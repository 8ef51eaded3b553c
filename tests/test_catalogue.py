"""The catalogue of cards: every fact has a public source, and facts agree with each other."""

import pytest

from kit.cards import Card
from kit.errors import KitError
from kit.hardware import card, catalog

FACTS = [name for name in Card.model_fields if name.endswith(("_bytes", "_flops", "_per_second", "_watts"))]


@pytest.mark.parametrize("one", catalog(), ids=lambda one: one.name)
def test_every_fact_of_the_catalogue_has_a_public_source(one: Card):
    known = [name for name in (*FACTS, "compute_capability", "link") if getattr(one, name) is not None]
    assert known and set(known) <= set(one.sources)
    assert all(len(source) > 10 and "index file" not in source for source in one.sources.values())
    assert one.memory_bytes and one.kind in {"cuda", "npu", "mps"}


@pytest.mark.parametrize("one", catalog(), ids=lambda one: one.name)
def test_facts_of_the_catalogue_agree_with_each_other(one: Card):
    assert one.usable_bytes is None or 0.9 < one.usable_bytes / one.memory_bytes < 1
    if one.bf16_flops:
        assert one.bf16_flops == one.fp16_flops, "tensor cores and matrix cores run both at one rate"
        assert one.compute_capability is None or one.compute_capability >= (8, 0)
    if one.fp8_flops and one.fp16_flops:
        assert one.fp8_flops / one.fp16_flops == pytest.approx(2, rel=0.02), "sparse rates would give 4"
    if one.tf32_flops and one.fp16_flops:
        assert one.fp16_flops / one.tf32_flops == pytest.approx(2, rel=0.02)
    if one.measured_bf16_flops:
        assert 0.5 < one.measured_bf16_flops / one.bf16_flops < 1


def test_names_and_aliases():
    assert card("A100-80GB").name == "A100-80GB-SXM" and "SXM" in card("A100-80GB").notes.split(".")[0]
    assert card("a100 80gb pcie").bandwidth_bytes_per_second == 1935 * 10**9
    assert card("NVIDIA GeForce RTX 3090") == card("3090") == card("RTX 3090 24GB") == card("RTX-3090")
    assert card("NVIDIA H100 80GB HBM3").name == "H100-80GB-SXM"
    assert len({one.name for one in catalog()}) == len(catalog())
    for wanted in ("RTX-3060", "RTX-3090", "RTX-4090", "T4", "V100-16GB", "V100-32GB", "V100-16GB-PCIe", "A10", "H100",
                   "A100-40GB", "A100-40GB-PCIe", "H800", "A6000", "Ascend-910B", "L4", "L40S", "RTX-5090", "H200",
                   "B200", "MI300X", "M2-16GB", "M3-Max-64GB"):
        assert card(wanted).memory_bytes


def test_unknown_card_names_near_ones():
    typos = {"RTX 4900": "RTX-4090", "A100": "A100-40GB-PCIe", "H100-90GB": "H100-80GB-SXM", "": "T4"}
    for typo, near in typos.items():
        with pytest.raises(KitError) as error:
            card(typo)
        assert near in error.value.fix and "\n" not in str(error.value)
