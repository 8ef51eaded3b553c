"""The run directory: names of its files, and how they are written by the child and read by everybody else.

recipe.json machine.json         what was asked for, and where
status.json                      phase, step, process; rewritten while the child lives
metrics.jsonl memory.jsonl       one line a step; one line a memory sample
data_report.json samples.jsonl   what the data doctor found; answers before and after
scores_before.json, _after.json  scores with their answers: a resumed run does not take them again
checkpoints/ adapter/ (model/)   to resume from; the result
summary.json                     written once, last: its presence means that the child ended by itself
log.txt stop .lock               what the child printed; a file that asks the child to stop; held while it trains
"""

import errno
import json
import os
import platform
import time
from pathlib import Path
from typing import Any

import psutil

from kit.errors import KitError
from kit.files import discard_unfinished, storage_error, without_nan, write_json, write_text
from kit.recipe import Recipe, make

RECIPE, MACHINE, STATUS, SUMMARY = "recipe.json", "machine.json", "status.json", "summary.json"
METRICS, MEMORY, SAMPLES, DATA_REPORT = "metrics.jsonl", "memory.jsonl", "samples.jsonl", "data_report.json"
LOG, STOP, CHECKPOINTS, ADAPTER, MODEL, LOCK = "log.txt", "stop", "checkpoints", "adapter", "model", ".lock"
SCORES = {"before": "scores_before.json", "after": "scores_after.json"}
STATUS_INTERVAL = 2.0  # seconds: a rename over a file may wait 20 ms for the disk, and metrics.jsonl knows the step
SAME_START = 2  # seconds by which two readings of one start differ at most
SILENCE = 600  # seconds without a word after which a child on another machine counts as dead


def read_json(path: Path) -> Any:
    """The JSON value in `path`, or None if there is no (whole) file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def read_recipe(folder: Path) -> Recipe:
    """The recipe of the run in `folder`.

    Raises:
        KitError: recipe.json is missing, broken or not a recipe.
    """
    path = folder / RECIPE
    values = read_json(path)
    if not isinstance(values, dict):
        raise KitError("this is not a readable recipe", where=str(path), fix="start a new run")
    return make(values, where=str(path))


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a JSONL file.

    A last line that is still being written is left for the next look; lines that a power cut tore are passed over.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    values = (_parsed(line) for line in text[: text.rfind("\n") + 1].split("\n"))
    return [value for value in values if isinstance(value, dict)]


def last_line(path: Path) -> dict[str, Any] | None:
    """The last whole line of a JSONL file of any length."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 4096))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return None
    whole = text[: text.rfind("\n") + 1].rstrip("\n")
    value = _parsed(whole[whole.rfind("\n") + 1 :])
    return value if isinstance(value, dict) else None


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def longest_row(folder: Path) -> int | None:
    """Tokens of the longest row that the run in `folder` trains; None before its data were read."""
    report = read_json(folder / DATA_REPORT) or {}
    longest: int | None = report.get("train", {}).get("longest_row")
    return longest


def peaks(path: Path) -> dict[str, int]:
    """The largest value of each measured column of memory.jsonl, over all processes of a run."""
    found: dict[str, int] = {}
    for line in read_lines(path):
        for name, value in line.items():
            if name.endswith("_bytes") and value is not None:
                found[name] = max(value, found.get(name, 0))
    return found


def append_line(path: Path, value: dict[str, Any]) -> None:
    """Add one line in one write, so that a kill leaves whole lines.

    Raises:
        KitError: the disk is full or the folder not writable; the file is as it was.
    """
    line = (json.dumps(without_nan(value), ensure_ascii=False) + "\n").encode()
    try:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        try:
            size = os.fstat(handle).st_size
            if os.write(handle, line) < len(line):
                os.ftruncate(handle, size)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        finally:
            os.close(handle)
    except OSError as error:
        raise storage_error(error, path) from None


def keep_lines(path: Path, last_step: int) -> None:
    """Drop the lines of a metrics file that come after update `last_step` (they will be made again)."""
    if path.exists():
        kept = [line for line in read_lines(path) if line.get("step", 0) <= last_step]
        write_text(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in kept))


def tidy(folder: Path) -> None:
    """Remove what a killed process left half-written: temporary folders, and the end of a torn line."""
    for place in (folder, folder / CHECKPOINTS):
        discard_unfinished(place)
    for path in folder.glob("*.jsonl"):
        text = path.read_bytes()
        if not text.endswith(b"\n"):
            os.truncate(path, text.rfind(b"\n") + 1)


class StatusFile:
    """The writer's side of status.json: which process, in which phase, how far.

    Args:
        pid: the process that does the work; default: this one.
    """

    def __init__(self, folder: Path, pid: int | None = None) -> None:
        self._path = folder / STATUS
        process = psutil.Process(pid)
        self._fixed: dict[str, Any] = {
            "pid": process.pid,
            "process_started": start_time(process),
            "host": platform.node(),
            "started": time.time(),
        }
        self._written = 0.0
        self._phase = ""

    def report(self, phase: str, done: int = 0, total: int = 0, **more: Any) -> None:
        """Say where the process is; writes at once for a new phase, else at most every two seconds."""
        now = time.time()
        if phase == self._phase and now - self._written < STATUS_INTERVAL and done != total:
            return
        if phase != self._phase:
            self._fixed["phase_started"] = now
        self._phase, self._written = phase, now
        value = {**self._fixed, "phase": phase, "done": done, "total": total, "updated": now, **more}
        write_json(self._path, value, durable=False)


def start_time(process: psutil.Process) -> float:
    """What tells a process from a later one with its number: seconds; on Linux since boot, elsewhere since 1970.

    Linux knows the start since boot only: in seconds since 1970 it moves whenever the clock is set.
    """
    return process.create_time() - (psutil.boot_time() if psutil.LINUX else 0.0)


def child_is_alive(status: dict[str, Any] | None) -> bool:
    """Whether the process that this status names still runs (its start time guards against a reused number).

    Of a process on another machine or in a container only its writing is seen: it counts as alive while it writes.
    """
    if not status:
        return False
    if status.get("host", platform.node()) != platform.node():
        return bool(time.time() - status["updated"] < SILENCE)
    try:
        process = psutil.Process(status["pid"])
        same = abs(start_time(process) - status["process_started"]) < SAME_START
        return same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
