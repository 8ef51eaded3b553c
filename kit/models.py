"""Load a model as the recipe says, put the adapter on it, and make sure that both are what they seem."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import psutil
import torch
from torch import nn

from kit import attention, losses, step
from kit.errors import KitError
from kit.recipe import Recipe
from kit.sources import local_path, tokenizer_of

__all__ = [
    "add_adapter",
    "attention_name",
    "check_head",
    "check_ids",
    "dtype_of",
    "load_model",
    "load_tokenizer",
    "local_path",
    "trainable",
    "with_adapter",
]

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "bf16-mixed": torch.bfloat16, "fp16-mixed": torch.float16}


def dtype_of(recipe: Recipe) -> torch.dtype:
    """Type in which the base weights are held: fp32 for weights trained under autocast, else the compute type."""
    return (
        torch.float32 if recipe.method == "full" and recipe.precision.endswith("-mixed") else DTYPES[recipe.precision]
    )


def load_tokenizer(recipe: Recipe) -> Any:
    """The tokenizer that belongs to the recipe's model, with a padding token."""
    return tokenizer_of(local_path(recipe.model))


def load_model(recipe: Recipe) -> nn.Module:
    """The causal LM of a resolved recipe on its device, frozen unless method=full, quantized if so asked.

    Raises:
        KitError: no weights, not enough RAM, or an architecture that transformers does not know.
    """
    from transformers import AutoConfig, AutoModelForCausalLM
    from transformers.utils import logging

    folder = local_path(recipe.model)
    _check_ram(folder, recipe)
    logging.disable_progress_bar()
    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        model = AutoModelForCausalLM.from_pretrained(
            folder,
            dtype=dtype_of(recipe),
            quantization_config=_quantization(recipe),
            attn_implementation=attention_name(config, recipe.attention),
            device_map={"": recipe.device},
            local_files_only=True,
            use_safetensors=True,
            trust_remote_code=False,
        )
    except torch.OutOfMemoryError:
        raise
    except Exception as error:  # a broken folder can fail anywhere in transformers or safetensors
        first = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
        raise KitError(
            f"transformers cannot load this model ({first})",
            where=str(folder),
            fix="check the folder, or choose another model",
        ) from None
    model.config.use_cache = True
    keep_4bit_layers_unpacked(model)
    for parameter in model.parameters():
        if recipe.method != "full":
            parameter.requires_grad_(False)
        if recipe.upcast_norms and parameter.ndim == 1 and parameter.dtype != torch.float32:
            parameter.data = parameter.data.float()
    return model


def attention_name(config: Any, wanted: str) -> str:
    """The name under which transformers knows the kernel; eager where an architecture has no other."""
    from transformers import AutoModelForCausalLM

    architecture: Any = AutoModelForCausalLM._model_mapping.get(type(config), None)
    if wanted == "sdpa" and not getattr(architecture, "_supports_sdpa", True):
        print(f"{architecture.__name__} has no sdpa attention in transformers: eager is used", flush=True)
        return "eager"
    return {"flash": "flash_attention_2", "sdpa": attention.register()}.get(wanted, "eager")


def _quantization(recipe: Recipe) -> Any:
    from transformers import BitsAndBytesConfig

    if recipe.quantization == "nf4":
        return BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_use_double_quant=recipe.double_quant,
            bnb_4bit_compute_dtype=DTYPES[recipe.precision],
            bnb_4bit_quant_storage=torch.bfloat16 if recipe.parallel == "fsdp2" else torch.uint8,
        )
    return BitsAndBytesConfig(load_in_8bit=True) if recipe.quantization == "int8" else None


def _check_ram(folder: Path, recipe: Recipe) -> None:
    if recipe.device != "cpu":
        return
    size = sum(f.stat().st_size for f in folder.glob("*.safetensors"))
    free = psutil.virtual_memory().available
    if size > free:
        raise KitError(
            f"the weights take {size / 2**30:.1f} GiB, {free / 2**30:.1f} GiB of RAM are free",
            where=str(folder),
            fix="close programs or choose a smaller model",
        )


def keep_4bit_layers_unpacked(model: nn.Module) -> None:
    """Stop bitsandbytes 0.50 from repacking nf4 weights for CPU inference when a layer enters eval mode.

    The repacked weight stays after the return to training: gradients are then wrong without a word, and its inverse
    does not restore the weight. A test compares weights and gradients before and after an evaluation.
    """
    for module in model.modules():
        if hasattr(module, "support_avx512bf16_for_cpu"):
            setattr(module, "support_avx512bf16_for_cpu", False)  # noqa: B010 - torch types every attribute as a tensor


def bound(model: nn.Module, recipe: Recipe) -> nn.Module:
    """The model with the kit's loss inside its forward, and checkpointing on if the recipe says so."""
    base: Any = step.bind_loss(model, losses.kernel(recipe.loss_kernel, recipe.device))
    if recipe.gradient_checkpointing:
        base.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        if recipe.method != "full":
            base.enable_input_require_grads()
    return base


