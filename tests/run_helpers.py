"""What the tests of runs share: a recipe of six short updates, ways to look at a run and to wait for it."""

import json
import time

import pytest
from children import write_rows

from kit import estimate, files, models, rundir, runs
from kit.recipe import Recipe

WAIT = 240  # seconds; far more than needed, for machines that do other work too


@pytest.fixture(scope="session")
def rows(tmp_path_factory):
    """24 rows: six updates of four."""
    return write_rows(tmp_path_factory.mktemp("rows") / "rows.jsonl")


@pytest.fixture
def nano(rows):
    def make(**fields):
        plain = {"model": "nano", "train_data": str(rows), "eval_data": str(rows), "eval_rows": 0, "max_length": 1024}
        return Recipe(**{**plain, "batch_size": 4, "device": "cpu", **fields})

    return make


def losses(run):
    return [(line["step"], line["loss"], line["grad_norm"]) for line in run.metrics()]


def result(run):
    """The bytes of what was trained."""
    name = "model/model.safetensors" if run.recipe.method == "full" else "adapter/adapter_model.safetensors"
    return (run.folder / name).read_bytes()


def until(run, what, seconds=WAIT):
    """Poll until `what()` is true while the run goes on."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end and run.status not in runs.ENDED, (run.status, run.log_tail())
        time.sleep(0.01)


def steps(run):
    return (rundir.last_line(run.folder / rundir.METRICS) or {"step": 0})["step"]


def after_update(number, action):
    """Code for a child: do `action` once update `number` is written, whatever the machine's load."""
    return f"""
import os, signal, threading, time
from kit import rundir
append = rundir.append_line
def append_line(path, value):
    append(path, value)
    if value.get("step") == {number}:
        {action}
rundir.append_line = append_line
"""

STOP = '(path.parent / "stop").touch()'


def killed_within(seconds):
    """Code: a SIGKILL comes from another thread, at any moment of the work that goes on."""
    kill = f"(time.sleep({seconds}), os.kill(os.getpid(), signal.SIGKILL))"
    return f"threading.Thread(target=lambda: {kill}, daemon=True).start()"


def error_of(run):
    assert run.wait(WAIT) == "failed", run.log_tail()
    return run.summary()["error"]


def strict(text):
    def refuse(name):
        raise ValueError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


def check_tidy(folder):
    """No leftovers of half-made writes, and every file is whole."""
    assert not list(folder.rglob(f"*{files.UNFINISHED}*"))
    for path in folder.rglob("*.json"):
        strict(path.read_text(encoding="utf-8"))
    for path in folder.rglob("*.jsonl"):
        text = path.read_text(encoding="utf-8")
        assert text.endswith("\n")
        assert all(isinstance(strict(line), dict) for line in text.splitlines())


def parts_with_longest_row(run):
    """The estimate for the longest row that is trained: of packed rows, several end to end."""
    longest = rundir.longest_row(run.folder)
    alone = rundir.read_json(run.folder / rundir.DATA_REPORT)["train"]["tokens"]["max"]
    assert alone < longest <= run.recipe.max_length if run.recipe.packing else longest == alone
    return estimate.estimate(run.recipe, estimate.shape_of(models.local_path(run.recipe.model)), longest).parts
