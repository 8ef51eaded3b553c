"""Children for tests: a server that has imported everything forks one for each run, in milliseconds instead of seconds.

`Children.popen` takes the place of `subprocess.Popen` in `kit.runs`; all else is the real thing: a process of its own
per run, that can be killed, and that knows only its run directory.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

WARM = {
    "model": "nano", "device": "cpu", "precision": "bf16", "attention": "sdpa", "loss_kernel": "fused",
    "max_length": 1024, "max_steps": 1, "batch_size": 2, "eval_rows": 1,
}  # fmt: skip


PLAIN = subprocess.Popen


def write_rows(path: Path, count: int = 24) -> Path:
    """Short conversations of very different lengths, the same ones always."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            question = f"Ticket {number}: " + "the printer is out of paper. " * (1 + number * 7 % 11)
            answer = json.dumps({"ticket": number, "order": ["paper"] * (1 + number % 3)})
            messages = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
            file.write(json.dumps({"messages": messages}) + "\n")
    return path


class Children:
    """The test's side of the server."""

    def __init__(self, folder: Path) -> None:
        self.before = ""  # Python that the next children run before they begin: faults to inject
        environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}
        command = [sys.executable, "-P", str(Path(__file__)), str(folder)]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
        self._server = subprocess.Popen(command, env=environment, **pipes)
        assert self._server.stdin and self._server.stdout
        self._ask, self._answer = self._server.stdin, self._server.stdout
        self._answer.readline()  # it is warm

    def popen(self, command: list[str], **more: Any) -> Any:
        """Stands in for Popen([..., "-m", "kit.train", folder])."""
        if "kit.train" not in command:
            return PLAIN(command, **more)
        self._ask.write(json.dumps({"folder": command[-1], "before": self.before}) + "\n")
        self._ask.flush()
        return SimpleNamespace(pid=int(self._answer.readline()))

    def close(self) -> None:
        self._server.kill()
        self._server.communicate()


def serve(folder: Path) -> None:
    """Make one run here, so that everything is loaded, then fork a child for each line of stdin."""
    import torch
    from accelerate.state import AcceleratorState, GradientState

    from kit import train
    from kit.files import write_json

    torch.set_num_threads(1)
    source = str(write_rows(folder / "rows.jsonl", 4))
    write_json(folder / "run" / "recipe.json", {**WARM, "train_data": source, "eval_data": source})
    answers = os.dup(1)
    log = os.open(folder / "log.txt", os.O_WRONLY | os.O_CREAT)
    os.dup2(log, 1)
    os.dup2(log, 2)
    assert train.main(folder / "run") == 0
    AcceleratorState._reset_state(True)
    GradientState._reset_state()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the children, and none becomes a zombie
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.SIG_DFL)
    os.write(answers, b"ready\n")
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            os.close(answers)
            _child(**json.loads(line))
        os.write(answers, f"{pid}\n".encode())


def _child(folder: str, before: str) -> None:
    import torch

    from kit import train

    torch.set_num_threads(1)  # torch replaces its pool after a fork, and not safely from several threads at once
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    log = os.open(Path(folder) / "log.txt", os.O_WRONLY | os.O_APPEND)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    sys.orig_argv = [sys.executable, "-P", "-m", "kit.train", folder]  # what a retry executes
    time.sleep(0.05)  # the starting process still holds the lock and writes the first status
    exec(before, {"train": train})
    code = train.main(Path(folder))
    sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
