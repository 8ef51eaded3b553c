"""The kit against TRL (and ms-swift) on one job: speed, memory and loss, in one run on this machine.

    make bench                                                   three repeats, medians
    python tests/benchmarks/bench_training.py --quick            one repeat
    python tests/benchmarks/bench_training.py --json FILE --swift-python FOLDER

The job: 192 rows (make_rows.py), one epoch in batches of 8, SmolLM2-135M in nf4 with double quantization, LoRA rank 16
on all linear layers, AdamW, learning rate 5e-4 falling linearly, loss on the answers only, CPU, the same threads.
Every variant trains in a process of its own; the variants take turns, so that a warm or busy minute hits them all.

FLOPs of the job, by which the last column is counted: the base is frozen, so a token costs 2 FLOPs a weight forward and
2 backward (no gradient of the weight itself): `tokens * (4 * linear + 6 * adapter) + answer tokens * 4 * head`.
Padding, recomputed activations, attention scores and unpacking 4-bit weights are not counted: they are the overhead.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
from bench_training_child import bytes_of
from make_rows import TRAINED, write

HERE = Path(__file__).resolve().parent
GIB = 2**30
BUSY = 0.15  # cores that others may use before the figures are called doubtful
CLOSE = 0.02  # relative difference of losses that counts as none
LAST = 4  # updates that the final loss is the mean of
PLAIN, CHECKPOINTED, SAME = "TRL tuned", "TRL tuned, checkpointing", "TRL, the kit's batches"
LOSSES: dict[str, Callable[[dict[str, Any]], float | None]] = {
    "mean loss of all updates": lambda run: statistics.mean(run["losses"]),
    "loss of the final model on held-out rows": lambda run: run["held_out_loss"],
}
TUNED = {"pad_to_multiple_of": 32, "train_sampling_strategy": "group_by_length"}
VARIANTS: dict[str, dict[str, Any]] = {
    "kit": {"library": "kit", "settings": {}},
    "TRL defaults": {"library": "trl", "settings": {}},
    "kit, checkpointing": {"library": "kit", "settings": {"gradient_checkpointing": True}},
    CHECKPOINTED: {"library": "trl", "settings": TUNED},
    PLAIN: {"library": "trl", "settings": {**TUNED, "gradient_checkpointing": False}},
    SAME: {"library": "trl", "settings": {"gradient_checkpointing": False}, "kits_batches": True},
}
NOTES = {
    "TRL defaults": "checkpointing is its default; rows in random order, while the others put like lengths together",
    SAME: "trained once, for its loss: the kit's order of rows, the same adapters at the start, fp32 as the kit's",
}


def main() -> int:
    """Run the variants, print the table and the checks; 0 if every check passed."""
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="kit-bench-") as scratch:
        results = measure(options, Path(scratch))
    report = summarise(results, options)
    print(text(report))
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    return 0 if all(check["passed"] for check in report["checks"]) else 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one repeat")
    parser.add_argument("--json", type=Path, help="also write everything to this file")
    parser.add_argument("--swift-python", type=Path, help="environment folder in which ms-swift is installed")
    parser.add_argument("--only", nargs="+", choices=VARIANTS, default=list(VARIANTS), help="these variants")
    parser.add_argument("--threads", type=int, default=psutil.cpu_count(logical=False) or os.cpu_count() or 1)
    parser.add_argument("--model", default="smollm2-135m", help="nano: to try this script")
    options = parser.parse_args()
    options.repeats = 1 if options.quick else options.repeats
    return options


def measure(options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """All repeats of all variants, in turns; every second round goes backwards."""
    train, held_out = write(scratch)
    job = {
        "model": options.model, "train": str(train), "held_out": str(held_out), "batch_size": 8, "learning_rate": 5e-4,
        "max_length": 512 if options.model != "nano" else 1024,
    }  # fmt: skip
    names = [*options.only, *(["ms-swift"] if options.swift_python else [])]
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    machine = []
    for repeat in range(options.repeats):
        machine.append(child({**job, "library": "machine"}, scratch / f"machine-{repeat}", options.threads))
        for name in names if repeat % 2 == 0 else reversed(names):
            if name == SAME and repeat:
                continue
            folder = scratch / f"{names.index(name)}-{repeat}"
            print(f"round {repeat + 1} of {options.repeats}: {name} ...", end=" ", flush=True)
            if name == "ms-swift":
                run = swift(options.swift_python, job, folder, repeat, options.threads)
            else:
                run = child({**job, **VARIANTS[name], "seed": repeat}, folder, options.threads)
            runs[name].append(run)
            print(f"{run['seconds']:.1f} s, mean loss {statistics.mean(run['losses']):.4f}", flush=True)
    return {"machine": machine, "runs": runs}


def child(task: dict[str, Any], folder: Path, threads: int) -> dict[str, Any]:
    """Run bench_training_child.py on `task` and return its result, with what others used of the CPU meanwhile."""
    folder.mkdir()
    given, result = folder.with_suffix(".task.json"), folder.with_suffix(".result.json")
    given.write_text(json.dumps({**task, "folder": str(folder)}), encoding="utf-8")
    used = watched([sys.executable, str(HERE / "bench_training_child.py"), str(given), str(result)], folder, threads)
    return {**json.loads(result.read_text(encoding="utf-8")), **used}


def watched(command: list[str], folder: Path, threads: int, **environment: str) -> dict[str, float]:
    """Run a command to its end; the cores that all other processes used during it, and its own peak of RSS.

    Raises:
        SystemExit: the command failed; the end of what it printed is shown.
    """
    log = folder.with_suffix(".log")
    limits = {name: str(threads) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    began, before = time.monotonic(), busy_seconds()
    with log.open("w", encoding="utf-8") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, env={**os.environ, **limits, **environment})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - began
    if process.returncode:
        print(log.read_text(encoding="utf-8", errors="replace")[-3000:], file=sys.stderr)
        raise SystemExit(f"{' '.join(command[:3])} ended with {process.returncode}")
    others = (busy_seconds() - before - usage.ru_utime - usage.ru_stime) / wall
    return {"others_cores": max(0.0, others), "child_peak_rss_bytes": bytes_of(usage.ru_maxrss)}


def busy_seconds() -> float:
    """CPU seconds that all processes of this machine have used since it started."""
    times = psutil.cpu_times()
    return sum(times) - times.idle - getattr(times, "iowait", 0.0) - getattr(times, "guest", 0.0)


def swift(environment: Path, job: dict[str, Any], folder: Path, seed: int, threads: int) -> dict[str, Any]:
    """ms-swift on the same job (its own `swift sft`, in its own environment); no held-out loss is taken."""
    sys.path.insert(0, str(HERE.parent.parent))
    from kit.sources import local_path

    folder.mkdir()
    settings = {
        "use_cpu": "true", "model": local_path(job["model"]), "model_type": "llama", "template": "chatml",
        "dataset": job["train"], "tuner_type": "lora", "quant_method": "bnb", "quant_bits": 4,
        "torch_dtype": "bfloat16", "bnb_4bit_compute_dtype": "bfloat16", "bnb_4bit_use_double_quant": "true",
        "lora_rank": 16, "lora_alpha": 32,
        "target_modules": "all-linear", "per_device_train_batch_size": job["batch_size"],
        "gradient_accumulation_steps": 1, "num_train_epochs": 1, "learning_rate": job["learning_rate"],
        "lr_scheduler_type": "linear", "warmup_ratio": 0, "max_length": job["max_length"], "logging_steps": 1,
        "save_strategy": "no", "eval_strategy": "no", "split_dataset_ratio": 0, "output_dir": folder, "seed": seed,
        "dataloader_num_workers": 0, "dataset_num_proc": 1,
    }  # fmt: skip
    command = [str(environment / "bin" / "swift"), "sft", *(f"--{k}={v}" for k, v in settings.items())]
    used = watched(command, folder, threads, HF_HUB_OFFLINE="1", USE_HF="1")
    logged = next(folder.rglob("logging.jsonl")).read_text(encoding="utf-8").splitlines()
    lines = [json.loads(line) for line in logged]
    seconds = next(line["train_runtime"] for line in reversed(lines) if "train_runtime" in line)
    losses = [line["loss"] for line in lines if "loss" in line]
    return {
        "seconds": float(seconds), "losses": losses, "peak_rss_bytes": used["child_peak_rss_bytes"],
        "peak_tracked_bytes": None, "held_out_loss": None, "tokens": None, "trained_tokens": None, **used,
    }  # fmt: skip


def summarise(results: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    """Medians a variant, ratios to TRL's defaults, and the checks."""
    machine = {key: statistics.median(m[key] for m in results["machine"]) for key in results["machine"][0]}
    runs = results["runs"]
    counted = next((run for some in runs.values() for run in some if run["tokens"]), None)
    flops = None
    if counted:
        base = 4 * machine["linear_parameters"] + 6 * machine["adapter_parameters"]
        flops = counted["tokens"] * base + counted["trained_tokens"] * 4 * machine["head_parameters"]
    table = {}
    for name, some in runs.items():
        seconds = statistics.median(run["seconds"] for run in some)
        table[name] = {
            "samples_per_second": TRAINED / seconds,
            "seconds": seconds,
            "mean_loss": statistics.mean(value for run in some for value in run["losses"]),
            "final_loss": statistics.mean(value for run in some for value in run["losses"][-LAST:]),
            "held_out_loss": mean_or_none([run["held_out_loss"] for run in some]),
            "peak_rss_bytes": statistics.median(run["peak_rss_bytes"] for run in some),
            "peak_tracked_bytes": some[0]["peak_tracked_bytes"],
            "of_matmul_rate": flops / seconds / machine["matmul_flops_per_second"] if flops else None,
        }
    return {
        "job": {"model": options.model, "rows": TRAINED, "threads": options.threads, "repeats": options.repeats},
        "machine": {**machine, "processor": processor(), "flops_of_the_job": flops},
        "table": table,
        "checks": checks(runs),
        "warnings": warnings(runs),
        "runs": runs,
    }


