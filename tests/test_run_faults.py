"""Out of memory, out of disk, no longer learning: each run ends with one line that helps, and goes on where it can."""

import subprocess
import sys

import pytest
from run_helpers import WAIT, after_update, check_tidy, error_of, losses, parts_with_longest_row, result, until

from kit import console, rundir, runs


def test_out_of_memory_is_explained(children, nano, tmp_path):
    run = runs.start(nano(memory_limit_gib=0.01), tmp_path / "run")
    error = error_of(run)
    assert "\n" not in error
    for part in ("out of memory in phase 'train', update 1", "under a limit of 0.01 GiB", "largest term: activations",
                 "try --set batch_size=2 --set gradient_accumulation_steps=2", "--set on_oom=retry"):  # fmt: skip
        assert part in error, error
    report = run.summary()["out_of_memory"]
    assert report["phase"] == "train" and report["parts"]["activations"] > 0
    assert all(change["saves_bytes"] > 0 and change["settings"] for change in report["changes"])
    assert report["parts"] == parts_with_longest_row(run), "as predicted for the run, not for rows of max_length"
    assert "saves" in run.log_tail(20)


RETRY_HERE = """
import os, sys
from pathlib import Path
locks = []
class Lock(train.FileLock):
    def __init__(self, *rest, **more):
        super().__init__(*rest, **more)
        locks.append(self)
def again(program, arguments):
    locks[-1].release(force=True)  # an exec closes it
    sys.stdout.flush()
    os._exit(train.main(Path(arguments[-1])))
train.FileLock, os.execv = Lock, again
"""

def check_retry(run, cheap):
    """The ladder ended at a recipe with the same effective batch, and its losses are those of that recipe."""
    assert run.wait(WAIT) == "finished", run.log_tail()
    recipe = run.recipe
    assert recipe.batch_size * recipe.gradient_accumulation_steps == 8 and recipe.batch_size < 8
    assert "out of memory with batch_size=" in recipe.reasons["batch_size"]
    free = runs.start(recipe.model_copy(update={"memory_limit_gib": 0.0}), cheap)
    assert free.wait(WAIT) == "finished"
    assert losses(run) == losses(free) and result(run) == result(free)
    assert run.summary()["peak_bytes_measured"] <= recipe.memory_limit_gib * 2**30


def too_large(nano, folder):
    """A recipe of 8 rows at once under a limit that only some 2 rows keep to."""
    free = runs.start(nano(batch_size=8), folder)
    assert free.wait(WAIT) == "finished"
    limit = 0.4 * free.summary()["peak_bytes_measured"] / 2**30
    return nano(batch_size=8, on_oom="retry", memory_limit_gib=limit)


def test_out_of_memory_climbs_the_ladder(children, nano, tmp_path):
    recipe = too_large(nano, tmp_path / "free")
    children.before = RETRY_HERE
    run = runs.start(recipe, tmp_path / "run")
    check_retry(run, tmp_path / "cheap")
    assert run.log_tail(200).count("retrying with") >= 2


def test_a_run_that_no_longer_learns_is_stopped(children, nano, tmp_path):
    """A weight is not a number; with held-out rows the preflight sees it, without them the third update does."""
    children.before = (
        "load = train.models.load_model\n"
        "def poisoned(recipe):\n"
        "    model = load(recipe)\n"
        "    model.model.norm.weight.data[0] = float('nan')\n"
        "    return model\n"
        "train.models.load_model, train.models.check_head = poisoned, lambda *_: None\n"
    )
    fields = {"method": "lora", "precision": "fp32"}
    blind = runs.start(nano(**fields), tmp_path / "blind")
    seen = runs.start(nano(**fields, eval_rows=2), tmp_path / "seen")
    assert "update 3: 3 of 3 updates had no usable gradient" in error_of(blind)
    assert "-> lower learning_rate" in error_of(blind)
    assert "the loss before training is nan" in error_of(seen)
    assert [line["loss"] for line in blind.metrics()] == [None, None, None]
    check_tidy(blind.folder)
    check_tidy(seen.folder)


def test_an_absurd_learning_rate_is_named(children, nano, tmp_path):
    """The loss grows twentyfold and stays a number: the run ends, and its report says what happened."""
    wild = nano(method="full", precision="fp32", learning_rate=1.0, warmup_ratio=0.0, max_grad_norm=0.0)
    run = runs.start(wild, tmp_path / "wild")
    assert run.wait(WAIT) == "finished"
    assert run.summary()["last_loss"] > 2 * run.summary()["first_loss"]
    assert "it rose; lower learning_rate" in console.report(run)


def test_the_first_update_is_the_longest(children, nano, tmp_path):
    """What does not fit in memory fails at once, not after hours."""
    run = runs.start(nano(), tmp_path / "run")
    assert run.wait(WAIT) == "finished"
    seconds = [0.0, *(line["seconds"] for line in run.metrics())]
    tokens = [
        round(line["tokens_per_second"] * (now - before))
        for line, before, now in zip(run.metrics(), seconds, seconds[1:], strict=False)
    ]
    assert tokens[0] == max(tokens) > min(tokens)


def test_a_disk_too_small_for_the_checkpoints_is_refused(children, nano, tmp_path):
    children.before = "import kit.hardware; kit.hardware.disk_free_bytes = lambda path: 2**20"
    error = error_of(runs.start(nano(), tmp_path / "run"))
    assert "checkpoints need" in error and "0.00 are free -> make room" in error


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 16 MiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(disk)]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk needs the right to mount one")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=False)


FILL = """
        filler = open(path.parent.parent / "filler", "wb", buffering=0)
        try:
            while filler.write(b" " * 4096):
                pass
        except OSError:
            pass
"""


def test_a_disk_that_fills_up_stops_the_run_and_room_lets_it_go_on(small_disk, children, nano, tmp_path):
    recipe = nano(lora_dropout=0.1, epochs=2, save_every=2)
    straight = runs.start(recipe, tmp_path / "straight")
    children.before = after_update(3, FILL.strip())
    run = runs.start(recipe, small_disk / "run")
    status = run.wait(WAIT)
    told = run.summary()["error"] if status == "failed" else console.cause_of_death(run)
    assert "No space left on device" in told or "the disk is full" in told
    assert "make room" in told
    (small_disk / "filler").unlink()
    children.before = ""
    assert runs.resume(run.folder).wait(WAIT) == straight.wait(WAIT) == "finished"
    assert losses(run) == losses(straight) and result(run) == result(straight)
    check_tidy(run.folder)


@pytest.mark.real
def test_a_retry_is_a_new_program_with_the_same_number(nano, tmp_path):
    """The real exec: memory is given back, the lock passes on, and followers see one run."""
    run = runs.start(too_large(nano, tmp_path / "free"), tmp_path / "run")
    until(run, lambda: run.status == "running")
    number = rundir.read_json(run.folder / rundir.STATUS)["pid"]
    check_retry(run, tmp_path / "cheap")
    assert rundir.read_json(run.folder / rundir.STATUS)["pid"] == number
