"""Put an adapter on a model: a new one (as the identity, or with LoftQ's start), or one from a folder."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import torch
from torch import nn

from kit import lora, losses, step
from kit.errors import KitError
from kit.recipe import Recipe
from kit.sources import local_path

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
ALL_LINEAR = "all-linear"


def prepare_base(model: nn.Module, recipe: Recipe) -> nn.Module:
    """The model with the kit's loss inside its forward, and checkpointing on if the recipe says so."""
    base: Any = step.bind_loss(model, losses.kernel(recipe.loss_kernel, recipe.device))
    if recipe.gradient_checkpointing:
        base.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        if recipe.method != "full":
            base.enable_input_require_grads()
    return base


def add_adapter(model: nn.Module, recipe: Recipe) -> nn.Module:
    """Bind the loss, then wrap the model in a LoRA, DoRA or rsLoRA adapter (or in none for method=full).

    LoRA: Hu et al. 2021; DoRA: Liu et al. 2024; rsLoRA: Kalajdzievski 2023. A new adapter starts as the identity,
    with lora_init=loftq as the nearest it can come to what quantization took away.

    Raises:
        KitError: no layer has the asked name, or none is linear; a rank over a layer's size; a start_adapter of
            another model.
    """
    base = prepare_base(model, recipe)
    if recipe.method == "full":
        return base
    if recipe.start_adapter:
        _same_shape(Path(recipe.start_adapter), recipe)
        return lora.use_one_function(with_adapter(base, Path(recipe.start_adapter), recipe))
    adapted = _new_adapter(base, recipe)
    if recipe.lora_init == "loftq" and recipe.quantization == "nf4":
        init_loftq(adapted, local_path(recipe.model))
    return lora.use_one_function(adapted)


def _new_adapter(base: Any, recipe: Recipe) -> nn.Module:
    from peft import LoraConfig, get_peft_model

    names = _names(recipe)
    linear = {name.rsplit(".", 1)[-1]: module for name, module in base.named_modules() if _is_linear(module)}
    head = base.get_output_embeddings()
    body = sorted(name for name, module in linear.items() if module is not head)
    if not body:
        what = "this model has no linear layers that an adapter fits"
        raise KitError(what, where=recipe.model, fix="set method=full, or choose another model")
    missing = [name for name in names if name != ALL_LINEAR and name not in linear]
    if missing:
        raise KitError(
            f"the model has no layer {missing[0]!r}",
            where="target_modules",
            fix=f"{ALL_LINEAR}, or some of {', '.join(body)}",
        )
    narrow = min(
        min(linear[n].in_features, linear[n].out_features) for n in (body if names == [ALL_LINEAR] else names)
    )
    if recipe.lora_rank > narrow:
        raise KitError(
            f"lora_rank={recipe.lora_rank} is wider than the model's narrowest layer ({narrow})",
            where="lora_rank",
            fix=f"at most {narrow}; 8 to 64 is usual",
        )
    torch.manual_seed(recipe.seed)
    config = LoraConfig(
        r=recipe.lora_rank,
        lora_alpha=recipe.lora_alpha,  # type: ignore[arg-type]
        lora_dropout=recipe.lora_dropout,
        use_dora=recipe.use_dora,
        use_rslora=recipe.use_rslora,
        target_modules=ALL_LINEAR if names == [ALL_LINEAR] else names,
        task_type="CAUSAL_LM",
    )
    return get_peft_model(base, config, autocast_adapter_dtype=recipe.adapter_dtype == "fp32")


def _names(recipe: Recipe) -> list[str]:
    return [name.strip() for name in recipe.target_modules.split(",")]


def _is_linear(module: nn.Module) -> bool:
    return hasattr(module, "in_features") and hasattr(module, "out_features")


def _same_shape(folder: Path, recipe: Recipe) -> None:
    """An adapter to continue from keeps its own shape and layers: the recipe must say the same."""
    own = {"use_dora": False, "use_rslora": False, **_config(folder)}  # older files do not name them
    if not {"r", "lora_alpha"} <= own.keys():
        fix = "give an adapter that LoRA made"
        raise KitError(f"this adapter is no LoRA ({own.get('peft_type')})", where=str(folder), fix=fix)
    fields = {"r": "lora_rank", "lora_alpha": "lora_alpha", "use_dora": "use_dora", "use_rslora": "use_rslora"}
    other = [f"{ours}={own[theirs]}" for theirs, ours in fields.items() if own[theirs] != getattr(recipe, ours)]
    layers = own.get("target_modules")  # all-linear was written down as the names that it found
    if recipe.target_modules != ALL_LINEAR and set(_names(recipe)) != set(layers if isinstance(layers, list) else []):
        other.append(f"target_modules={ALL_LINEAR}")
    if other:
        what = f"the adapter to continue from has {', '.join(other)}, the recipe says otherwise"
        raise KitError(what, where=str(folder), fix=" ".join(f"--set {setting}" for setting in other))


