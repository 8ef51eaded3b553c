"""A run as text: a progress line with the time left, the report at the end, the list of runs."""

import json
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from kit.errors import KitError
from kit.hardware import disk_free_bytes
from kit.markup import gap
from kit.recipe import Recipe, field_help
from kit.runs import ENDED, POLL, Progress, Run

GIB = 2**30
RISEN = 1.2  # batches differ in loss: only more than that counts as risen
FULL = 2**20  # a disk with less than so many bytes is full
BAR = 24  # characters of the progress bar


def follow(run: Run) -> str:
    """Show the run's progress until it ends; Ctrl-C asks it to save and stop, a second one leaves it running.

    Returns:
        The status in which it ended.
    """
    asked = False
    seen: set[str] = set()
    status = ""
    while status not in ENDED:
        try:
            if not seen:
                print(f"run directory: {run.folder}", flush=True)
            _show(run, seen)
            time.sleep(POLL)
            status = run.status
        except KeyboardInterrupt:
            if asked:
                fix = f"`kit runs --follow {run.folder}` shows it again"
                raise KitError("left it running", where=str(run.folder), fix=fix) from None
            asked = True
            run.stop()
            print("\nsaving and stopping (Ctrl-C again: leave it running) ...", flush=True)
    if sys.stdout.isatty():
        print("\r\033[K", end="", flush=True)
    return status


def _show(run: Run, seen: set[str]) -> None:
    """One line that is rewritten on a terminal; elsewhere a line for each new phase and each fifth of the training."""
    line = progress_line(run)
    if sys.stdout.isatty():
        seen.add("")
        width = shutil.get_terminal_size().columns
        print(f"\r\033[K{line[: width - 1]}", end="", flush=True)
        return
    progress = run.progress()
    part = progress.step * 5 // progress.total_steps if progress.phase == "train" and progress.total_steps else 0
    if f"{progress.phase}{part}" not in seen:
        seen.add(f"{progress.phase}{part}")
        print(line, flush=True)


def progress_line(run: Run) -> str:
    """Phase, bar, steps, loss and time left, in one line."""
    return _line(run.progress())


def counter(what: str) -> Callable[[int, int], None]:
    """A function to call often, with (done, in all): it shows the line of a run, on stderr."""
    began, shown, fifth = time.monotonic(), 0.0, -1

    def say(done: int, total: int) -> None:
        nonlocal shown, fifth
        now, part = time.monotonic(), done * 5 // total
        terminal = sys.stderr.isatty()
        if now - shown < POLL and done < total if terminal else part == fifth:
            return
        shown, fifth = now, part
        left = (now - began) * (total - done) / done if 0 < done < total else None
        line = _line(Progress(what, done, total, now - began, left))
        if terminal:
            width = shutil.get_terminal_size().columns
            line = "\r\033[K" + ("" if done == total else line[: width - 1])
        print(line, end="" if terminal else "\n", file=sys.stderr, flush=True)

    return say


def _line(progress: Progress) -> str:
    if not progress.total_steps:
        return f"{progress.phase} ... {duration(progress.seconds)}"
    full = round(BAR * progress.step / progress.total_steps)
    bar = "█" * full + "·" * (BAR - full)
    loss = f"  loss {progress.loss:.3f}" if progress.loss is not None else ""
    left = f"  {duration(progress.seconds_left)} left" if progress.seconds_left is not None else ""
    return f"{progress.phase:<12} {bar} {progress.step}/{progress.total_steps}{loss}{left}"


