"""A run that is stopped, killed or evaluated in the middle gives the losses and weights of one that is left alone."""

import random
import time

import pytest
from run_helpers import (
    STOP,
    WAIT,
    after_update,
    check_tidy,
    error_of,
    killed_within,
    losses,
    parts_with_longest_row,
    result,
    steps,
    until,
)

from kit import adapters, batches, console, files, models, rundir, runs, step
from kit.recipe import Recipe


@pytest.mark.parametrize("fields", [
    {"lora_dropout": 0.1, "gradient_accumulation_steps": 2, "batch_size": 2, "epochs": 2, "weight_decay": 0.1},
    {"method": "lora", "precision": "fp32", "lora_dropout": 0.3, "lr_scheduler": "linear", "epochs": 2},
    {"method": "full", "precision": "fp32", "learning_rate": 1e-3, "epochs": 2, "save_every": 3},
    {"method": "lora", "use_dora": True, "packing": True, "lora_dropout": 0.1, "batch_size": 1, "epochs": 2},
], ids=["nf4-dropout-accumulation", "fp32-dropout", "full", "packed-dora"])  # fmt: skip
def test_a_resumed_run_is_the_uninterrupted_one(children, nano, tmp_path, fields):
    """Stop by file; then the same losses to the last digit, and the same bytes."""
    straight = runs.start(nano(**fields), tmp_path / "straight")
    children.before = after_update(2, STOP)
    run = runs.start(nano(**fields), tmp_path / "stopped")
    assert run.wait(WAIT) == "stopped"
    assert run.summary()["steps"] == 2 < run.summary()["total_steps"]
    assert result(run), "what was learnt so far is there"
    high = {**run.memory()[-1], "rss_bytes": 2**50}
    rundir.append_line(run.folder / rundir.MEMORY, high)
    children.before = ""
    assert runs.resume(run.folder).wait(WAIT) == "finished"
    assert straight.wait(WAIT) == "finished"
    assert losses(run) == losses(straight)
    assert result(run) == result(straight)
    assert run.summary()["peak_rss_bytes"] == 2**50, "the peak of both processes, not of the last"
    assert run.summary()["predicted_parts"] == parts_with_longest_row(run)
    names = ("first_loss", "last_loss", "samples", "tokens", "steps", "peak_bytes_measured")
    assert [run.summary()[name] for name in names] == [straight.summary()[name] for name in names]
    check_tidy(run.folder)


def test_killed_at_random_moments_a_run_goes_on_exactly(children, nano, tmp_path):
    recipe = nano(lora_dropout=0.1, epochs=4, save_every=2)
    straight = runs.start(recipe, tmp_path / "straight")
    dice, run = random.Random(), None
    for moment in (1, 8, 17):  # before the first checkpoint, too
        children.before = after_update(moment, killed_within(dice.random() * 0.1))
        run = runs.resume(run.folder) if run else runs.start(recipe, tmp_path / "killed")
        assert run.wait(WAIT) == "died"
        assert "killed in phase" in console.cause_of_death(run)
    children.before = ""
    assert runs.resume(run.folder).wait(WAIT) == "finished"
    assert straight.wait(WAIT) == "finished"
    assert losses(run) == losses(straight) and result(run) == result(straight)
    check_tidy(run.folder)
    assert len(list((run.folder / "checkpoints").iterdir())) == recipe.keep_checkpoints


def test_evaluating_and_saving_in_the_middle_change_nothing(children, nano, tmp_path):
    for fields in ({"lora_dropout": 0.1}, {"method": "lora", "precision": "fp32", "lora_dropout": 0.1}):
        often = {"eval_rows": 3, "eval_every": 1, "save_every": 1, "keep_checkpoints": 1}
        plain = runs.start(nano(**fields, save_every=0), tmp_path / f"plain-{len(fields)}")
        busy = runs.start(nano(**fields, **often), tmp_path / f"busy-{len(fields)}")
        assert plain.wait(WAIT) == busy.wait(WAIT) == "finished"
        assert all(line["eval_loss"] > 0 for line in busy.metrics())
        assert losses(plain) == losses(busy) and result(plain) == result(busy)


