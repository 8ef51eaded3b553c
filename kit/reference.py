"""Reference runs: real runs, recorded once and shipped, for lessons to show where nothing was measured here.

`python -m kit.reference RUN_DIR NAME` turns a finished run into `data/reference_runs/NAME`.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kit import rundir
from kit.errors import KitError
from kit.files import shipped, write_json, write_text
from kit.runs import Run

MACHINE_FACTS = ("name", "kind", "cores", "cpu_name", "ram_bytes", "system", "python", "versions")
MOST_LINES = 150  # of memory.jsonl: more cannot be seen in a plot
SAMPLES = 24  # answers that are kept


def reference(name: str) -> Run:
    """The reference run `name`.

    Raises:
        KitError: there is no such reference run.
    """
    folder = shipped("reference_runs", name)
    if not folder.is_dir():
        kept = sorted(path.name for path in shipped("reference_runs").glob("*/"))
        raise KitError(f"no reference run {name!r}", fix=f"one of: {', '.join(kept) or '(none recorded)'}")
    return Run(folder)


def where_recorded(run: Run) -> str:
    """The machine that a run was made on, in a few words."""
    machine = rundir.read_json(run.folder / rundir.MACHINE) or {}
    return str(machine.get("name", "an unknown machine"))


def longest_row(run: Run) -> int:
    """Tokens of the longest training row of a run."""
    tokens = (rundir.read_json(run.folder / rundir.DATA_REPORT) or {})["train"]["tokens"]
    return rundir.longest_row(run.folder) or min(int(tokens["max"]), run.recipe.max_length)


def measured(run: Run, name: str) -> Run:
    """`run` if it finished; else the reference run `name`, and a line that says so and why."""
    if run.status == "finished":
        return run
    kept = reference(name)
    why = (run.summary() or {}).get("error", "")
    print(f"Your run {run.status}. {why}".strip())
    print(f"What follows was recorded on {where_recorded(kept)}, not on your machine.")
    return kept


def record(folder: Path, name: str) -> Path:
    """Keep of a finished run what a lesson shows, without its weights and without paths of its machine.

    Raises:
        KitError: the run has not finished.
    """
    run, kept = Run(folder), shipped("reference_runs", name)
    summary = run.summary()
    if summary is None or run.status != "finished":
        raise KitError(f"this run is {run.status}", where=str(folder), fix="record a finished one")
    machine = rundir.read_json(folder / rundir.MACHINE) or {}
    write_json(kept / rundir.RECIPE, run.recipe.model_dump())
    write_json(kept / rundir.MACHINE, {fact: machine.get(fact) for fact in MACHINE_FACTS})
    write_json(kept / rundir.SUMMARY, {**summary, "run_dir": name})
    write_json(kept / rundir.DATA_REPORT, rundir.read_json(folder / rundir.DATA_REPORT))
    _write_lines(kept / rundir.METRICS, run.metrics())
    _write_lines(kept / rundir.MEMORY, thinned(run.memory(), MOST_LINES))
    _write_lines(kept / rundir.SAMPLES, run.samples()[:SAMPLES])
    _write_picture(Run(kept))
    return kept


def thinned(lines: Sequence[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """At most about `most` lines: every n-th, and the one with the largest RSS, so that the peak stays."""
    stride = -(-len(lines) // most) if lines else 1
    peak = max(range(len(lines)), key=lambda i: lines[i].get("rss_bytes") or 0, default=0)
    return [line for i, line in enumerate(lines) if i % stride == 0 or i == peak]


def _write_lines(path: Path, lines: Sequence[dict[str, Any]]) -> None:
    write_text(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def _write_picture(run: Run) -> None:
    from kit import plots

    (run.folder / "curves.png").write_bytes(plots.png(plots.run_curves(run)))


if __name__ == "__main__":
    print(record(Path(sys.argv[1]), sys.argv[2]))