def add_adapter(model: nn.Module, recipe: Recipe) -> nn.Module:
    """Bind the loss, then wrap the model in a LoRA, DoRA or rsLoRA adapter (or in none for method=full).

    LoRA: Hu et al. 2021; DoRA: Liu et al. 2024; rsLoRA: Kalajdzievski 2023. The adapter starts as the identity.

    Raises:
        KitError: no layer has the asked name; a rank over a layer's size; start_adapter does not fit this model.
    """
    base = bound(model, recipe)
    if recipe.method == "full":
        return base
    if recipe.start_adapter:
        return with_adapter(base, Path(recipe.start_adapter), trainable=True)
    return _new_adapter(base, recipe)


def _new_adapter(base: Any, recipe: Recipe) -> nn.Module:
    from peft import LoraConfig, get_peft_model

    names = [name.strip() for name in recipe.target_modules.split(",")]
    linear = {name.rsplit(".", 1)[-1]: module for name, module in base.named_modules() if _is_linear(module)}
    head = base.get_output_embeddings()
    body = sorted(name for name, module in linear.items() if module is not head)
    missing = [name for name in names if name != "all-linear" and name not in linear]
    if missing:
        raise KitError(
            f"the model has no layer {missing[0]!r}",
            where="target_modules",
            fix=f"all-linear, or some of {', '.join(body)}",
        )
    narrow = min(
        min(linear[n].in_features, linear[n].out_features) for n in (body if names == ["all-linear"] else names)
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
        target_modules="all-linear" if names == ["all-linear"] else names,
        task_type="CAUSAL_LM",
    )
    return get_peft_model(base, config, autocast_adapter_dtype=recipe.adapter_dtype == "fp32")


def _is_linear(module: nn.Module) -> bool:
    return hasattr(module, "in_features") and hasattr(module, "out_features")


def with_adapter(base: nn.Module, folder: Path, trainable: bool = False) -> nn.Module:
    """The model with a saved adapter; every key and shape must fit (PEFT alone only warns about keys).

    Raises:
        KitError: not an adapter folder, or one made for another model.
    """
    from peft import PeftModel, get_peft_model_state_dict
    from safetensors import safe_open

    weights = folder / "adapter_model.safetensors"
    if not weights.is_file() or not (folder / "adapter_config.json").is_file():
        raise KitError(
            "no adapter here (adapter_config.json and adapter_model.safetensors)",
            where=str(folder),
            fix="give the adapter/ folder of a run",
        )
    try:
        made_for = json.loads((folder / "adapter_config.json").read_text(encoding="utf-8"))["base_model_name_or_path"]
        with safe_open(weights, framework="pt") as file:
            held = {key: tuple(file.get_slice(key).get_shape()) for key in file.keys()}  # noqa: SIM118 - not a dict
    except Exception as error:  # safetensors' faults have no public class
        fix = "copy the folder again, or train the adapter anew"
        raise KitError(f"this adapter cannot be read ({error})", where=str(folder), fix=fix) from None
    fix = f"use the model it was trained on ({made_for})"
    try:
        model = PeftModel.from_pretrained(base, str(folder), is_trainable=trainable)
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


def trainable(model: nn.Module) -> list[nn.Parameter]:
    """The weights that an update changes."""
    return [p for p in model.parameters() if p.requires_grad]


def check_ids(model: nn.Module, rows: Iterable[Sequence[int]]) -> None:
    """Compare token ids with the model's vocabulary.

    Raises:
        KitError: the tokenizer makes ids for which the model has no embedding.
    """
    whole: Any = model
    size, largest = whole.get_input_embeddings().weight.shape[0], max(max(ids) for ids in rows)
    if largest >= size:
        what = f"the tokenizer writes token {largest}, the model knows {size} tokens"
        raise KitError(what, where="model", fix="put the tokenizer files of this very model into its folder")


@torch.no_grad()
def check_head(model: nn.Module, device: str) -> None:
    """Compare the kit's way to logits with the model's own forward on 8 tokens.

    Raises:
        KitError: they differ, so the loss would train other logits than the model serves.
    """
    wrapped: Any = model
    base: Any = wrapped.get_base_model() if hasattr(wrapped, "get_base_model") else wrapped
    was_training = model.training
    model.eval()
    ids = torch.arange(1, 9, device=device).unsqueeze(0)
    own = base(input_ids=ids, use_cache=False).logits[0].float()
    hidden = base.get_decoder()(input_ids=ids, use_cache=False).last_hidden_state[0]
    ours = step.output_head(base)(hidden).float()
    model.train(was_training)
    if not torch.allclose(own, ours, rtol=1e-3, atol=1e-3 * float(own.abs().max())):
        raise KitError(
            f"{type(base).__name__} changes its logits in a way the kit does not know",
            where="model",
            fix="report the architecture; use another model until then",
        )
