"""Memory by plain arithmetic, from the model's shapes alone. Every figure here is `arithmetic`, none is traced.

The worst case: every row as long as max_length and every position trained. The out-of-memory report uses it to name
the cheapest way out.
"""

from typing import Any, NamedTuple

from kit.recipe import Recipe

# Changing these gives the same loss and the same update but for rounding; anything else trains something else.
SAME_TRAINING = frozenset({"batch_size", "gradient_accumulation_steps", "gradient_checkpointing", "loss_kernel"})
NF4_SCALE_BITS = {False: 32 / 64, True: 8 / 64 + 32 / (64 * 256)}  # Dettmers et al. 2023, section 3: 0.5 or 0.127
OPTIMIZER_BYTES = {
    "adamw": 2,
    "adamw_fused": 2,
    "adamw_8bit": 0.5,
    "paged_adamw": 2,
    "paged_adamw_8bit": 0.5,
}  # x 4 bytes


class Shape(NamedTuple):
    """What arithmetic needs to know of a model."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    vocabulary: int
    linears: tuple[tuple[int, int], ...]  # (in, out) of every linear layer but the head
    other_parameters: int  # embeddings, head, norms


class Estimate(NamedTuple):
    """Predicted bytes by part; their sum is the predicted peak of a training step."""

    parts: dict[str, int]
    reasons: tuple[str, ...]

    @property
    def peak_bytes(self) -> int:
        """All parts together: they are alive at once when the backward pass begins."""
        return sum(self.parts.values())


def shape_of(folder: Any) -> Shape:
    """Shapes of the model in `folder`, from its config.json, built on the meta device: no weights are read.

    Raises:
        KitError: transformers cannot build a causal LM from the config.
    """
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM
    from transformers.pytorch_utils import Conv1D

    from kit.errors import KitError

    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        with torch.device("meta"):
            model = AutoModelForCausalLM.from_config(config, trust_remote_code=False)
    except Exception as error:
        first = (str(error).strip().splitlines() or [type(error).__name__])[0][:160]
        raise KitError(
            f"transformers cannot build this model ({first})", where=f"{folder}/config.json", fix="choose another model"
        ) from None
    text = config.get_text_config()
    head = model.get_output_embeddings()
    inner = [m for m in model.modules() if isinstance(m, torch.nn.Linear | Conv1D) and m is not head]
    linears = tuple(_in_and_out(m) for m in inner)
    return Shape(
        layers=text.num_hidden_layers,
        hidden=text.hidden_size,
        heads=text.num_attention_heads,
        kv_heads=getattr(text, "num_key_value_heads", None) or text.num_attention_heads,
        head_dim=getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads,
        vocabulary=text.vocab_size,
        linears=linears,
        other_parameters=sum(p.numel() for p in model.parameters()) - sum(i * o for i, o in linears),
    )


def _in_and_out(layer: Any) -> tuple[int, int]:
    """GPT-2's Conv1D is a linear layer whose weight lies the other way round."""
    wide, narrow = layer.weight.shape
    return (narrow, wide) if hasattr(layer, "in_features") else (wide, narrow)


def estimate(recipe: Recipe, shape: Shape, longest: int | None = None) -> Estimate:
    """Bytes of one training step of a resolved recipe.

    Args:
        longest: tokens of the longest row where the data are known; default max_length.
    """
    width = _stored_width(recipe)
    body = sum(rows * columns for rows, columns in shape.linears)
    bits = {"none": 8 * width, "nf4": 4 + NF4_SCALE_BITS[recipe.double_quant], "int8": 8}[recipe.quantization]
    autocast_copy = 2 if recipe.method == "full" and recipe.precision.endswith("-mixed") else 0
    adapter = sum(recipe.lora_rank * (i + o) for i, o in shape.linears) if recipe.method != "full" else 0
    trained = adapter or body + shape.other_parameters
    trained_width = (4 if recipe.adapter_dtype == "fp32" else 2) if adapter else width
    tokens = recipe.batch_size * (longest or recipe.max_length)
    parts = {
        "weights": body * (bits / 8 + autocast_copy) + shape.other_parameters * width,
        "adapters": adapter * trained_width,
        "gradients": trained * trained_width,
        "optimizer": trained * trained_width * OPTIMIZER_BYTES[recipe.optimizer],
        "activations": _activations(recipe, shape, tokens, longest or recipe.max_length),
        "logits": _logits(recipe, shape, tokens),
    }
    reasons = (
        "arithmetic: sums over the model's shapes, not a trace of the step",
        f"{tokens} tokens at once ({recipe.batch_size} rows of {tokens // recipe.batch_size}), every position trained",
        f"{bits:.3f} bits for each weight of a linear layer; embeddings and head stay at {8 * width}",
    )
    return Estimate({name: round(value) for name, value in parts.items()}, reasons)


