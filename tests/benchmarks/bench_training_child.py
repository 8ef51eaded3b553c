"""One training of the benchmark job, in a process of its own: reads a JSON task, writes a JSON result.

    python tests/benchmarks/bench_training_child.py TASK.json RESULT.json       (bench_training.py calls it)

The clock runs around `kit.loop.train` and around `SFTTrainer.train`: everything from the first batch to the last
update, with logging, without loading the model and encoding the rows. Peak memory is the process' own high-water mark
of resident bytes, read right after that. Then both models answer for themselves on the held-out rows, by one function.
"""

import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import torch
from torch import nn
from torch.nn import functional

PAD_TO = 32
MATMUL_SIZE = 2048


def resident_peak() -> int:
    """High-water mark of this process' resident memory, in bytes."""
    return bytes_of(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def bytes_of(max_rss: int) -> int:
    """Bytes of a `ru_maxrss`: Linux counts in KiB, macOS in bytes."""
    return max_rss if sys.platform == "darwin" else max_rss * 1024


def kit(task: dict[str, Any]) -> dict[str, Any]:
    """The kit as `kit run` runs it, in this process: its child's main, with a stopwatch around its loop."""
    from kit import hardware, loop, models, rundir, train
    from kit.files import write_json

    folder = Path(task["folder"])
    recipe = recipe_of(task, **task["settings"]).resolve(hardware.detect())
    write_json(folder / rundir.RECIPE, recipe.model_dump())
    found: dict[str, Any] = {}

    def timed(job: loop.Job) -> loop.Outcome:
        began = time.perf_counter()
        outcome = loop.train(job)
        found["seconds"] = time.perf_counter() - began
        found["peak_rss_bytes"] = resident_peak()
        found["peak_tracked_bytes"] = outcome.peak_bytes_measured
        found["trained_tokens"] = sum(sum(row.trained) for row in job.rows)
        found["tokens"] = sum(len(row.ids) for row in job.rows)
        found["held_out_loss"] = held_out_loss(job.model, task, models.load_tokenizer(job.recipe))
        return outcome

    train.train = timed
    if code := train.main(folder):
        raise SystemExit(f"the kit's run ended with {code}")
    losses = [line["loss"] for line in rundir.read_lines(folder / rundir.METRICS)]
    return {**found, "losses": losses}


def trl(task: dict[str, Any]) -> dict[str, Any]:
    """TRL's SFTTrainer; `settings` are fields of SFTConfig on top of its defaults."""
    from datasets import Dataset
    from peft import LoraConfig
    from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig
    from trl import SFTConfig, SFTTrainer

    from kit.models import keep_4bit_layers_unpacked
    from kit.sources import local_path

    source = local_path(task["model"])
    quantization = BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
    )
    model = AutoModelForCausalLM.from_pretrained(source, dtype=torch.bfloat16, quantization_config=quantization)
    keep_4bit_layers_unpacked(model)  # else the held-out rows below would spoil the weights
    tokenizer = AutoTokenizer.from_pretrained(source)
    rows = [json.loads(line)["messages"] for line in Path(task["train"]).read_text(encoding="utf-8").splitlines()]
    if task.get("kits_batches"):
        rows = [rows[i] for i in kits_order(task, tokenizer)]
        task["settings"]["train_sampling_strategy"] = "sequential"
    config = SFTConfig(
        output_dir=task["folder"], use_cpu=True, num_train_epochs=1, learning_rate=task["learning_rate"],
        per_device_train_batch_size=task["batch_size"], max_length=task["max_length"], seed=task["seed"],
        logging_steps=1, report_to="none", save_strategy="no", disable_tqdm=True, **task["settings"],
    )  # fmt: skip
    trainer = SFTTrainer(
        model, args=config, processing_class=tokenizer,
        train_dataset=Dataset.from_list([{"prompt": row[:-1], "completion": row[-1:]} for row in rows]),
        peft_config=LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM"),
    )  # fmt: skip
    if task.get("kits_batches"):  # TRL makes the adapters of quantized models bf16
        for parameter in trainer.model.parameters():
            parameter.data = parameter.data.float() if parameter.requires_grad else parameter.data
    began = time.perf_counter()
    trainer.train()
    seconds, peak = time.perf_counter() - began, resident_peak()
    labels = trainer.train_dataset["labels"]
    return {
        "seconds": seconds,
        "peak_rss_bytes": peak,
        "peak_tracked_bytes": None,
        "trained_tokens": sum(label != -100 for row in labels for label in row),
        "tokens": sum(map(len, labels)),
        "losses": [line["loss"] for line in trainer.state.log_history if "loss" in line],
        "held_out_loss": held_out_loss(trainer.model, task, tokenizer),
        "checkpointing": trainer.model.is_activation_checkpointing,
    }


