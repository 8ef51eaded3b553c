"""Memory by arithmetic: ways to need less, which of them may be taken without asking, and the row they reckon with."""

import itertools

import pytest

from kit import attention, estimate, files, rundir, train
from kit.recipe import Recipe

SHAPE = estimate.Shape(2, 128, 4, 2, 32, 1024, ((128, 256), (256, 128)), 131_200)
HARMLESS = {"batch_size", "gradient_accumulation_steps", "gradient_checkpointing", "loss_kernel"}
RECIPES = [
    Recipe(device=device, method=method, batch_size=size, gradient_checkpointing=recompute, loss_kernel=kernel,
           optimizer=optimizer, precision="bf16", attention="sdpa")
    for device, method, size, recompute, kernel, optimizer in itertools.product(
        ("cpu", "cuda"), ("lora", "qlora"), (1, 6), (False, True), ("full", "fused"), ("adamw", "adamw_8bit"))
]  # fmt: skip


def test_only_changes_that_train_the_same_are_marked_so():
    """The retry once went from LoRA to QLoRA and to an 8-bit optimizer by itself: another model than asked for."""
    advised = set()
    for recipe in RECIPES:
        changes = estimate.cheaper(recipe, SHAPE)
        assert all(change.same_training == (change.settings.keys() <= HARMLESS) for change in changes)
        assert [c.same_training for c in changes] == sorted((c.same_training for c in changes), reverse=True)
        for change in changes:
            cheaper = recipe.model_copy(update=change.settings)
            whole = [one.batch_size * one.gradient_accumulation_steps for one in (recipe, cheaper)]
            assert whole[0] == whole[1]
            advised |= change.settings.keys()
    assert {"method", "optimizer"} <= advised, "people are still told of them"


@pytest.fixture
def left_alone(monkeypatch):
    """What a retry would execute, noted instead."""
    executed = []
    monkeypatch.setattr(train.os, "execv", lambda *command: executed.append(command))
    return executed


def out_of_memory(folder, recipe):
    files.write_json(folder / rundir.RECIPE, recipe.model_dump())
    return train._out_of_memory(folder, recipe, "full")


def test_a_retry_takes_no_rung_that_trains_something_else(tmp_path, nano_recipe, left_alone, capsys):
    last = {"batch_size": 1, "gradient_checkpointing": True, "loss_kernel": "fused", "on_oom": "retry"}
    summary = out_of_memory(tmp_path, nano_recipe(**last))
    assert left_alone == [] and rundir.read_recipe(tmp_path).method == "lora"
    assert "try --set method=qlora --set quantization=nf4 (changes what is trained" in summary["error"]
    assert "on_oom" not in summary["error"]
    summary = out_of_memory(tmp_path, nano_recipe(**{**last, "on_oom": "stop"}))
    assert "on_oom" not in summary["error"], "a retry would have nothing to try"
    out_of_memory(tmp_path, nano_recipe(**{**last, "batch_size": 2}))
    assert len(left_alone) == 1 and rundir.read_recipe(tmp_path).batch_size == 1
    assert "retrying with" in capsys.readouterr().out


def test_the_report_reckons_with_the_row_that_the_prediction_used(tmp_path, nano_recipe, left_alone):
    recipe, shape = nano_recipe(), estimate.shape_of(train.models.local_path("nano"))
    unread = out_of_memory(tmp_path, recipe)["out_of_memory"]
    assert unread["parts"] == estimate.estimate(recipe, shape).parts, "max_length, as long as no row is known"
    files.write_json(tmp_path / rundir.DATA_REPORT, {"train": {"longest_row": 100}})
    known = out_of_memory(tmp_path, recipe)["out_of_memory"]
    assert known["parts"] == estimate.estimate(recipe, shape, 100).parts != unread["parts"]
    assert [change["saves_bytes"] for change in known["changes"]] == [
        change.saves_bytes for change in estimate.cheaper(recipe, shape, 100)
    ]


def test_a_model_whose_layers_are_conv1d_is_counted_whole(tmp_path):
    """GPT-2 has linear layers of another class: they once counted as none, and max() of none ended in a traceback."""
    from transformers import AutoConfig, AutoModelForCausalLM

    config = AutoConfig.for_model("gpt2", n_embd=64, n_layer=2, n_head=4, vocab_size=128)
    config.save_pretrained(tmp_path)
    shape = estimate.shape_of(tmp_path)
    assert shape.linears == ((64, 192), (64, 64), (64, 256), (256, 64)) * 2
    inner = sum(i * o for i, o in shape.linears)
    whole = sum(p.numel() for p in AutoModelForCausalLM.from_config(config).parameters())
    assert inner + shape.other_parameters == whole
    recipe = Recipe(method="full", precision="fp32", attention="sdpa", loss_kernel="full", device="cpu", max_length=64)
    assert estimate.estimate(recipe, shape).parts["weights"] == 4 * whole


@pytest.mark.parametrize("length", [1, attention.SHORT, attention.SHORT + 1])
def test_the_estimate_knows_which_rows_are_short(nano_recipe, length):
    """estimate.py holds attention.SHORT as a number of its own, since it must not import torch."""
    assert estimate._short(nano_recipe(), length) is (length <= attention.SHORT)
