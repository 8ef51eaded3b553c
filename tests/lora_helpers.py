"""LoRA layers to compare: with the kit's forward and with PEFT's."""

import torch
from peft.tuners.lora import LoraLayer
from torch import nn

from kit import adapters, models

SHAPES = {"2-D": (7,), "3-D": (2, 7), "one token": (1, 1)}
MIXED = {"method": "qlora", "precision": "bf16-mixed"}


def built(recipe):
    """The model of a recipe, in training, its adapters no longer zero."""
    torch.manual_seed(0)
    model = adapters.add_adapter(models.load_model(recipe), recipe)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_B" in name:
                parameter.normal_(std=0.02)
    return model.train()


def layers(model):
    return [module for module in model.modules() if isinstance(module, LoraLayer)]


def one_layer(recipe, bias=False):
    """A layer that is not square, with an odd scale."""
    layer = next(layer for layer in layers(built(recipe)) if layer.in_features != layer.out_features)
    layer.scaling["default"] = 1.7
    if bias:
        layer.base_layer.bias = nn.Parameter(torch.randn(layer.out_features), requires_grad=False)
    return layer


def peft_forward(layer):
    return lambda x: type(layer).forward(layer, x)


def without_fusion(model):
    for layer in layers(model):
        vars(layer).pop("forward", None)
    return model


def fused(out):
    """Whether the output was made by the fused layer."""
    nodes = [out.grad_fn] if out.grad_fn else []
    nodes += [node for node, _ in nodes[0].next_functions if node] if nodes else []
    return any(node.name() == "_LoraLinearBackward" for node in nodes)


def inputs(layer, *shape, dtype=torch.float32):
    torch.manual_seed(1)
    return torch.randn(*shape, layer.in_features, dtype=dtype)


def results(layer, forward, x, learns=True, autocast=None):
    """The output and the gradients of one pass from the same start."""
    x = x.clone().requires_grad_(learns)
    layer.zero_grad()
    with torch.autocast("cpu", autocast, enabled=autocast is not None):
        out = forward(x)
    torch.manual_seed(2)
    out.backward(torch.randn(out.shape).to(out.dtype))
    adapter = {name: p.grad.clone() for name, p in layer.named_parameters() if "lora_" in name}
    assert len(adapter) == 2
    return {"output": out, **({"x": x.grad} if learns else {}), **adapter}


def assert_close(ours, theirs, tolerance):
    assert ours.keys() == theirs.keys()
    for name, value in theirs.items():
        assert ours[name].shape == value.shape and value.norm() > 0, name
        assert (ours[name].float() - value.float()).norm() <= tolerance * value.float().norm(), name
