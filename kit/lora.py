"""A LoRA layer as one function: the matmuls of x·Wᵀ + s·(x·Aᵀ)·Bᵀ and of its gradient, and no pass in between.

PEFT writes the layer as a chain of operations. Each of them (copy, scale, add, cast, and the same in the backward)
passes once over an activation of the layer's width (`tests/benchmarks/bench_lora.py` compares). Here both products
accumulate into one output, and s is applied to the narrow side.
The weights stay where PEFT keeps them, so that saving, loading, merging and switching off are untouched.
"""

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn


def use_one_function(model: nn.Module) -> nn.Module:
    """Give each plain LoRA layer of the model this forward; what it cannot do goes on to PEFT's, call by call."""
    from peft.tuners.lora import LoraLayer

    for module in model.modules():
        if isinstance(module, LoraLayer) and isinstance(module, nn.Module) and _known_base(module):
            object.__setattr__(module, "forward", partial(_forward, module, module.forward))
    return model


def _known_base(module: Any) -> bool:
    return type(module.base_layer).__name__ in ("Linear", "Linear4bit")


def _forward(module: Any, peft_forward: Any, x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    names = module.active_adapters
    plain = torch.is_grad_enabled() and not (args or kwargs or module.disable_adapters or module.merged)
    if not plain or len(names) != 1 or names[0] not in module.lora_A or names[0] in module.lora_variant:
        return peft_forward(x, *args, **kwargs)
    name = names[0]
    down, up, base = module.lora_A[name], module.lora_B[name], module.base_layer
    kind = x.device.type
    autocast = torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind)  # `meta` knows no autocast
    dtype = torch.get_autocast_dtype(kind) if autocast else x.dtype
    adapter_dtypes = {down.weight.dtype, up.weight.dtype}
    dropped = module.training and getattr(module.lora_dropout[name], "p", 0.0) > 0
    elsewhere = any(hasattr(p, "ds_id") for p in (down.weight, up.weight, base.weight))  # ZeRO-3 gathers in children
    mixed = getattr(base, "compute_dtype", None) not in (None, dtype) or (not autocast and adapter_dtypes != {dtype})
    learning = base.weight.requires_grad or (base.bias is not None and base.bias.requires_grad)
    if dropped or elsewhere or mixed or learning or up.bias is not None:
        return peft_forward(x, *args, **kwargs)
    flat = x.to(dtype).reshape(-1, x.shape[-1])
    out = _LoraLinear.apply(flat, down.weight, up.weight, base, module.scaling[name])
    return out.view(*x.shape[:-1], out.shape[-1])


def frozen_weight(base: nn.Module, dtype: torch.dtype) -> Tensor:
    """The frozen weight (out, in), unpacked from 4 bits if need be; it lives as long as one product."""
    weight: Any = base.weight
    state = getattr(weight, "quant_state", None) or getattr(base, "quant_state", None)  # FSDP takes it off the weight
    if state is None:
        return weight.to(dtype)
    from bitsandbytes.functional import dequantize_4bit

    return dequantize_4bit(weight.data, state).to(dtype)


class _LoraLinear(torch.autograd.Function):
    """y = x·Wᵀ + b + s·(x·Aᵀ)·Bᵀ with W and b frozen (Hu et al. 2021, eq. 3).

    Shapes: x (n, in), A (r, in), B (out, r), W (out, in); h = s·x·Aᵀ is kept for the gradient of B. Two dimensions
    here and views outside: autograd forbids to change a view in place that a function of one's own has made.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, down: Tensor, up: Tensor, base: nn.Module, scaling: float) -> Tensor:
        narrow = (x @ down.to(x.dtype).t()).mul_(scaling)
        weight = frozen_weight(base, x.dtype)
        bias: Any = base.bias
        out = x @ weight.t() if bias is None else torch.addmm(bias.to(x.dtype), x, weight.t())
        out.addmm_(narrow, up.to(x.dtype).t())
        ctx.save_for_backward(x, narrow, down, up)
        ctx.base, ctx.scaling = base, scaling
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, narrow, down, up = ctx.saved_tensors
        narrow_grad = (grad @ up.to(grad.dtype)).mul_(ctx.scaling)
        down_grad = (narrow_grad.t() @ x).to(down.dtype) if ctx.needs_input_grad[1] else None
        up_grad = (grad.t() @ narrow).to(up.dtype) if ctx.needs_input_grad[2] else None
        x_grad = None
        if ctx.needs_input_grad[0]:
            x_grad = grad @ frozen_weight(ctx.base, grad.dtype)
            x_grad.addmm_(narrow_grad, down.to(grad.dtype))
        return x_grad, down_grad, up_grad, None, None
