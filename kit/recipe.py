"""The recipe: one flat, frozen description of a fine-tune; JSON in, JSON out.

The descriptions below are the single source of the widget tooltips, `kit recipe --help` and the docs.
"""

import json
import os
from collections.abc import Container
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from kit import devices
from kit.errors import KitError
from kit.files import shipped
from kit.hardware import Machine

Precision = Literal["auto", "fp32", "bf16", "bf16-mixed", "fp16-mixed"]
LossKernel = Literal["auto", "full", "chunked", "fused", "inplace"]
Tracker = Literal["none", "tensorboard", "wandb", "mlflow", "swanlab", "trackio"]
Optimizer = Literal["adamw", "adamw_fused", "adamw_8bit", "paged_adamw", "paged_adamw_8bit"]


def _f(default: Any, description: str, unit: str = "", **bounds: Any) -> Any:
    return Field(default, description=description, json_schema_extra={"unit": unit}, **bounds)


class Recipe(BaseModel):
    """Everything that decides what a run computes. Equal recipes on equal machines give equal runs.

    Raises:
        pydantic.ValidationError: a value is out of bounds or two values exclude each other.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    task: Literal["sft", "dpo"] = _f("sft", "sft learns the answers shown; dpo which of two is preferred")
    model: str = _f(
        "smollm2-135m", "nano, smollm2-135m, a hub id (org/name) or a folder with config.json", min_length=1
    )
    method: Literal["full", "lora", "qlora"] = _f(
        "qlora", "full: all weights; lora: an adapter; qlora: one on 4- or 8-bit weights"
    )
    quantization: Literal["none", "nf4", "int8"] = _f("nf4", "how qlora stores frozen weights: 4 or 8 bits")
    double_quant: bool = _f(True, "quantize nf4's scales too: 4.127 instead of 4.5 bits a weight, hardly slower")
    lora_rank: int = _f(16, "width of the adapter: more learns more, costs memory in proportion", ge=1, le=1024)
    lora_alpha: float = _f(32.0, "adapter output is scaled by alpha / rank", gt=0, le=4096)
    lora_dropout: float = _f(0.0, "share of adapter inputs dropped: against rote learning", ge=0, le=0.9)
    target_modules: str = _f("all-linear", "layers with an adapter: all-linear, or names: q_proj,v_proj", min_length=1)
    use_dora: bool = _f(False, "DoRA: trains direction and length apart; often better at low rank, 1.3-2 x slower")
    use_rslora: bool = _f(False, "rsLoRA: scale by alpha / sqrt(rank), steadier at rank >= 64")
    lora_init: Literal["default", "loftq"] = _f(
        "default", "loftq: a new adapter starts by making up for what nf4 lost; helps most in short runs"
    )
    adapter_dtype: Literal["fp32", "bf16"] = _f("fp32", "adapter and its optimizer states; bf16 loses small updates")
    upcast_norms: bool = _f(False, "keep norms and embeddings in fp32: steadier, doubles the residual stream's memory")
    max_length: int = _f(512, "longer rows are left out whole; memory grows with it", "tokens", ge=8, le=1_048_576)
    batch_size: int = _f(8, "rows a device works on at once: faster, more memory", "rows", ge=1, le=4096)
    gradient_accumulation_steps: int = _f(1, "micro-batches an update: larger batch, same memory", ge=1, le=4096)
    packing: bool = _f(False, "lay several short rows into one sequence, isolated from each other: no padding")
    pad_to_multiple_of: int = _f(32, "lengths are padded to multiples: few shapes are fast", "tokens", ge=1, le=1024)
    optimizer: Optimizer = _f("adamw", "_fused: no temporary; _8bit: states / 4; paged_: to RAM when full")
    learning_rate: float = _f(2e-4, "size of an update; adapters 1e-4 to 1e-3, full 1e-5 to 5e-5", gt=0, le=1)
    lr_scheduler: Literal["cosine", "linear", "constant"] = _f("cosine", "how the learning rate falls after warm-up")
    warmup_ratio: float = _f(0.03, "share of the updates in which the rate rises evenly to learning_rate", ge=0, le=1)
    weight_decay: float = _f(0.0, "pull of the weights towards zero at each update (AdamW)", ge=0, le=1)
    max_grad_norm: float = _f(1.0, "gradients longer than this are shortened to it; 0 switches it off", ge=0, le=1e6)
    epochs: float = _f(1.0, "passes over the training rows", gt=0, le=1000)
    max_steps: int = _f(0, "stop after so many updates; 0: as many as the epochs take", ge=0, le=10_000_000)
    seed: int = _f(0, "one seed for shuffling, adapter start and dropout", ge=0, le=2**31 - 1)
    precision: Precision = _f("auto", "base weights and compute; -mixed: trainable weights in fp32, autocast")
    attention: Literal["auto", "sdpa", "flash", "eager"] = _f("auto", "eager stores the score matrix, others do not")
    gradient_checkpointing: bool = _f(False, "recompute activations in backward: far less memory, about 30 % slower")
    loss_kernel: LossKernel = _f("auto", "full keeps all logits; chunked, fused a slice; inplace reuses")
    parallel: Literal["none", "ddp", "fsdp2", "zero1", "zero2", "zero3"] = _f("none", "what several devices share")
    world_size: int = _f(1, "number of devices", "devices", ge=1, le=65536)
    cpu_offload: bool = _f(False, "keep sharded weights and optimizer states in RAM: fits more, PCIe sets the pace")
    beta: float = _f(0.1, "DPO: how far the model may move from its reference", gt=0, le=10)
    dpo_loss: Literal["sigmoid", "ipo", "hinge"] = _f("sigmoid", "shape of the preference loss")
    train_data: str = _f(
        "tickets/train.jsonl", "JSONL, JSON, CSV or Parquet file, shipped file, or hub id", min_length=1
    )
    eval_data: str = _f("tickets/test.jsonl", "rows for the scores before and after; empty: none")
    eval_rows: int = _f(100, "rows scored before and after training; 0: no scores", "rows", ge=0, le=1_000_000)
    max_lost_rows: float = _f(0.01, "stop before training when a larger share of the rows cannot be used", ge=0, le=1)
    eval_every: int = _f(0, "evaluation loss every so many steps; 0: only before and after", "steps", ge=0)
    save_every: int = _f(50, "checkpoint every so many steps; 0: only at the end", "steps", ge=0)
    keep_checkpoints: int = _f(2, "older checkpoints are deleted", ge=1, le=1000)
    start_adapter: str = _f("", "folder of an adapter to continue from; empty: a new one")
    device: Literal["auto", "cuda", "mps", "npu", "cpu"] = _f("auto", "where to compute")
    memory_limit_gib: float = _f(0.0, "pretend the device has no more; 0: what is there", "GiB", ge=0, le=1e6)
    on_oom: Literal["stop", "retry"] = _f("stop", "out of memory: stop with a report, or retry with less")
    tracker: Tracker = _f("none", "also send metrics to this tracker")
    reasons: dict[str, str] = Field(
        default_factory=dict, description="why each automatic value was chosen; filled by resolve()"
    )

    @model_validator(mode="before")
    @classmethod
    def _quantization_follows_method(cls, values: Any) -> Any:
        if isinstance(values, dict) and "quantization" not in values:
            return {**values, "quantization": "nf4" if values.get("method", "qlora") == "qlora" else "none"}
        return values

    @model_validator(mode="after")
    def _combinations(self) -> Self:
        for clash, advice in _clashes(self):
            if clash:
                raise ValueError(advice)
        return self

    def resolve(self, machine: Machine) -> "Recipe":
        """Replace every `auto` by what this machine can do, each with its reason; idempotent.

        Raises:
            KitError: the machine cannot do what the recipe asks for.
        """
        kind = machine.kind if self.device == "auto" else self.device
        here = kind == machine.kind
        if not here and kind != "cpu":
            raise KitError(
                f"device={kind}, but this machine offers {machine.kind}", where="device", fix="set device=auto"
            )
        capability = machine.cards[0].compute_capability if here else None
        traits = machine.traits if here else {"flags": machine.cpu_flags}
        choices = {
            "device": devices.Choice(kind, f"{machine.name} is what this machine offers"),
            "precision": devices.compute_dtype(kind, capability, **traits),
            "attention": devices.attention(kind, capability),
            "loss_kernel": devices.Choice(
                "fused", "logits of the trained tokens only, a slice at a time; nothing is kept or recomputed"
            ),
        }
        settled = {name: choice for name, choice in choices.items() if getattr(self, name) == "auto"}
        recipe = self.model_copy(
            update={
                **{name: choice.value for name, choice in settled.items()},
                "reasons": {**self.reasons, **{name: choice.reason for name, choice in settled.items()}},
            }
        )
        _refuse(
            "precision", devices.precision_works(kind, recipe.precision, capability, **traits), "set precision=auto"
        )
        _refuse("optimizer", devices.optimizer_works(kind, recipe.optimizer), "set optimizer=adamw")
        if recipe.attention == "flash":
            _refuse("attention", devices.flash_attention(kind, capability), "set attention=auto")
        if recipe.quantization != "none":
            _refuse("quantization", devices.four_bit_route(kind, capability), "set method=lora, or device=cpu")
        return recipe


def _refuse(field: str, choice: devices.Choice, fix: str) -> None:
    if choice.value in {False, None}:
        raise KitError(choice.reason, where=field, fix=fix)


def _clashes(r: Recipe) -> list[tuple[bool, str]]:
    adapters = r.use_dora or r.use_rslora
    return [
        (
            r.method == "full" and r.quantization != "none",
            "quantized weights cannot be trained in full: set method=qlora or quantization=none",
        ),
        (r.method == "lora" and r.quantization != "none", "lora on quantized weights is qlora: set method=qlora"),
        (
            r.method == "qlora" and r.quantization == "none",
            "qlora on weights that are not quantized is lora: set quantization=nf4 or int8, or method=lora",
        ),
        (r.method == "full" and adapters, "use_dora and use_rslora shape an adapter: set method=lora or qlora"),
        (r.method == "full" and bool(r.start_adapter), "start_adapter continues an adapter: set method=lora or qlora"),
        (
            r.lora_init == "loftq" and (r.quantization == "int8" or r.use_dora),
            "lora_init=loftq makes a new adapter for nf4 weights, without DoRA: set lora_init=default",
        ),
        (r.parallel == "zero3" and r.quantization == "nf4", "ZeRO-3 does not shard nf4: set parallel=fsdp2 or ddp"),
        (
            r.parallel == "none" and r.world_size > 1,
            f"world_size={r.world_size} and no way to share the work: set parallel=ddp, fsdp2, zero1, zero2 or zero3",
        ),
        (
            r.world_size == 1 and r.parallel != "none",
            f"parallel={r.parallel} on one device: set world_size=2 or more, or parallel=none",
        ),
    ]


class FieldHelp(NamedTuple):
    """What a form, `--help` or a document says about one field."""

    description: str
    unit: str
    minimum: float | None
    maximum: float | None
    choices: tuple[str, ...]
    default: Any


def field_help(name: str) -> FieldHelp:
    """Description, unit, bounds, choices and default of the recipe field `name`."""
    field = Recipe.model_fields[name]
    bounds: dict[str, float] = {}
    for item in field.metadata:
        for key in ("ge", "gt", "le", "lt"):
            if getattr(item, key, None) is not None:
                bounds[key] = getattr(item, key)
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
    return FieldHelp(
        description=field.description or "",
        unit=str(extra.get("unit", "")),
        minimum=bounds.get("ge", bounds.get("gt")),
        maximum=bounds.get("le", bounds.get("lt")),
        choices=choices,
        default=field.get_default(call_default_factory=True),
    )


def presets() -> list[str]:
    """Names of the shipped recipes (`data/recipes/*.json`)."""
    return sorted(path.stem for path in shipped("recipes").glob("*.json"))


def preset(name: str) -> Recipe:
    """The shipped recipe `name`; under `KIT_FAST=1` the same recipe on the nano model, for seconds.

    Raises:
        KitError: there is no such preset.
    """
    return load(name)


def load(source: str, settings: dict[str, Any] | None = None) -> Recipe:
    """A recipe from a preset's name or a JSON file, with `settings` (field -> value or text) on top.

    Raises:
        KitError: unknown preset, unreadable file, unknown field or bad value, in one line.
    """
    path = shipped("recipes", f"{source}.json") if source in presets() else Path(source)
    if not path.is_file():
        raise KitError(
            f"no preset or recipe file called {source!r}", fix=f"one of: {', '.join(presets())}; or a JSON file"
        )
    try:
        values = json.loads(path.read_text(encoding="utf-8-sig"))  # Windows' editors write a mark at the start
    except (ValueError, OSError, RecursionError) as error:
        raise KitError(
            f"not a readable JSON file ({error})", where=str(path), fix="compare with a file in data/recipes"
        ) from None
    if not isinstance(values, dict):
        raise KitError(
            "a recipe is one JSON object of field: value", where=str(path), fix="compare with a file in data/recipes"
        )
    if os.environ.get("KIT_FAST") == "1":
        few = {"eval_rows": 8} if values.get("eval_rows") not in range(8) else {}
        values = {**values, "model": "nano", "max_steps": 4, "max_length": 1024, **few}
    changes = settings or {}
    if "method" in changes and "quantization" not in changes:
        values.pop("quantization", None)
    return make({**values, **changes}, where=str(path), changed=changes)


def make(values: dict[str, Any], where: str = "recipe", changed: Container[str] = ()) -> Recipe:
    """A Recipe from loose values; text is read as the field's type.

    Args:
        where: the place that a fault names; `--set` for the fields in `changed`.

    Raises:
        KitError: the first fault, in one line, with near names for an unknown field.
    """
    try:
        return Recipe(**values)
    except ValidationError as error:
        raise _explain(error, where, changed) from None


def _explain(error: ValidationError, where: str, changed: Container[str]) -> KitError:
    fault = error.errors()[0]
    name = str(fault["loc"][0]) if fault["loc"] else ""
    where = "--set" if name in changed or (changed and not name) else where
    if fault["type"] == "extra_forbidden":
        import difflib

        near = difflib.get_close_matches(name, set(Recipe.model_fields) - {"reasons"}, n=3, cutoff=0.5)
        fix = f"did you mean {', '.join(near)}?" if near else "`kit recipe --fields` lists the fields"
        return KitError(f"a recipe has no field {name!r}", where=where, fix=fix)
    message = fault["msg"].removeprefix("Value error, ")
    if not name:
        what, _, fix = message.partition(": ")
        return KitError(what, where=where, fix=fix)
    value = repr(fault["input"])[:80]
    return KitError(f"{name}={value}: {message[0].lower()}{message[1:]}", where=where, fix=field_help(name).description)


def as_code(recipe: Recipe) -> str:
    """Python that builds this recipe again, showing only what differs from the defaults."""
    shown = {k: v for k, v in recipe.model_dump().items() if k != "reasons" and v != Recipe.model_fields[k].default}
    lines = "".join(f"    {key}={value!r},\n" for key, value in shown.items())
    return f"Recipe(\n{lines})" if lines else "Recipe()"
