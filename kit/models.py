"""Load a model as the recipe says, and make sure that it is what it seems."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import psutil
import torch
from torch import nn

from kit import attention, step
from kit.errors import KitError, quiet_libraries
from kit.recipe import Recipe
from kit.sources import local_path, tokenizer_of

__all__ = [
    "attention_name",
    "check_head",
    "check_ids",
    "dtype_of",
    "load_model",
    "load_tokenizer",
    "local_path",
    "trainable",
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
    quiet_libraries()
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
