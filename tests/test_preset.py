"""The preset of `make run`, start to end on the bundled model: what the README promises."""

import pytest

from kit import rundir, runs, score
from kit.recipe import preset

pytestmark = [pytest.mark.real, pytest.mark.timeout(3600)]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    run = runs.start(preset("smollm2-qlora"), tmp_path_factory.mktemp("preset") / "run")
    assert run.wait(3000) == "finished", run.log_tail()
    return run


def test_it_learns(run, record_property):
    summary = rundir.read_json(run.folder / rundir.SUMMARY)
    before, after = (summary[when]["exact_match"] for when in ("before", "after"))
    record_property("exact match", f"{before:.0%} to {after:.0%} of 100")
    record_property("training", f"{summary['train_seconds']:.0f} s")
    assert before <= 0.1 and after >= 0.8
    assert summary["steps"] == 200


@pytest.mark.parametrize("file, at_least", [("tickets/test.jsonl", 0.75), ("tickets/by_hand.jsonl", 0.6)])
def test_it_extracts_from_rows_it_has_not_seen(run, record_property, file, at_least):
    """All rows of a file, not only those scored during the run; floors are the shares less their noise."""
    scores = score.score_target(str(run.folder), file).scores
    record_property("scores", scores.line())
    assert scores.exact_match >= at_least and scores.valid_json >= 0.97