def checks(runs: dict[str, Any]) -> list[dict[str, Any]]:
    """That all variants did the same work, and that the same batches lead to the same loss.

    Only the variant on the kit's batches is compared: in another order of rows the first, longest batch of the
    bucketed variants alone moves the mean of so short a run by several percent. The final model is judged on held-out
    rows: the last updates see 32 rows, whose loss of 0.01 differs by several percent after bf16 rounding alone.
    """
    works = {(run["tokens"], run["trained_tokens"]) for some in runs.values() for run in some if run["tokens"]}
    updates = {len(run["losses"]) for some in runs.values() for run in some}
    say = f"tokens read and trained {sorted(works)}, updates {sorted(updates)}"
    found = [{"name": "same work", "passed": len(works) <= 1 and len(updates) == 1, "detail": say}]
    if "kit" in runs and SAME in runs:
        for name, loss in LOSSES.items():
            ours, theirs = loss(runs["kit"][0]), loss(runs[SAME][0])
            if ours is not None and theirs is not None:
                gap = ours / theirs - 1
                detail = f"{ours:.4f} against {theirs:.4f}, {gap:+.2%} (allowed {CLOSE:.0%})"
                found.append({"name": f"{name}, same batches", "passed": abs(gap) <= CLOSE, "detail": detail})
    return found


