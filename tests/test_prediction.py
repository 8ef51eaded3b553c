"""The predicted peak against the measured one, on the bundled model: the real run is the oracle."""

import pytest

from kit import runs
from kit.recipe import load

PLAIN = {"max_steps": 1, "eval_rows": 0, "device": "cpu"}  # the first update has the longest rows
LORA = {"method": "lora", "lora_init": "default"}
FULL = {"method": "full", "lora_init": "default", "learning_rate": 1e-5}
VARIANTS = {
    "preset": {},
    "checkpointing": {"gradient_checkpointing": True},
    "lora": LORA,
    "lora, fp32": {**LORA, "precision": "fp32"},
    "lora, fp32, eager": {**LORA, "precision": "fp32", "attention": "eager"},
    "eager": {"attention": "eager"},
    "short rows, large batch": {"max_length": 300, "max_lost_rows": 1, "batch_size": 16},
    "small batch": {"batch_size": 2},
    "dora": {"use_dora": True, "lora_init": "default"},
    "full": FULL,
    "full, fp32": {**FULL, "precision": "fp32"},
}


@pytest.mark.real
@pytest.mark.timeout(900)
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_predicted_peak_is_near_the_measured_one(tmp_path, record_property, variant):
    """Within 15 %. The arithmetic knows the longest row; answers are short, so slices of logits are all it can see."""
    run = runs.start(load("smollm2-qlora", PLAIN | VARIANTS[variant]), tmp_path / "run")
    assert run.wait(600) == "finished", run.log_tail()
    predicted, measured = (run.summary()[f"peak_bytes_{how}"] for how in ("predicted", "measured"))
    record_property("GiB", f"predicted {predicted / 2**30:.2f}, measured {measured / 2**30:.2f}")
    record_property("gap", f"{measured / predicted - 1:+.0%}")
    assert measured == pytest.approx(predicted, rel=0.15)
