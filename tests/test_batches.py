"""The plan of a run: every row once an epoch, the longest first, the same updates however they are cut, few shapes."""

from collections import Counter
from itertools import chain, islice

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kit import batches
from kit.encode import EncodedRow
from kit.errors import KitError
from kit.losses import IGNORED
from kit.recipe import Recipe

LENGTHS = st.lists(st.integers(1, 400), min_size=1, max_size=80)
QUICK = settings(max_examples=60, deadline=None)


def recipe(**fields):
    return Recipe(**{"model": "nano", "device": "cpu", "method": "lora", **fields})


def flat(plan):
    return [row for micro in plan for part in micro for row in part]


def row(ids, trained=None):
    return EncodedRow(list(ids), list(trained) if trained is not None else [True] * len(ids), "here:1")


@QUICK
@given(LENGTHS, st.integers(1, 9), st.integers(1, 4), st.integers(0, 3))
def test_every_row_once_an_epoch(lengths, size, accumulation, epoch):
    """No row is dropped with the last, smaller batch, and none comes twice."""
    chosen = recipe(batch_size=size, gradient_accumulation_steps=accumulation)
    plan = batches.epoch_plan(lengths, chosen, epoch)
    assert sorted(flat(plan)) == list(range(len(lengths)))
    assert len(plan) == batches.steps_an_epoch(len(lengths), chosen)
    assert all(len(part) <= size for micro in plan for part in micro)
    assert all(len(micro) <= accumulation for micro in plan)


@QUICK
@given(LENGTHS, st.integers(1, 9), st.integers(1, 4))
@example([100] * 8 + [500], 4, 2)
@example([33] * 8 + [64] * 7, 8, 1)
def test_the_largest_batch_comes_first(lengths, size, accumulation):
    """What does not fit in memory fails in the first update, not after hours: its first batch is the largest of all."""
    chosen = recipe(batch_size=size, gradient_accumulation_steps=accumulation)
    plan = batches.epoch_plan(lengths, chosen, 0)

    def padded(part):
        return len(part) * batches.round_up(max(lengths[i] for i in part), chosen.pad_to_multiple_of)

    assert padded(plan[0][0]) == max(padded(part) for micro in plan for part in micro)


