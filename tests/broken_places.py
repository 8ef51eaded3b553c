"""Places with something broken in them: what the cases of broken_inputs.py are made of."""

import json
import shutil
import struct
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from children import write_rows

GOOD = {"messages": [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "Nobody."}]}
FAST = ("model=nano", "max_length=1024", "batch_size=4", "max_steps=2", "eval_rows=0", "save_every=1", "device=cpu")


class Place:
    """A folder for one case, and what cases have in common."""

    def __init__(self, folder: Path, shared: Path) -> None:
        self.folder, self.shared = folder, shared
        self.close: list[Callable[[], object]] = []

    def write(self, name: str, content: str | bytes) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def rows(self, *rows: object, name: str = "rows.jsonl") -> str:
        return self.write(name, "".join(json.dumps(row) + "\n" for row in rows))

    def data(self, source: str, *more: str) -> list[str]:
        return ["data", source, "--model", "nano", *more]

    def run(self, *settings: str, out: str = "", recipe: str = "smollm2-qlora") -> list[str]:
        chosen = [*FAST, f"train_data={self.shared / 'rows.jsonl'}", *settings]
        sets = [part for setting in chosen for part in ("--set", setting)]
        return ["run", recipe, *sets, "--out", out or str(self.folder / "run")]

    def model(self, *without: str) -> Path:
        """A copy of the nano model, which may lack files."""
        from kit.sources import local_path

        folder = self.folder / "model"
        shutil.copytree(local_path("nano"), folder, ignore=lambda _, names: [n for n in names if n in without])
        return folder

    def finished(self) -> Path:
        """A copy of a finished run."""
        return Path(shutil.copytree(self.shared / "finished", self.folder / "finished"))


class Skip(Exception):
    """This system cannot make this fault."""

def prepare(shared: Path) -> None:
    """What cases share: 24 rows, and a finished run over them."""
    from kit import recipe, runs

    write_rows(shared / "rows.jsonl")
    values = dict(item.split("=") for item in (*FAST, f"train_data={shared / 'rows.jsonl'}"))
    run = runs.start(recipe.make(values), shared / "finished")
    assert run.wait(240) == "finished", run.log_tail()


def adapter_of_another_model(place: Place) -> list[str]:
    """The same layers, half as wide."""
    from safetensors.numpy import load_file, save_file

    folder = place.finished() / "adapter"
    weights = load_file(folder / "adapter_model.safetensors")
    halves = {name: w[: len(w) // 2].copy() if "lora_B" in name else w for name, w in weights.items()}
    save_file(halves, folder / "adapter_model.safetensors")
    return place.run(f"start_adapter={folder}", "lora_rank=16", "lora_alpha=32")


def adapter_of_another_rank(place: Place) -> list[str]:
    return place.run(f"start_adapter={place.finished() / 'adapter'}", "lora_rank=8")


def broken_adapter(place: Place) -> list[str]:
    folder = place.finished() / "adapter"
    (folder / "adapter_model.safetensors").write_bytes(b"\x00" * 64)
    return place.run(f"start_adapter={folder}")


def broken_weights(place: Place) -> list[str]:
    folder = place.model()
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:5000])  # a download that broke off
    return place.run(f"model={folder}")


def pickle_only(place: Place) -> list[str]:
    folder = place.model("model.safetensors")
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x02")
    return place.run(f"model={folder}")


def broken_config(place: Place) -> list[str]:
    folder = place.model()
    (folder / "config.json").write_text('{"model_type": "lla', encoding="utf-8")
    return place.run(f"model={folder}")


def unknown_architecture(place: Place) -> list[str]:
    folder = place.model()
    (folder / "config.json").write_text('{"model_type": "never-heard-of"}', encoding="utf-8")
    return place.run(f"model={folder}")


def small_vocabulary(place: Place) -> list[str]:
    """A tokenizer with ids that the model has no embedding for; numpy knows no bf16, so bytes are cut."""
    folder = place.model()
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, "vocab_size": 300}), encoding="utf-8")
    raw = (folder / "model.safetensors").read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8 : 8 + size])
    name = next(name for name in header if name.endswith("embed_tokens.weight"))
    begin, _ = header[name]["data_offsets"]
    header[name] |= {"shape": [300, 128], "data_offsets": [begin, begin + 300 * 128 * 2]}
    body, parts, offset = raw[8 + size :], [], 0
    for entry in (value for key, value in header.items() if key != "__metadata__"):
        start, end = entry["data_offsets"]
        parts.append(body[start:end])
        entry["data_offsets"] = [offset, offset + end - start]
        offset += end - start
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))
    return place.run(f"model={folder}")


def full_disk(place: Place) -> list[str]:
    """A disk of 300 kB: room for the first files, none for a checkpoint."""
    disk = place.folder / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(disk)]
    done = subprocess.run(mount, capture_output=True, check=False)
    if done.returncode:
        raise Skip("a small disk needs the right to mount one")
    place.close.append(lambda: subprocess.run(["umount", "--lazy", str(disk)], check=False))
    return place.run(out=str(disk / "run"))


def filled_disk(place: Place) -> list[str]:
    """A disk with room for nothing."""
    command = full_disk(place)
    with suppress(OSError), (place.folder / "disk" / "filler").open("wb") as file:
        for _ in range(1000):
            file.write(b"\x00" * 4096)
            file.flush()
    return command


def not_for_writing(place: Place) -> list[str]:
    if not Path("/proc/self").exists():
        raise Skip("no folder here in which even root cannot write")
    return place.run(out="/proc/kit-run")


def lock_in_use(place: Place) -> list[str]:
    from filelock import FileLock

    folder = place.finished()
    (folder / "summary.json").unlink()
    lock = FileLock(folder / ".lock")
    lock.acquire()
    place.close.append(lock.release)
    return ["run", str(folder), "--resume"]


def no_adapter(place: Place) -> list[str]:
    folder = place.finished()
    shutil.rmtree(folder / "adapter")
    return ["evaluate", str(folder)]


def evaluated_wrong_model(place: Place) -> list[str]:
    """A run whose recipe was edited to another model."""
    folder = place.finished()
    recipe = json.loads((folder / "recipe.json").read_text(encoding="utf-8"))
    (folder / "recipe.json").write_text(json.dumps({**recipe, "model": "nothing-known"}), encoding="utf-8")
    return ["evaluate", str(folder)]


def recipe_file(text: str) -> Callable[[Place], list[str]]:
    return lambda place: place.run(recipe=place.write("recipe.json", text))
