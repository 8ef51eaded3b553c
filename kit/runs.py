"""Start, follow, stop and resume a run; a run is a directory, and training always happens in a child process.

The child outlives this process: a kernel restart or a closed page loses nothing, and any process can follow a run.
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from filelock import FileLock, Timeout

from kit import devices, rows, rundir, sources
from kit.errors import KitError
from kit.files import shipped, storage_error, write_json, write_text
from kit.hardware import detect
from kit.recipe import Recipe

POLL = 0.2  # seconds between two looks at the run directory
YOUNG = 10  # seconds that a run may take to get its first status
ENDED = ("finished", "stopped", "failed", "died")
_children: list[subprocess.Popen[bytes]] = []  # Python warns of children that nobody holds
PATHS = ("model", "train_data", "eval_data", "start_adapter")  # fields that may name a file or folder


class Progress(NamedTuple):
    """How far a run is: its phase, updates done and in all, seconds gone and (when known) left, the last loss."""

    phase: str
    step: int
    total_steps: int
    seconds: float
    seconds_left: float | None
    loss: float | None = None


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
            fix = "`kit runs` lists the runs here"
            raise KitError("not a run directory (no recipe.json)", where=str(folder), fix=fix)

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r}, {self.status})"

    @property
    def recipe(self) -> Recipe:
        """The resolved recipe, with the reasons of its automatic choices."""
        return rundir.read_recipe(self.folder)

    @property
    def status(self) -> str:
        """starting, running, finished, stopped, failed (ended with a message) or died (killed from outside)."""
        summary = self.summary()
        if summary:
            return str(summary["status"])
        status = self._status()
        if status is None:
            age = time.time() - (self.folder / rundir.RECIPE).stat().st_mtime
            return "starting" if age < YOUNG else "died"
        if rundir.child_is_alive(status):
            return "starting" if status["phase"] == "starting" else "running"
        summary = self.summary()  # it may have ended between the two looks
        return str(summary["status"]) if summary else "died"

    def summary(self) -> dict[str, Any] | None:
        """summary.json, or None while the run goes on."""
        return rundir.read_json(self.folder / rundir.SUMMARY)

    def metrics(self) -> list[dict[str, Any]]:
        """One entry a step: step, loss, grad_norm, learning_rate, tokens_per_second (with padding), seconds."""
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
        phase, done, total, seen = status["phase"], status["done"], status["total"], status["updated"]
        loss = None
        if phase == "train" and (line := rundir.last_line(self.folder / rundir.METRICS)):
            loss = line.get("loss")
            done, seen = line["step"], max(seen, (self.folder / rundir.METRICS).stat().st_mtime)
        now = time.time() if self.status in {"starting", "running"} else seen
        fresh, gone = done - status.get("first", 0), max(0.0, now - status["phase_started"])
        pace = (seen - status["phase_started"]) / fresh if fresh > 0 else None
        left = None if pace is None else max(0.0, pace * (total - done) - (now - seen))
        return Progress(phase, done, total, gone, left, loss)

    def stop(self) -> None:
        """Ask the child to save and end after the step it is in; returns at once."""
        if self.status in {"starting", "running"}:
            write_text(self.folder / rundir.STOP, "asked to stop\n")

    def kill(self) -> None:
        """End the child at once; the last checkpoint stays."""
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
    resolved = _with_whole_paths(recipe).resolve(machine)
    _check_what_is_here(resolved)
    if folder:
        _check_empty(Path(folder))
    path = Path(folder) if folder else _new_folder(resolved)
    with _nobody_else(path):
        _check_empty(path)
        write_json(path / rundir.RECIPE, resolved.model_dump())
        write_json(path / rundir.MACHINE, machine.model_dump(mode="json"))
        return _spawn(path, resolved)


def resume(folder: str | Path) -> Run:
    """Continue a run that was stopped or killed, from its last checkpoint, as if it had never ended.

    Raises:
        KitError: it is still running, or it is finished.
    """
    run = Run(folder)
    with _nobody_else(run.folder):
        status, recipe = run.status, run.recipe
        if status in {"running", "starting"}:
            fix = f"`kit runs --follow {folder}` shows it, `kit runs --stop {folder}` ends it"
            raise KitError(f"this run is still {status}", where=str(folder), fix=fix)
        if status == "finished":
            fix = "start a new one; `start_adapter` continues from its adapter"
            raise KitError("this run is finished", where=str(folder), fix=fix)
        for name in (rundir.STATUS, rundir.SUMMARY, rundir.STOP):  # the former child may still be on its way out
            (run.folder / name).unlink(missing_ok=True)
        return _spawn(run.folder, recipe)


def _check_empty(folder: Path) -> None:
    if folder.is_dir() and any(not file.name.startswith(".") for file in folder.iterdir()):
        fix = "choose another --out, or continue that run with --resume"
        raise KitError("this folder is not empty", where=str(folder), fix=fix)


def _with_whole_paths(recipe: Recipe) -> Recipe:
    """Files and folders by their absolute path, so that the run can go on from any working directory."""
    whole: dict[str, str] = {}
    for name in PATHS:
        value = getattr(recipe, name)
        path = Path(value).expanduser()
        if value and value not in sources.BUNDLED and path.exists():
            whole[name] = str(path.absolute())
    return recipe.model_copy(update=whole)


def _check_what_is_here(recipe: Recipe) -> None:
    """What would fail in the child for sure, said before it starts."""
    if recipe.world_size > 1:
        fix = "set world_size=1 and parallel=none"
        raise KitError("runs on several devices come with a later lesson", where="world_size", fix=fix)
    if recipe.tracker != "none" and not find_spec(recipe.tracker):  # accelerate would train without it, in silence
        fix = f"`pip install {recipe.tracker}`, or set tracker=none"
        raise KitError(f"{recipe.tracker} is not installed", where="tracker", fix=fix)
    for source in filter(None, (recipe.train_data, recipe.eval_data)):
        rows.find(source)


@contextmanager
def _nobody_else(folder: Path) -> Iterator[None]:
    """Hold the run's lock for the moment of a start: two starts at once, or one beside a child, and one is refused."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / rundir.LOCK, timeout=1)
        lock.acquire()
    except Timeout:
        fix = f"`kit runs --follow {folder}` shows it; or choose another folder"
        raise KitError("another process is training here", where=str(folder), fix=fix) from None
    except OSError as error:
        raise storage_error(error, folder) from None
    try:
        yield
    finally:
        lock.release()