def gradients_around_an_evaluation(recipe, encoded):
    """Stored weights and gradients of a training step before and after an evaluation."""
    import torch

    model = adapters.add_adapter(models.load_model(recipe), recipe).train()
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.02)
    batch = batches.collate(encoded[:4], 0, 32)

    def look():
        model.zero_grad()
        model(input_ids=batch.input_ids, positions=batch.positions, targets=batch.targets).backward()
        held = {name: p.detach().clone() for name, p in model.named_parameters()}
        return held | {f"{name}.grad": p.grad.clone() for name, p in model.named_parameters() if p.requires_grad}

    before = look()
    step.evaluation_loss(model, [batch])
    after = look()
    return {name for name in before if not torch.equal(before[name], after[name])}


def test_an_evaluation_leaves_nf4_weights_and_gradients_bit_equal(nano_recipe, ticket_rows, monkeypatch):
    """The guard is needed: without it bitsandbytes repacks the weights of a CPU with AVX512-BF16."""
    recipe = nano_recipe(method="qlora", quantization="nf4", precision="bf16")
    assert gradients_around_an_evaluation(recipe, ticket_rows) == set()
    from bitsandbytes.nn import Linear4bit

    if not Linear4bit(8, 8).support_avx512bf16_for_cpu:
        pytest.skip("this CPU has no AVX512-BF16: bitsandbytes repacks nothing here")
    monkeypatch.setattr(models, "keep_4bit_layers_unpacked", lambda model: None)
    changed = gradients_around_an_evaluation(recipe, ticket_rows)
    assert any(name.endswith(".grad") for name in changed), "the guard can go: bitsandbytes no longer needs it"


def test_a_broken_checkpoint_is_named(children, nano, tmp_path):
    run = runs.start(nano(save_every=2), tmp_path / "run")
    assert run.wait(WAIT) == "finished"
    newest = run.folder / "checkpoints" / "step-0000006"
    (newest / "optimizer.safetensors").write_bytes(b"not this")
    (run.folder / rundir.SUMMARY).unlink()
    while run.status != "died":  # the process ends a moment after its summary
        time.sleep(0.02)
    error = error_of(runs.resume(run.folder))
    assert "this checkpoint cannot be read" in error and "delete this folder" in error
    files.remove(newest)
    assert runs.resume(run.folder).wait(WAIT) == "finished"
    assert len(run.metrics()) == 6


@pytest.mark.real
@pytest.mark.timeout(3600)
def test_ten_kills_of_the_bundled_model(tmp_path):
    """SmolLM2-135M in nf4 with dropout, killed ten times at random moments: the same losses and the same adapter.

    Each life makes two to four updates before it is killed, somewhere in an update, a save or an append.
    """
    recipe = Recipe(model="smollm2-135m", device="cpu", batch_size=2, max_steps=48, save_every=2, eval_rows=0,
                    lora_dropout=0.05, max_length=512)  # fmt: skip
    straight = runs.start(recipe, tmp_path / "straight")
    assert straight.wait(1800) == "finished", straight.log_tail()
    update_seconds = straight.metrics()[-1]["seconds"] / recipe.max_steps
    run = runs.start(recipe, tmp_path / "killed")
    dice = random.Random(0)
    for _ in range(10):
        done = steps(run)
        until(run, lambda done=done: steps(run) >= done + 2, 600)
        time.sleep(dice.random() * 2 * update_seconds)
        run.kill()
        assert run.wait(WAIT) == "died", run.log_tail()
        runs.resume(run.folder)
    assert run.wait(1800) == "finished", run.log_tail()
    assert losses(run) == losses(straight) and result(run) == result(straight)
    check_tidy(run.folder)