def _activations(recipe: Recipe, shape: Shape, tokens: int, length: int) -> float:
    """Tensors that backward needs; Korthikanti et al. 2022, section 4.1, adapted to gated MLPs and adapters."""
    width = 4 if recipe.precision == "fp32" else 2
    hidden, query, kv = shape.hidden, shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    wide = max(o for _, o in shape.linears)  # the MLP's inner width
    learns = recipe.method == "full"  # only a norm that learns keeps what its weight is multiplied with
    norms = 2 * hidden * (4 + width + _stored_width(recipe) * learns)  # input in fp32, output, normalised input
    eager, short = recipe.attention == "eager", _short(recipe, length)
    repeated = query if eager or short else kv  # plain matmuls need as many key and value heads as query heads
    attention = width * (2 * query + 2 * repeated)  # queries, output, keys, values
    softmax = width if short else 4 + width * (width < 4)  # eager's is in fp32, then cast
    scores = shape.heads * length * softmax * (eager or short)
    mlp = width * 4 * wide  # gate, its activation, up, their product
    adapters = width * recipe.lora_rank * len(shape.linears) / shape.layers if recipe.method != "full" else 0
    outputs = sum(o for _, o in shape.linears) / shape.layers
    dora = width * (2 * outputs + 3 * hidden) * recipe.use_dora  # what base and adapter give, and copies of their input
    layer = norms + attention + scores + mlp + adapters + dora
    if recipe.gradient_checkpointing:
        return tokens * (width * hidden * shape.layers + layer)
    return tokens * layer * shape.layers


def _stored_width(recipe: Recipe) -> int:
    """Bytes of an unquantized weight: trainable ones are in fp32 where compute is mixed."""
    wide = recipe.precision == "fp32" or (recipe.method == "full" and recipe.precision.endswith("-mixed"))
    return 4 if wide else 2


def _short(recipe: Recipe, length: int) -> bool:
    return recipe.device == "cpu" and recipe.attention == "sdpa" and length <= 320  # attention.SHORT, without torch


def _logits(recipe: Recipe, shape: Shape, tokens: int) -> float:
    slice_size = 64 if recipe.device == "cpu" else 1024
    held = min(tokens, slice_size) if recipe.loss_kernel in {"chunked", "fused"} else tokens
    return (
        held
        * shape.vocabulary
        * {"full": 2 + 4 + 4, "inplace": 2, "chunked": 2 + 4 + 4, "fused": 2 + 4}[recipe.loss_kernel]
    )


class Change(NamedTuple):
    """One way to need less memory: fields to set, the predicted saving in bytes, and whether training stays the same.

    Only a change that keeps the loss and the update as they are may be made without asking (`on_oom=retry`).
    """

    settings: dict[str, Any]
    saves_bytes: int
    same_training: bool


def cheaper(recipe: Recipe, shape: Shape, longest: int | None = None) -> list[Change]:
    """Changes that keep the effective batch and need less memory: first those that train the same, largest first.

    Args:
        longest: as for `estimate`.
    """
    base = estimate(recipe, shape, longest).peak_bytes
    options: list[dict[str, Any]] = []
    if recipe.batch_size > 1:
        options.append(half_batch(recipe))
    if not recipe.gradient_checkpointing:
        options.append({"gradient_checkpointing": True})
    if recipe.loss_kernel not in {"chunked", "fused"}:
        options.append({"loss_kernel": "fused"})
    if recipe.method == "lora":
        options.append({"method": "qlora", "quantization": "nf4"})
    if not recipe.optimizer.endswith("8bit") and recipe.device == "cuda":
        options.append({"optimizer": "paged_adamw_8bit"})
    changes = [
        Change(o, base - estimate(recipe.model_copy(update=o), shape, longest).peak_bytes, o.keys() <= SAME_TRAINING)
        for o in options
    ]
    return sorted((c for c in changes if c.saves_bytes > 0), key=lambda c: (not c.same_training, -c.saves_bytes))


def half_batch(recipe: Recipe) -> dict[str, Any]:
    """Half the rows at once, twice the micro-batches: the same effective batch where the batch is even."""
    smaller = next(d for d in range(2, recipe.batch_size + 1) if recipe.batch_size % d == 0)
    return {
        "batch_size": recipe.batch_size // smaller,
        "gradient_accumulation_steps": recipe.gradient_accumulation_steps * smaller,
    }