def _config(folder: Path) -> dict[str, Any]:
    """The adapter's own description of itself."""
    if not (folder / WEIGHTS).is_file() or not (folder / CONFIG).is_file():
        fix = "give the adapter/ folder of a run"
        raise KitError(f"no adapter here ({CONFIG} and {WEIGHTS})", where=str(folder), fix=fix)
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        return {"base_model_name_or_path": config["base_model_name_or_path"], **config}
    except Exception as error:
        raise _unreadable(folder, error) from None


def _unreadable(folder: Path, error: Exception) -> KitError:
    fix = "copy the folder again, or train the adapter anew"
    return KitError(f"this adapter cannot be read ({error})", where=str(folder), fix=fix)


def with_adapter(base: nn.Module, folder: Path, train: Recipe | None = None) -> nn.Module:
    """The model with a saved adapter; every key and shape must fit (PEFT alone only warns about keys).

    Args:
        train: the recipe that continues the adapter; None: its weights stay frozen.

    Raises:
        KitError: not an adapter folder, or one made for another model.
    """
    from peft import LoraConfig, PeftModel, get_peft_model_state_dict
    from safetensors import safe_open

    made_for = _config(folder)["base_model_name_or_path"]
    try:
        with safe_open(folder / WEIGHTS, framework="pt") as file:
            held = {key: tuple(file.get_slice(key).get_shape()) for key in file.keys()}  # noqa: SIM118 - not a dict
    except Exception as error:  # safetensors' faults have no public class
        raise _unreadable(folder, error) from None
    wide = train is None or train.adapter_dtype == "fp32"
    fix = f"use the model it was trained on ({made_for})"
    try:
        config: Any = None
        if train:
            config = LoraConfig.from_pretrained(str(folder))
            config.lora_dropout = train.lora_dropout
        model = PeftModel.from_pretrained(
            base, str(folder), is_trainable=train is not None, autocast_adapter_dtype=wide, config=config
        )
    except (RuntimeError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, torch.OutOfMemoryError):
            raise
        lines = str(error).strip().splitlines() or [type(error).__name__]
        detail = lines[min(1, len(lines) - 1)].strip()[:200]  # the first of several only says that there are errors
        raise KitError(f"this adapter does not fit the model ({detail})", where=str(folder), fix=fix) from None
    own = get_peft_model_state_dict(model, save_embedding_layers=False)  # "auto" asks the hub
    fits = {key: tuple(value.shape) for key, value in own.items()}
    if held != fits:
        odd = sorted(set(held.items()) ^ set(fits.items()))[0][0]
        raise KitError(f"this adapter was made for another model (first difference: {odd})", where=str(folder), fix=fix)
    return model


@torch.no_grad()
def init_loftq(model: nn.Module, folder: Path) -> None:
    """Start each adapter at the best rank-r approximation of what its 4-bit layer lost: s·B·A ~ W - nf4(W).

    LoftQ (Li et al. 2023, algorithm 1 with one step); PEFT's own version needs CUDA. The adapter belongs to the 4-bit
    weights: whoever merges it must add it to the unpacked 4-bit weights, not to the original ones.

    Args:
        folder: the unquantized safetensors from which the model was loaded.

    Raises:
        KitError: the files hold no weight under a layer's name, or one of another shape.
    """
    from peft.tuners.lora.bnb import Linear4bit

    with Shards(folder) as weights:
        for name, layer in model.named_modules():
            if not isinstance(layer, Linear4bit):
                continue
            key = name.removeprefix("base_model.model.") + ".weight"
            factors: Any = layer.lora_A["default"], layer.lora_B["default"]
            down, up = (factor.weight for factor in factors)
            packed = lora.frozen_weight(layer.base_layer, torch.float32)
            lost = (weights.tensor(key, packed.shape).to(packed) - packed) / layer.scaling["default"]
            left, sizes, right = torch.linalg.svd(lost, full_matrices=False)
            root = sizes[: down.shape[0]].sqrt()
            down.copy_(root[:, None] * right[: len(root)])
            up.copy_(left[:, : len(root)] * root)


class Shards:
    """The tensors of a model folder by name, from one safetensors file or from several."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.open_files = ExitStack()
        self.files: dict[str, Any] = {}

    def __enter__(self) -> Self:
        from safetensors import safe_open

        for path in sorted(self.folder.glob("*.safetensors")):
            file = self.open_files.enter_context(safe_open(path, framework="pt"))
            self.files |= dict.fromkeys(file.keys(), file)
        return self

    def __exit__(self, *_: object) -> None:
        self.open_files.close()

    def tensor(self, key: str, shape: torch.Size) -> torch.Tensor:
        if key not in self.files or self.files[key].get_slice(key).get_shape() != list(shape):
            what = f"no weight {key!r} of shape {tuple(shape)} in these files, which LoftQ needs"
            raise KitError(what, where=str(self.folder), fix="set lora_init=default")
        return self.files[key].get_tensor(key)