def warnings(runs: dict[str, Any]) -> list[str]:
    found = []
    for name, some in runs.items():
        others = max(run["others_cores"] for run in some)
        if others > BUSY:
            found.append(f"the machine was busy during {name}: others used {others:.1f} cores; its times mean little")
    return found


def text(report: dict[str, Any]) -> str:
    """The report for people (GiB = 2^30 bytes)."""
    job, machine, table = report["job"], report["machine"], report["table"]
    base = table.get("TRL defaults")
    lines = [
        f"\n{job['model']}, {job['rows']} rows, median of {job['repeats']}, {machine['processor']}, "
        f"{job['threads']} threads, bf16 matmul {machine['matmul_flops_per_second'] / 1e9:.0f} GFLOP/s",
        f"{'':<26}{'samples/s':>10}{'x TRL':>7}{'mean loss':>11}{'final':>9}{'held out':>10}{'peak RSS':>11}"
        f"{'tracked':>11}{'of matmul':>11}",
    ]
    for name, row in table.items():
        ratio = f"{row['samples_per_second'] / base['samples_per_second']:.2f}" if base else ""
        share = "" if row["of_matmul_rate"] is None else f"{row['of_matmul_rate']:.0%}"
        lines.append(
            f"{name:<26}{row['samples_per_second']:>10.2f}{ratio:>7}{row['mean_loss']:>11.4f}{row['final_loss']:>9.4f}"
            f"{number(row['held_out_loss']):>10}{gib(row['peak_rss_bytes']):>11}{gib(row['peak_tracked_bytes']):>11}{share:>11}"
        )
    lines += [f"  {name}: {note}" for name, note in NOTES.items() if name in table]
    lines.append(f"  final: mean of the last {LAST} updates; tracked: tensors of the largest update, weights included")
    lines += [f"{'PASS' if c['passed'] else 'FAIL'}  {c['name']}: {c['detail']}" for c in report["checks"]]
    lines += [f"WARNING  {line}" for line in report["warnings"]]
    return "\n".join(lines)


def number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def gib(value: float | None) -> str:
    return "-" if value is None else f"{value / GIB:.2f} GiB"


def mean_or_none(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.mean(known) if known else None


def processor() -> str:
    from kit.hardware import detect

    return detect().cpu_name


if __name__ == "__main__":
    sys.exit(main())
