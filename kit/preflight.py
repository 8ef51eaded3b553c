"""What fails late elsewhere, tried before the first update: the disk, an evaluation, a save."""

import math
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from torch import nn

from kit import batches, checkpoint, files, hardware, memory, models, step
from kit.errors import KitError
from kit.recipe import Recipe

STATE_SHARE = 3  # a checkpoint holds each trained weight and AdamW's two states of it


def try_what_fails_late(
    folder: Path, recipe: Recipe, model: nn.Module, held_out: Sequence[batches.Row], pad_id: int
) -> None:
    """Room for the checkpoints, one evaluation batch (the longest), one save. None of it changes the run.

    Raises:
        KitError: the disk is too small, or the loss before training is not a number.
    """
    a_checkpoint = memory.nbytes(models.trainable(model)) * STATE_SHARE
    needed, free = a_checkpoint * (recipe.keep_checkpoints + 2), hardware.disk_free_bytes(folder)
    if needed > free:
        what = f"checkpoints need {needed / 2**30:.2f} GiB, {free / 2**30:.2f} are free"
        raise KitError(what, where=str(folder), fix="make room, or set keep_checkpoints=1")
    if held_out:
        loss = held_out_loss(model, held_out, recipe, pad_id, at_most=1)
        if not math.isfinite(loss):
            fix = "set precision=fp32 to see whether the type overflows"
            raise KitError(f"the loss before training is {loss}", where="evaluation", fix=fix)
    trial = folder / f".trial{files.UNFINISHED}"
    files.write_whole(trial, lambda path: checkpoint.write_trial(path, model), folder=True)
    files.remove(trial)


def held_out_loss(
    model: nn.Module, held_out: Sequence[batches.Row], recipe: Recipe, pad_id: int, at_most: int | None = None
) -> float:
    """Mean loss over the held-out rows (or the first `at_most` batches, the longest first)."""
    chosen = islice(batches.evaluation_batches(held_out, recipe, pad_id), at_most)
    return float(step.evaluation_loss(model, (batch.to(recipe.device) for batch in chosen)))
