"""Rows of token ids into batches of few distinct shapes: buckets by length, padding, packing; a repeatable plan.

The order of all rows is a pure function of (lengths, recipe): a resumed run computes it again instead of storing it.
"""

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import torch

from kit.errors import KitError
from kit.losses import IGNORED
from kit.recipe import Recipe
from kit.step import Batch

SLOTS = 64  # the number of loss positions is padded to multiples of this: few shapes for the head as well


class Row(Protocol):
    """What a batch needs of a row (`encode.EncodedRow` is one)."""

    @property
    def ids(self) -> list[int]: ...
    @property
    def trained(self) -> list[bool]: ...


class PackedRow(NamedTuple):
    """Several rows end to end; `starts` are the offsets at which position ids restart at 0."""

    ids: list[int]
    trained: list[bool]
    starts: tuple[int, ...]


def round_up(value: int, multiple: int) -> int:
    """The smallest multiple of `multiple` that is not below `value`."""
    return -(-value // multiple) * multiple


def epoch_plan(lengths: Sequence[int], recipe: Recipe, epoch: int) -> list[list[list[int]]]:
    """Row numbers of each update's micro-batches in one epoch: rows of like length together, the updates shuffled.

    An update's rows depend on batch_size * gradient_accumulation_steps only, so a run that halves its micro-batches
    after an out-of-memory error makes the same updates. In epoch 0 the longest comes first: what does not fit in
    memory fails at once, not after hours.
    """
    order = list(range(len(lengths)))
    dice = random.Random(f"{recipe.seed}/{epoch}")
    dice.shuffle(order)
    # From the longest rows down: an update with fewer rows than the others holds the shortest.
    order.sort(key=lambda i: -round_up(lengths[i], recipe.pad_to_multiple_of))
    whole = recipe.batch_size * recipe.gradient_accumulation_steps
    updates = [order[i : i + whole] for i in range(0, len(order), whole)]
    first, rest = (updates[:1], updates[1:]) if epoch == 0 else ([], updates)
    dice.shuffle(rest)
    return [_split(sorted(update, key=lambda i: -lengths[i]), recipe.batch_size) for update in first + rest]


def _split(rows: list[int], size: int) -> list[list[int]]:
    return [rows[i : i + size] for i in range(0, len(rows), size)]


def total_steps(row_count: int, recipe: Recipe) -> int:
    """Updates that a run of this recipe makes over `row_count` rows."""
    return recipe.max_steps or max(1, math.ceil(recipe.epochs * steps_an_epoch(row_count, recipe)))


def steps_an_epoch(row_count: int, recipe: Recipe) -> int:
    """Updates in one pass over `row_count` rows; the last may hold fewer rows, none is left out."""
    return math.ceil(row_count / (recipe.batch_size * recipe.gradient_accumulation_steps))


def schedule(lengths: Sequence[int], recipe: Recipe, first_step: int = 0) -> Iterator[list[list[int]]]:
    """The micro-batches (row numbers) of each update, from update `first_step` (0-based) to the end of the run."""
    an_epoch = steps_an_epoch(len(lengths), recipe)
    epoch = -1
    for number in range(first_step, total_steps(len(lengths), recipe)):
        if number // an_epoch != epoch:
            epoch = number // an_epoch
            plan = epoch_plan(lengths, recipe, epoch)
        yield plan[number % an_epoch]


def collate(rows: Sequence[Row | PackedRow], pad_id: int, multiple: int) -> Batch:
    """Pad rows on the right to one length and list the positions that carry loss.

    Position t predicts token t + 1, so a trained token at the very start of a row has no predictor and no loss.
    """
    length = round_up(max(len(row.ids) for row in rows), multiple)
    ids = torch.full((len(rows), length), pad_id, dtype=torch.long)
    positions: list[int] = []
    targets: list[int] = []
    for b, row in enumerate(rows):
        ids[b, : len(row.ids)] = torch.tensor(row.ids, dtype=torch.long)
        starts = set(row.starts) if isinstance(row, PackedRow) else {0}
        for t, trained in enumerate(row.trained):
            if trained and t not in starts:
                positions.append(b * length + t - 1)
                targets.append(row.ids[t])
    slots = round_up(max(len(targets), 1), SLOTS)
    padding = slots - len(targets)
    return Batch(
        input_ids=ids,
        positions=torch.tensor(positions + [0] * padding, dtype=torch.long),
        targets=torch.tensor(targets + [IGNORED] * padding, dtype=torch.long),
        position_ids=_position_ids(rows, length) if any(isinstance(row, PackedRow) for row in rows) else None,
        tokens=len(targets),
    )


def _position_ids(rows: Sequence[Row | PackedRow], length: int) -> torch.Tensor:
    """(B, length): restarts at 0 at each packed row and at the padding, which transformers reads as borders."""
    grid = torch.empty((len(rows), length), dtype=torch.long)
    for b, row in enumerate(rows):
        starts = row.starts if isinstance(row, PackedRow) else (0,)
        borders = [*starts, len(row.ids), length]
        for begin, end in itertools.pairwise(borders):
            grid[b, begin:end] = torch.arange(end - begin)
    return grid


def pack(rows: Sequence[Row], max_length: int) -> list[PackedRow]:
    """Lay rows end to end into sequences of at most `max_length` tokens: best fit, longest first.

    Ding et al. 2024, "Fewer Truncations Improve Language Modeling" (best-fit packing).
    """
    bins: list[list[Row]] = []
    room: list[int] = []
    for row in sorted(rows, key=lambda r: -len(r.ids)):
        fitting = [i for i, left in enumerate(room) if left >= len(row.ids)]
        if fitting:
            best = min(fitting, key=room.__getitem__)
            bins[best].append(row)
            room[best] -= len(row.ids)
        else:
            bins.append([row])
            room.append(max_length - len(row.ids))
    return [_joined(group) for group in bins]


def _joined(group: Sequence[Row]) -> PackedRow:
    starts: list[int] = []
    ids: list[int] = []
    trained: list[bool] = []
    for row in group:
        starts.append(len(ids))
        ids += row.ids
        trained += row.trained
    return PackedRow(ids, trained, tuple(starts))


def arrange(rows: Sequence[Row], recipe: Recipe) -> list[Row] | list[PackedRow]:
    """The rows as the recipe trains them: as they are, or packed.

    Raises:
        KitError: packing was asked for with an attention kernel that cannot keep packed rows apart.
    """
    if not recipe.packing:
        return list(rows)
    if recipe.attention == "flash" and recipe.batch_size > 1:
        raise KitError(
            "flash attention isolates packed rows only in batches of one",
            where="packing",
            fix="set batch_size=1 and a larger max_length",
        )
    return pack(rows, recipe.max_length)


def evaluation_batches(rows: Sequence[Row], recipe: Recipe, pad_id: int) -> Iterator[Batch]:
    """All rows once, longest first, in batches of the recipe's size."""
    order = sorted(rows, key=lambda row: -len(row.ids))
    for i in range(0, len(order), recipe.batch_size):
        yield collate(order[i : i + recipe.batch_size], pad_id, recipe.pad_to_multiple_of)
