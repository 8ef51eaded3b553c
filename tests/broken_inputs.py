"""What people get wrong, one case each: `test_cli.py` checks them all, and this script prints them as a table.

python tests/broken_inputs.py        each case through `kit` as a process of its own: case | exit | line
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from broken_places import (
    GOOD,
    Place,
    Skip,
    adapter_of_another_model,
    adapter_of_another_rank,
    broken_adapter,
    broken_config,
    broken_weights,
    evaluated_wrong_model,
    filled_disk,
    full_disk,
    lock_in_use,
    no_adapter,
    not_for_writing,
    pickle_only,
    prepare,
    recipe_file,
    small_vocabulary,
    unknown_architecture,
)


class Case(NamedTuple):
    """An input that is broken, the command line that meets it, and words that its one line must have."""

    name: str
    command: Callable[[Place], list[str]]
    says: tuple[str, ...]


LONG = "x" * 300
CASES = [
    # data
    Case("empty file", lambda p: p.data(p.write("a.jsonl", "")), ("a.jsonl", "empty")),
    Case("UTF-16", lambda p: p.data(p.write("a.jsonl", json.dumps(GOOD).encode("utf-16"))), ("UTF-16", "UTF-8")),
    Case("Latin-1", lambda p: p.data(p.write("a.jsonl", '{"prompt": "Grüße", "completion": "ja"}\n'.encode("latin-1"))),
         ("a.jsonl:1", "UTF-8")),
    Case("truncated JSON", lambda p: p.data(p.write("a.json", json.dumps([GOOD, GOOD])[:-20])), ("truncated",)),
    Case("truncated line", lambda p: p.data(p.write("a.jsonl", json.dumps(GOOD) + "\n" + json.dumps(GOOD)[:30])),
         ("1 of 2 rows would be lost", "a.jsonl:2")),
    Case("mixed types", lambda p: p.data(p.rows(GOOD, "text", 3, None)), ("3 of 4 rows would be lost", "rows.jsonl:2")),
    Case("list of lists", lambda p: p.data(p.rows([1, 2], [3])), ("rows.jsonl:1", "no row is an object")),
    Case("null content", lambda p: p.data(p.rows({"prompt": "x", "completion": None})),
         ("content is null", "rows.jsonl:1")),
    Case("all rows too long", lambda p: p.data(str(p.shared / "rows.jsonl"), "--max-length", "16"),
         ("24 of 24 rows", "longer than max_length 16", "keeps all")),
    Case("wrong column names", lambda p: p.data(p.rows({"frage": "x", "antwort": "y"})),
         ("unknown columns frage, antwort", "prompt")),
    Case("a folder as data", lambda p: p.data(str(p.folder)), ("is a folder",)),
    Case("no such data", lambda p: p.data(str(p.folder / "none.jsonl")), ("none.jsonl", "no such file")),
    Case("broken Parquet", lambda p: p.data(p.write("a.parquet", b"PAR1 and no more")), ("not a readable Parquet",)),
    Case("binary as JSONL", lambda p: p.data(p.write("a.jsonl", bytes(range(256)))), ("a.jsonl",)),
    Case("data of an unknown model", lambda p: ["data", str(p.shared / "rows.jsonl"), "--model", "nothing"],
         ("unknown model 'nothing'",)),
    # the same through a run
    Case("run: all rows too long", lambda p: p.run("max_length=16"), ("24 of 24 rows", "keeps all")),
    Case("run: wrong column names", lambda p: p.run(f"train_data={p.rows({'a': 1})}"), ("unknown columns a",)),
    Case("run: no held-out data", lambda p: p.run("eval_rows=2", f"eval_data={p.folder / 'none.csv'}"),
         ("none.csv", "no such file")),
    # models
    Case("unknown model", lambda p: p.run("model=no-such-model"), ("unknown model 'no-such-model'", "nano")),
    Case("no such model folder", lambda p: p.run(f"model={p.folder / 'none'}"), ("there is no folder",)),
    Case("model without weights", lambda p: p.run(f"model={p.model('model.safetensors')}"), ("no *.safetensors",)),
    Case("pickle-only model", pickle_only, ("pytorch_model.bin", "only safetensors are loaded")),
    Case("model without config", lambda p: p.run(f"model={p.model('config.json')}"), ("no config.json",)),
    Case("model without tokenizer", lambda p: p.run(f"model={p.model('tokenizer.json')}"), ("no usable tokenizer",)),
    Case("broken config", broken_config, ("config",)),
    Case("unknown architecture", unknown_architecture, ("never-heard-of",)),
    Case("corrupted safetensors", broken_weights, ("cannot load this model",)),
    Case("tokenizer of another model", small_vocabulary, ("tokenizer",)),
    # adapters
    Case("adapter of another model", adapter_of_another_model, ("adapter", "size mismatch", "trained on (nano)")),
    Case("adapter of another rank", adapter_of_another_rank, ("lora_rank=16", "--set lora_rank=16")),
    Case("corrupted adapter", broken_adapter, ("adapter",)),
    Case("no adapter to start from", lambda p: p.run(f"start_adapter={p.folder / 'none'}"), ("no adapter here",)),
    Case("rank wider than a layer", lambda p: p.run("lora_rank=512"), ("lora_rank=512 is wider", "at most 64")),
    Case("unknown target_modules", lambda p: p.run("target_modules=q_proj,w_proj"), ("no layer 'w_proj'", "q_proj")),
    # folders and disks
    Case("no space for checkpoints", full_disk, ("are free", "make room")),
    Case("no space at all", filled_disk, ("No space left on device", "make room")),
    Case("folder under a file", lambda p: p.run(out=p.write("file", "") + "/run"), ("cannot write", "choose a folder")),
    Case("folder not for writing", not_for_writing, ("/proc/kit-run", "cannot write")),
    Case("folder not empty", lambda p: p.run(out=str(Path(p.write("run/mine.txt", "x")).parent)),
         ("not empty", "--resume")),
    Case("lock in use", lock_in_use, ("another process is training here",)),
    Case("name too long", lambda p: p.run(out=str(p.folder / LONG)), ("File name too long",)),
    # recipes
    Case("negative rank", lambda p: p.run("lora_rank=-4"), ("lora_rank='-4'", "greater than or equal to 1")),
    Case("batch of 0", lambda p: p.run("batch_size=0"), ("batch_size='0'", "greater than or equal to 1")),
    Case("learning rate nan", lambda p: p.run("learning_rate=nan"), ("learning_rate='nan'", "finite")),
    Case("a word as a number", lambda p: p.run("epochs=two"), ("epochs='two'", "number")),
    Case("unknown field", lambda p: p.run("lora_rang=4"), ("no field 'lora_rang'", "lora_rank")),
    Case("unknown choice", lambda p: p.run("method=lorra"), ("method='lorra'", "'lora'")),
    Case("--set without =", lambda p: p.run("lora_rank"), ("cannot read 'lora_rank'", "field=value")),
    Case("unknown preset", lambda p: p.run(recipe="smollm3-qlora"), ("smollm3-qlora", "smollm2-qlora")),
    Case("broken recipe file", recipe_file('{"lora_rank": 8,}'), ("recipe.json", "not a readable JSON file")),
    Case("recipe file is a list", recipe_file("[1, 2]"), ("one JSON object",)),
    Case("recipe file with a wrong field", recipe_file('{"rank": 8}'), ("recipe.json", "no field 'rank'")),
    Case("quantized and full", lambda p: p.run("method=full", "quantization=nf4"),
         ("cannot be trained in full", "method=qlora")),
    Case("tracker not installed", lambda p: p.run("tracker=swanlab"), ("swanlab is not installed", "tracker=none")),
    Case("device not here", lambda p: p.run("device=npu"), ("device=npu", "device=auto")),
    Case("several devices", lambda p: p.run("world_size=2"), ("world_size=2",)),
    Case("too little memory", lambda p: p.run("memory_limit_gib=0.005"),
         ("out of memory in phase", "largest term", "--set")),
    # runs
    Case("resume of a finished run", lambda p: ["run", str(p.finished()), "--resume"], ("this run is finished",)),
    Case("resume of no run", lambda p: ["run", str(p.folder), "--resume"], ("not a run directory",)),
    Case("resume with --set", lambda p: ["run", str(p.finished()), "--resume", "--set", "seed=1"],
         ("keeps its recipe",)),
    Case("follow of no run", lambda p: ["runs", "--follow", str(p.folder / "none")], ("not a run directory",)),
    Case("evaluate without adapter", no_adapter, ("no adapter yet", "kit run --resume")),
    Case("evaluate an unknown model", lambda p: ["evaluate", "nothing"], ("unknown model 'nothing'",)),
    Case("evaluate nothing", lambda p: ["evaluate", ""], ("model=''",)),
    Case("evaluate a changed run", evaluated_wrong_model, ("unknown model 'nothing-known'",)),
    Case("evaluate on no data", lambda p: ["evaluate", str(p.finished()), "--data", "none.jsonl"], ("none.jsonl",)),
    # the command line itself
    Case("unknown verb", lambda p: ["rnu"], ("No such command 'rnu'", "--help")),
    Case("unknown option", lambda p: ["run", "smollm2-qlora", "--rank", "8"], ("No such option: --rank", "--help")),
    Case("no argument", lambda p: ["run"], ("Missing argument", "--help")),
    Case("negative rows", lambda p: ["evaluate", "nano", "--rows", "-1"], ("--rows", "greater than or equal to 0")),
]  # fmt: skip


def main() -> None:
    """Print the table."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "PYTHONUTF8": "1"}
    print("| case | exit | line |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        shared = Path(scratch) / "shared"
        shared.mkdir()
        prepare(shared)
        for number, case in enumerate(CASES):
            place = Place(Path(scratch) / str(number), shared)
            place.folder.mkdir()
            try:
                command = [sys.executable, "-m", "kit", *case.command(place)]
                done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, check=False)
                code, line = str(done.returncode), " / ".join(done.stderr.strip().splitlines())
                if "Traceback" in done.stdout + done.stderr:
                    line += " (and a traceback)"
            except Skip as reason:
                code, line = "-", f"skipped: {reason}"
            finally:
                for close in place.close:
                    close()
            line = line.replace(str(place.folder), "HERE").replace(str(shared), "HERE").replace("|", "\\|")
            print(f"| {case.name} | {code} | {line} |", flush=True)


if __name__ == "__main__":
    main()