def duration(seconds: float) -> str:
    """Seconds as people say them: 42 s, 3 min 05 s, 2 h 10 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes = whole // 60
    return f"{minutes} min {whole % 60:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def report(run: Run) -> str:
    """What a run did: speed, loss, memory predicted and measured, scores, one answer before and after."""
    summary = run.summary()
    if summary is None or "train_seconds" not in summary:
        return f"{run.status}: {(summary or {}).get('error') or run.folder}"
    done = f"{summary['steps']} of {summary['total_steps']} updates in {duration(summary['train_seconds'])}"
    pace = f"{summary['samples_per_second']:.2f} samples/s, {summary['tokens_per_second']:.0f} tokens/s"
    lines = [
        f"{summary['status']}: {done}, {pace}",
        loss_line(summary),
        memory_line(summary),
    ]
    for when in ("before", "after"):
        if summary.get(when):
            lines.append(f"{when:<7}{scores_line(summary[when])}")
    if summary["status"] == "stopped":
        lines.append(f"`kit run --resume {run.folder}` goes on from here")
    changed = next((s for s in run.samples() if s.get("after") == s["expected"] != s.get("before")), None)
    if changed:
        lines += ["", "one held-out row, before and after:"]
        lines += [f"  {changed['before'][:160]!r}", f"  {changed['after'][:200]}"]
    return "\n".join(lines)


def loss_line(summary: dict[str, Any]) -> str:
    """First and last loss, and advice where training made it worse."""
    first, last = summary["first_loss"], summary["last_loss"]
    rose = first is not None and last is not None and last > RISEN * first
    return f"loss {_number(first)} -> {_number(last)}" + (": it rose; lower learning_rate" if rose else "")


def memory_line(summary: dict[str, Any]) -> str:
    """Predicted (arithmetic) and measured peak, and the process' RSS apart."""
    names = ("peak_bytes_predicted", "peak_bytes_measured", "peak_rss_bytes")
    predicted, measured, rss = (summary.get(name) for name in names)
    apart = f" ({gap(measured, predicted)})" if predicted and measured else ""
    expected = f"predicted {_gib(predicted)} (arithmetic), measured {_gib(measured)}{apart}"
    return f"peak memory: {expected}; process RSS {_gib(rss)}"


def scores_line(scores: dict[str, Any]) -> str:
    """Scores of summary.json as one line."""
    valid = "" if scores["valid_json"] is None else f"  valid JSON {scores['valid_json']:.0%}"
    share = f"{scores['exact_match']:.0%} [{scores['exact_match_low']:.0%}, {scores['exact_match_high']:.0%}]"
    return f"exact match {share}{valid}  perplexity {_number(scores['perplexity'])}  ({scores['rows']} rows)"


def learnt(summary: dict[str, Any]) -> bool:
    """Whether the score after lies above the interval of the score before."""
    before, after = summary.get("before"), summary.get("after")
    return bool(before and after and after["exact_match_low"] > before["exact_match_high"])


def not_learnt(summary: dict[str, Any]) -> str:
    """Why a run does not count as having learnt."""
    if summary["status"] == "stopped":
        return "stopped before the score after was taken"
    return "the score did not rise beyond its interval" if summary.get("after") else "no score: set eval_data"


def cause_of_death(run: Run) -> str:
    """What is known of a child that ended without a word."""
    progress = run.progress()
    if disk_free_bytes(run.folder) < FULL:
        return f"the disk is full -> make room, then `kit run --resume {run.folder}` continues"
    at = f" at update {progress.step}" if progress.phase == "train" else ""
    return (
        f"the training process was killed in phase {progress.phase!r}{at}: by hand, or by the system for want of RAM "
        f"-> `kit run --resume {run.folder}` continues; a smaller batch_size needs less memory"
    )


def listing(runs: Sequence[Run]) -> str:
    """The runs as a table."""
    if not runs:
        return "no runs here yet: `kit run smollm2-qlora` makes one"
    rows = []
    for run in runs:
        summary = run.summary() or {}
        after = (summary.get("after") or {}).get("exact_match")
        score = f"exact match {after:.0%}" if after is not None else ""
        rows.append(f"{run.status:<9} {run.folder}  {score}")
    return "\n".join(rows)


def fields_text() -> str:
    """Every field of a recipe with default, bounds and trade-off."""
    lines = []
    for name in Recipe.model_fields:
        if name == "reasons":
            continue
        help_ = field_help(name)
        bounds = "|".join(help_.choices)
        if help_.minimum is not None and help_.maximum is not None:
            bounds = f"{help_.minimum:g} to {help_.maximum:g}"
        detail = " ".join(part for part in (bounds, help_.unit) if part)
        lines.append(f"{name} = {json.dumps(help_.default)}" + (f"  ({detail})" if detail else ""))
        lines.append(f"    {help_.description}")
    return "\n".join(lines)


def _gib(value: int | None) -> str:
    return "not measured" if value is None else f"{value / GIB:.2f} GiB"


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"