def kits_order(task: dict[str, Any], tokenizer: Any) -> list[int]:
    """Row numbers in the order in which the kit trains them."""
    from kit import batches, data, encode

    rows = encode.encode(data.read(task["train"]), tokenizer, task["max_length"]).rows
    plan = batches.schedule([len(row.ids) for row in rows], recipe_of(task))
    return [i for micro in plan for part in micro for i in part]


def recipe_of(task: dict[str, Any], **settings: Any) -> Any:
    """The job as a recipe of the kit."""
    from kit.recipe import make

    job = {
        "model": task["model"], "train_data": task["train"], "eval_data": "", "eval_rows": 0, "device": "cpu",
        "max_length": task["max_length"], "batch_size": task["batch_size"], "learning_rate": task["learning_rate"],
        "lr_scheduler": "linear", "warmup_ratio": 0.0, "seed": task["seed"], "lora_rank": 16, "lora_alpha": 32,
    }  # fmt: skip
    return make({**job, **settings})


@torch.no_grad()
def held_out_loss(model: nn.Module, task: dict[str, Any], tokenizer: Any) -> float:
    """Mean loss over the answer tokens of the held-out rows, from the logits of the model's own forward.

    In training mode (no dropout here): no layer is repacked for inference.
    """
    from kit import data, encode

    rows = sorted(
        encode.encode(data.read(task["held_out"]), tokenizer, task["max_length"]).rows, key=lambda row: len(row.ids)
    )
    total, count = 0.0, 0
    for start in range(0, len(rows), 8):
        part = rows[start : start + 8]
        width = -(-max(len(row.ids) for row in part) // PAD_TO) * PAD_TO
        ids = torch.tensor([[*row.ids, *[0] * (width - len(row.ids))] for row in part])
        trained = torch.tensor([[*row.trained, *[False] * (width - len(row.ids))] for row in part])[:, 1:]
        logits = model(input_ids=ids).logits[:, :-1][trained]
        total += float(functional.cross_entropy(logits.float(), ids[:, 1:][trained], reduction="sum"))
        count += int(trained.sum())
    return total / count


def machine(task: dict[str, Any]) -> dict[str, Any]:
    """The bf16 matmul rate here, and the sizes that the job's FLOPs follow from."""
    from transformers import AutoConfig, AutoModelForCausalLM

    from kit.sources import local_path

    left, right = (torch.randn(MATMUL_SIZE, MATMUL_SIZE, dtype=torch.bfloat16) for _ in range(2))
    seconds = []
    for _ in range(task.get("matmuls", 12)):
        began = time.perf_counter()
        left @ right
        seconds.append(time.perf_counter() - began)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(local_path(task["model"])))
    head = model.get_output_embeddings()
    linear = [m for m in model.modules() if isinstance(m, nn.Linear) and m is not head]
    return {
        "matmul_flops_per_second": 2 * MATMUL_SIZE**3 / sorted(seconds)[len(seconds) // 2],
        "linear_parameters": sum(m.weight.numel() for m in linear),
        "adapter_parameters": sum(16 * (m.in_features + m.out_features) for m in linear),
        "head_parameters": head.weight.numel(),
        "threads": torch.get_num_threads(),
    }


if __name__ == "__main__":
    given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    result = {"kit": kit, "trl": trl, "machine": machine}[given["library"]](given)
    Path(sys.argv[2]).write_text(json.dumps(result), encoding="utf-8")
