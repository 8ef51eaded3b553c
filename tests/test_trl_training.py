"""TRL's own training loop against the kit's step, optimizer and schedule on the same batches: 50 updates end alike."""

import contextlib

import pytest
from torch import nn
from trl_side import SMOLLM2, kit_model, tickets, trl_trainer

from kit import batches, loop, models, step

# TRL 1.16 still says gradient_checkpointing to transformers 5.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")

UPDATES = 50


def trl_losses(recipe, pairs, order, like, folder):
    """The loss of each update of `SFTTrainer.train()` over the rows in this order, from the weights of `like`."""
    trainer = trl_trainer(
        recipe,
        [pairs[i][0] for i in order],
        like,
        folder,
        max_steps=recipe.max_steps,
        train_sampling_strategy="sequential",
        learning_rate=recipe.learning_rate,
        lr_scheduler_type=recipe.lr_scheduler,
        warmup_steps=0,
        weight_decay=0.0,
        max_grad_norm=recipe.max_grad_norm,
        optim="adamw_torch",
        logging_steps=1,
    )
    assert trainer.train_dataset["input_ids"][:] == [pairs[i][1].ids for i in order]
    with contextlib.redirect_stdout(None):
        trainer.train()
    return [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]


def kit_losses(recipe, pairs, plan, model):
    """The loss of each update of the kit's step, optimizer and schedule over the same rows."""
    parameters = models.trainable(model)
    optimizer = loop.make_optimizer(recipe, parameters)

    def update(_norm):
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    found = []
    for number, micro in enumerate(plan):
        for group in optimizer.param_groups:
            group["lr"] = loop.learning_rate(number, len(plan), recipe)
        parts = [batches.collate([pairs[i][1] for i in part], 0, recipe.pad_to_multiple_of) for part in micro]
        result = step.train_step(
            model,
            parts,
            backward=lambda loss: loss.backward(),
            update=update,
            clip=lambda: nn.utils.clip_grad_norm_(parameters, recipe.max_grad_norm),
        )
        found.append(float(result.loss))
    return found


def fifty_updates(recipe, pairs, folder):
    plan = list(batches.schedule([len(row.ids) for _, row in pairs], recipe))
    assert len(plan) == UPDATES and all(len(micro) == 1 and len(micro[0]) == recipe.batch_size for micro in plan)
    ours = kit_model(recipe)
    theirs = trl_losses(recipe, pairs, [i for micro in plan for i in micro[0]], ours, folder)
    found = kit_losses(recipe, pairs, plan, ours)
    assert len(theirs) == UPDATES
    return found, theirs


def assert_ends_alike(found, theirs):
    """Within 1 % at the last update, and at every update on the way, while the loss falls."""
    gap = max(abs(a / b - 1) for a, b in zip(found, theirs, strict=True))
    print(f"first {found[0]:.6f} and {theirs[0]:.6f}, last {found[-1]:.6f} and {theirs[-1]:.6f}, largest gap {gap:.1e}")
    assert theirs[-1] < 0.9 * theirs[0]
    assert found == pytest.approx(theirs, rel=0.01)


def test_fifty_updates_end_at_trls_loss(nano_recipe, tmp_path):
    """TRL's own loop with a fixed order of rows against the kit's step on the same batches, from the same weights."""
    recipe = nano_recipe(
        lora_rank=8, batch_size=4, max_steps=UPDATES, learning_rate=5e-3, lr_scheduler="linear", warmup_ratio=0.0
    )
    found, theirs = fifty_updates(recipe, tickets(recipe, 64), tmp_path)
    assert_ends_alike(found, theirs)


@pytest.mark.real
def test_fifty_updates_end_at_trls_loss_on_the_bundled_model(nano_recipe, tmp_path):
    recipe = nano_recipe(
        **SMOLLM2, batch_size=2, max_steps=UPDATES, learning_rate=5e-4, lr_scheduler="linear", warmup_ratio=0.0
    )
    found, theirs = fifty_updates(recipe, tickets(recipe, 100, shortest_of=400), tmp_path)
    assert_ends_alike(found, theirs)
