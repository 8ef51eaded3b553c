"""The run directory: names of its files, and how they are written by the child and read by everybody else.

    recipe.json machine.json         what was asked for, and where
    status.json                      phase, step, process; rewritten while the child lives
    metrics.jsonl memory.jsonl       one line a step; one line a memory sample
    data_report.json samples.jsonl   what the data doctor found; answers before and after
    checkpoints/ adapter/ (model/)   to resume from; the result
    summary.json                     written once, last: its presence means that the child ended by itself
    log.txt stop                     what the child printed; a file whose presence asks the child to stop
"""

import json
import os
import time
from pathlib import Path
from typing import Any

import psutil

from kit.files import write_json, write_text

RECIPE, MACHINE, STATUS, SUMMARY = "recipe.json", "machine.json", "status.json", "summary.json"
METRICS, MEMORY, SAMPLES, DATA_REPORT = "metrics.jsonl", "memory.jsonl", "samples.jsonl", "data_report.json"
LOG, STOP, CHECKPOINTS, ADAPTER, LOCK = "log.txt", "stop", "checkpoints", "adapter", ".lock"
STATUS_INTERVAL = 0.3  # seconds; a faster loop does not write its status at every step


def read_json(path: Path) -> Any:
    """The JSON value in `path`, or None if there is no (whole) file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a JSONL file; a last line that is still being written is left for the next look."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return []
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines() if line]


def append_line(path: Path, value: dict[str, Any]) -> None:
    """Add one line in one write, so that a kill leaves whole lines."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(handle, (json.dumps(value, ensure_ascii=False) + "\n").encode())
    finally:
        os.close(handle)


def keep_lines(path: Path, last_step: int) -> None:
    """Drop the lines of a metrics file that come after update `last_step` (they will be made again)."""
    kept = [line for line in read_lines(path) if line["step"] <= last_step]
    if path.exists():
        write_text(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in kept))


class StatusFile:
    """The child's side of status.json: where it is, in which phase, how far."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / STATUS
        process = psutil.Process()
        self._fixed = {"pid": process.pid, "process_started": process.create_time(), "started": time.time()}
        self._written = 0.0
        self._phase = ""

    def report(self, phase: str, done: int = 0, total: int = 0, **more: Any) -> None:
        """Say where the child is; writes at once for a new phase, else at most three times a second."""
        now = time.time()
        if phase == self._phase and now - self._written < STATUS_INTERVAL and done != total:
            return
        if phase != self._phase:
            self._fixed["phase_started"] = now
        self._phase, self._written = phase, now
        write_json(self._path, {**self._fixed, "phase": phase, "done": done, "total": total, "updated": now, **more})


def child_is_alive(status: dict[str, Any] | None) -> bool:
    """Whether the process that wrote this status still runs (its start time guards against a reused number)."""
    try:
        process = psutil.Process(status["pid"]) if status else None
        return bool(
            process and process.status() != psutil.STATUS_ZOMBIE
            and abs(process.create_time() - status["process_started"]) < 2  # type: ignore[index]
        )
    except psutil.Error:
        return False