@QUICK
@given(LENGTHS, st.sampled_from([(8, [8, 4, 2, 1]), (6, [6, 3, 2, 1]), (5, [5, 1])]), st.integers(0, 2))
def test_any_cut_into_micro_batches_makes_the_same_updates(lengths, split, epoch):
    """After an out-of-memory error a run halves its batch: the rows of each update, and their order, must stay."""
    whole, sizes = split
    plans = [
        batches.epoch_plan(lengths, recipe(batch_size=size, gradient_accumulation_steps=whole // size), epoch)
        for size in sizes
    ]
    updates = [[flat([micro]) for micro in plan] for plan in plans]
    assert all(other == updates[0] for other in updates)


@QUICK
@given(LENGTHS, st.integers(1, 9), st.data())
def test_a_resumed_run_takes_the_rest_of_the_plan(lengths, size, data):
    """The order is computed again, not stored: from any update on it is the tail of the whole, over three epochs."""
    chosen = recipe(batch_size=size, epochs=3)
    whole = list(batches.schedule(lengths, chosen))
    first = data.draw(st.integers(0, len(whole)))
    assert list(batches.schedule(lengths, chosen, first)) == whole[first:]
    assert Counter(flat(whole)) == Counter(3 * list(range(len(lengths))))


def test_order_follows_seed_and_epoch():
    lengths = [10 + i % 50 for i in range(64)]
    plan = batches.epoch_plan(lengths, recipe(), 0)
    assert plan == batches.epoch_plan(lengths, recipe(), 0)
    assert plan != batches.epoch_plan(lengths, recipe(seed=1), 0)
    assert batches.epoch_plan(lengths, recipe(), 1) != batches.epoch_plan(lengths, recipe(), 2)


@pytest.mark.parametrize(
    ("fields", "steps"),
    [({}, 13), ({"epochs": 2}, 26), ({"epochs": 0.5}, 7), ({"epochs": 0.001}, 1), ({"max_steps": 40}, 40),
     ({"gradient_accumulation_steps": 4}, 4), ({"batch_size": 512}, 1)],
)  # fmt: skip
def test_number_of_updates(fields, steps):
    lengths = [20] * 100
    assert batches.total_steps(100, recipe(**fields)) == steps
    assert len(list(batches.schedule(lengths, recipe(**fields)))) == steps


def test_few_distinct_shapes(ticket_rows):
    """A CPU compiles its kernels anew for each shape: real rows give a handful of them, not one a batch."""
    chosen = recipe(batch_size=4, max_length=1024)
    lengths = [len(r.ids) for r in ticket_rows]
    made = [
        batches.collate([ticket_rows[i] for i in part], 0, chosen.pad_to_multiple_of)
        for micro in batches.schedule(lengths, chosen)
        for part in micro
    ]
    widths = {batch.input_ids.shape[1] for batch in made}
    assert len(widths) <= (max(lengths) - min(lengths)) // chosen.pad_to_multiple_of + 2
    assert len({len(batch.targets) for batch in made}) <= 4
    padded = sum(batch.input_ids.numel() for batch in made)
    assert padded < 1.3 * sum(lengths)  # rows of like length lie together
    naive = sum(4 * max(lengths[i : i + 4]) for i in range(0, len(lengths), 4))
    assert padded < naive


ROWS = st.lists(st.lists(st.tuples(st.integers(1, 99), st.booleans()), min_size=1, max_size=40), min_size=1, max_size=6)


def expected_targets(rows):
    """(row, position, target) of each trained token that has a token before it."""
    return Counter(
        (b, t - 1, ids[t]) for b, (ids, trained) in enumerate(rows) for t in range(1, len(ids)) if trained[t]
    )


@QUICK
@given(ROWS, st.sampled_from([1, 8, 32]))
def test_collate_trains_each_marked_token_once(spelt, multiple):
    rows = [tuple(zip(*tokens, strict=True)) for tokens in spelt]
    batch = batches.collate([row(*one) for one in rows], 0, multiple)
    width = batch.input_ids.shape[1]
    assert width % multiple == 0 and width - max(len(ids) for ids, _ in rows) < multiple
    kept = batch.targets != IGNORED
    assert int(kept.sum()) == batch.tokens and len(batch.targets) % batches.SLOTS == 0
    pairs = zip(batch.positions[kept].tolist(), batch.targets[kept].tolist(), strict=True)
    assert Counter((at // width, at % width, target) for at, target in pairs) == expected_targets(rows)
    for (ids, _), line in zip(rows, batch.input_ids, strict=True):
        assert line.tolist() == [*ids, *[0] * (width - len(ids))]
    assert batch.position_ids is None


@QUICK
@given(st.lists(st.integers(2, 64), min_size=1, max_size=40), st.integers(64, 128))
def test_packing_keeps_every_row_whole_and_apart(lengths, longest):
    rows = [row(range(100 * i, 100 * i + size)) for i, size in enumerate(lengths)]
    packed = batches.pack(rows, longest)
    assert all(len(one.ids) <= longest for one in packed)
    pieces = chain.from_iterable(
        (one.ids[begin:end] for begin, end in zip(one.starts, [*one.starts[1:], len(one.ids)], strict=True))
        for one in packed
    )
    assert sorted(pieces) == sorted(r.ids for r in rows)
    batch = batches.collate(packed, 0, 8)
    assert batch.tokens == sum(size - 1 for size in lengths)  # the first token of a row has no predecessor
    for line, one in enumerate(packed):
        borders = batch.position_ids[line, : len(one.ids)].eq(0).nonzero().flatten().tolist()
        assert borders == list(one.starts)
    if sum(lengths) <= longest:
        assert len(packed) == 1


def test_rows_are_packed_only_if_asked_and_where_isolated():
    rows = [row(range(20)) for _ in range(8)]
    assert batches.arrange(rows, recipe()) == rows
    assert len(batches.arrange(rows, recipe(packing=True, max_length=80))) == 2
    with pytest.raises(KitError, match="batches of one"):
        batches.arrange(rows, recipe(packing=True, attention="flash"))


def test_evaluation_takes_every_row_once_the_longest_first():
    rows = [row(range(3 + i % 50)) for i in range(21)]
    made = list(batches.evaluation_batches(rows, recipe(batch_size=4), 0))
    widths = [batch.input_ids.shape[1] for batch in made]
    assert widths == sorted(widths, reverse=True)
    assert sum(len(batch.input_ids) for batch in made) == 21
    assert sum(batch.tokens for batch in made) == sum(len(r.ids) - 1 for r in rows)


def test_a_long_run_is_planned_lazily():
    """A million updates are not laid out before the first begins."""
    plan = batches.schedule([10] * 64, recipe(max_steps=1_000_000))
    assert len(list(islice(plan, 10))) == 10
