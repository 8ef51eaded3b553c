"""Start, follow, stop and resume a run; a run is a directory, and training always happens in a child process.

The child outlives this process: a kernel restart or a closed page loses nothing, and any process can follow a run.
"""

import asyncio
import os
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from kit import devices, rundir, sources
from kit.errors import KitError
from kit.files import shipped, write_json, write_text
from kit.hardware import detect
from kit.recipe import Recipe, make

POLL = 0.2  # seconds between two looks at the run directory
ENDED = ("finished", "stopped", "failed", "died")


class Progress(NamedTuple):
    """How far a run is: its phase, updates done and in all, seconds gone and (when known) left."""

    phase: str
    step: int
    total_steps: int
    seconds: float
    seconds_left: float | None


class Run:
    """A view of one run directory; it holds no state of its own.

    Args:
        folder: the run directory.

    Raises:
        KitError: the folder is not a run.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if not (self.folder / rundir.RECIPE).is_file():
            raise KitError("not a run directory (no recipe.json)", where=str(folder), fix="`kit runs` lists the runs here")

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r}, {self.status})"

    @property
    def recipe(self) -> Recipe:
        """The resolved recipe, with the reasons of its automatic choices."""
        path = self.folder / rundir.RECIPE
        return make(rundir.read_json(path) or {}, where=str(path))

    @property
    def status(self) -> str:
        """starting, running, finished, stopped, failed (ended with a message) or died (killed from outside)."""
        summary = self.summary()
        if summary:
            return str(summary["status"])
        status = self._status()
        if status is None:
            young = time.time() - (self.folder / rundir.LOG).stat().st_mtime < 60 if (self.folder / rundir.LOG).exists() else False
            return "starting" if young else "died"
        return "running" if rundir.child_is_alive(status) else "died"

    def summary(self) -> dict[str, Any] | None:
        """summary.json, or None while the run goes on."""
        return rundir.read_json(self.folder / rundir.SUMMARY)

    def metrics(self) -> list[dict[str, Any]]:
        """One entry a step: step, loss, grad_norm, learning_rate, tokens_per_second, seconds."""
        return rundir.read_lines(self.folder / rundir.METRICS)

    def memory(self) -> list[dict[str, Any]]:
        """One entry a sample; None where the device gives no number."""
        return rundir.read_lines(self.folder / rundir.MEMORY)

    def samples(self) -> list[dict[str, Any]]:
        """Held-out rows: where, prompt, expected, before, after."""
        return rundir.read_lines(self.folder / rundir.SAMPLES)

    def log_tail(self, lines: int = 20) -> str:
        """The end of what the child printed."""
        path = self.folder / rundir.LOG
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        return "\n".join(text.splitlines()[-lines:])

    def progress(self) -> Progress:
        """Where the run is now; seconds left follow from the pace of the phase it is in."""
        status = self._status()
        if status is None:
            return Progress("starting", 0, 0, 0.0, None)
        now = time.time() if self.status == "running" else status["updated"]
        gone, done, total = now - status["phase_started"], status["done"], status["total"]
        fresh = done - status.get("first", 0)
        left = max(0.0, (status["updated"] - status["phase_started"]) / fresh * (total - done) - (now - status["updated"])) if fresh > 0 else None
        return Progress(status["phase"], done, total, gone, left)

    def stop(self) -> None:
        """Ask the child to save and end after the step it is in; returns at once."""
        if self.status in {"starting", "running"}:
            write_text(self.folder / rundir.STOP, "asked to stop\n")

    def kill(self) -> None:
        """End the child at once; the last checkpoint stays."""
        import psutil

        status = self._status()
        if status and rundir.child_is_alive(status):
            psutil.Process(status["pid"]).kill()

    def wait(self, timeout: float | None = None) -> str:
        """Block until the run has ended and return its status (a script; lessons use `await run.wait_async()`)."""
        end = time.monotonic() + timeout if timeout is not None else None
        while self.status not in ENDED and (end is None or time.monotonic() < end):
            time.sleep(POLL)
        return self.status

    async def wait_async(self) -> str:
        """As `wait`, with the kernel free meanwhile, so that buttons and plots keep working."""
        while self.status not in ENDED:
            await asyncio.sleep(POLL)
        return self.status

    def _status(self) -> dict[str, Any] | None:
        return rundir.read_json(self.folder / rundir.STATUS)


def root() -> Path:
    """The folder in which runs are kept: `KIT_RUNS`, or `runs` here."""
    return Path(os.environ.get("KIT_RUNS", "runs"))


def all_runs() -> list[Run]:
    """The runs in `root()`, oldest first."""
    return [Run(path.parent) for path in sorted(root().glob(f"*/{rundir.RECIPE}"))]


def latest() -> Run:
    """The newest run.

    Raises:
        KitError: there is none.
    """
    runs = all_runs()
    if not runs:
        raise KitError("no runs yet", where=str(root()), fix="`kit run` starts one")
    return runs[-1]


def start(recipe: Recipe, folder: str | Path | None = None) -> Run:
    """Start a run in a child process and return at once.

    Args:
        folder: the run directory; default: a new one below `root()`.

    Raises:
        KitError: the machine cannot do what the recipe asks for, or the folder is taken or not writable.
    """
    machine = detect()
    resolved = recipe.resolve(machine)
    if resolved.world_size > 1:
        raise KitError("runs on several devices come with a later lesson", where="world_size", fix="set world_size=1 and parallel=none")
    path = Path(folder) if folder else _new_folder(resolved)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise KitError("this folder is not empty", where=str(path), fix="choose another --out, or continue that run with --resume")
    write_json(path / rundir.RECIPE, resolved.model_dump())
    write_json(path / rundir.MACHINE, machine.model_dump(mode="json"))
    return _spawn(path, resolved)


def resume(folder: str | Path) -> Run:
    """Continue a run that was stopped or killed, from its last checkpoint, as if it had never ended.

    Raises:
        KitError: it is still running, or it is finished.
    """
    run = Run(folder)
    status = run.status
    if status in {"running", "starting"}:
        raise KitError(f"this run is still {status}", where=str(folder), fix="follow it with `kit runs --follow`, or stop it first")
    if status == "finished":
        raise KitError("this run is finished", where=str(folder), fix="start a new one; `start_adapter` continues from its adapter")
    recipe = run.recipe
    for name in (rundir.SUMMARY, rundir.STOP, rundir.STATUS):
        (run.folder / name).unlink(missing_ok=True)
    return _spawn(run.folder, recipe)


def _new_folder(recipe: Recipe) -> Path:
    stem = f"{datetime.now():%Y-%m-%d_%H%M%S}_{Path(recipe.model).name}-{recipe.method}"
    names = (stem if i == 0 else f"{stem}-{i + 1}" for i in range(1000))
    return next(path for name in names if not (path := root() / name).exists())


def _spawn(folder: Path, recipe: Recipe) -> Run:
    try:
        log = (folder / rundir.LOG).open("ab")
    except OSError as error:
        raise KitError(f"cannot write ({error.strerror})", where=str(folder), fix="choose a folder you can write to") from None
    detached: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        detached = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS}
    with log:
        subprocess.Popen(
            [sys.executable, "-m", "kit.train", str(folder)], env=_environment(recipe),
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, **detached,
        )
    return Run(folder)


def _environment(recipe: Recipe) -> dict[str, str]:
    """The child's environment; offline is decided here, since transformers reads it once, when it is imported."""
    quiet = {"PYTHONUTF8": "1", "TOKENIZERS_PARALLELISM": "false", "BITSANDBYTES_NOWELCOME": "1"}
    local_data = all(not name or Path(name).exists() or shipped(name).exists() for name in (recipe.train_data, recipe.eval_data))
    offline = {"HF_HUB_OFFLINE": "1"} if sources.is_local(recipe.model) and local_data else {}
    return {**os.environ, **devices.allocator_environment(recipe.device).value, **quiet, **offline}