def _new_folder(recipe: Recipe) -> Path:
    stem = f"{datetime.now():%Y-%m-%d_%H%M%S}_{Path(recipe.model).name}-{recipe.method}"
    for name in (stem if i == 0 else f"{stem}-{i + 1}" for i in range(1000)):
        try:
            (root() / name).mkdir(parents=True)
            return root() / name
        except FileExistsError:
            if not (root() / name).is_dir():
                raise KitError("this is a file, not a folder", where=str(root()), fix="set KIT_RUNS") from None
        except OSError as error:
            raise storage_error(error, root() / name) from None
    raise KitError("a thousand runs began in this second", where=str(root()), fix="set KIT_RUNS to another folder")


def _spawn(folder: Path, recipe: Recipe) -> Run:
    """The child; `-P` keeps a `random.py` or `datasets.py` in the working directory from being imported."""
    try:
        log = (folder / rundir.LOG).open("ab")
    except OSError as error:
        raise storage_error(error, folder / rundir.LOG) from None
    detached: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        detached = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS}
    with log:
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "kit.train", str(folder)],
            env=_environment(recipe), stdin=subprocess.DEVNULL, stdout=log, stderr=log, **detached,
        )  # fmt: skip
    _children.append(child)
    rundir.StatusFile(folder, child.pid).report("starting")
    return Run(folder)


def _environment(recipe: Recipe) -> dict[str, str]:
    """The child's environment; offline is decided here, since transformers reads it once, when it is imported."""
    quiet = {"PYTHONUTF8": "1", "TOKENIZERS_PARALLELISM": "false", "BITSANDBYTES_NOWELCOME": "1"}
    data = [name for name in (recipe.train_data, recipe.eval_data) if name]
    here = sources.is_local(recipe.model) and all(Path(name).exists() or shipped(name).exists() for name in data)
    offline = {"HF_HUB_OFFLINE": "1"} if here else {}
    return {**os.environ, **devices.allocator_environment(recipe.device).value, **quiet, **offline}
