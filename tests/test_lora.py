"""The fused LoRA layer: PEFT's values and gradients, PEFT's forward for all else, and a layer like any other."""

import copy
import pickle

import pytest
import torch
from lora_helpers import (
    MIXED,
    SHAPES,
    assert_close,
    built,
    fused,
    inputs,
    layers,
    one_layer,
    peft_forward,
    results,
    without_fusion,
)
from peft import LoraConfig
from torch import nn

from kit import adapters, batches, lora, models

# The same numbers


@pytest.mark.parametrize("learns", [True, False], ids=["x learns", "x does not"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("bias", [False, True], ids=["no bias", "bias"])
@pytest.mark.parametrize("method", ["lora", "qlora"])
def test_values_and_gradients_are_pefts(nano_recipe, method, bias, shape, learns):
    layer = one_layer(nano_recipe(method=method), bias)
    x = inputs(layer, *shape)
    ours, theirs = (results(layer, forward, x, learns) for forward in (layer, peft_forward(layer)))
    assert fused(ours["output"]) and not fused(theirs["output"])
    assert_close(ours, theirs, 1e-6)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("bias", [False, True], ids=["no bias", "bias"])
def test_autocast_on_4_bits_is_as_near_to_fp32_as_peft(nano_recipe, bias, dtype):
    layer = one_layer(nano_recipe(**MIXED), bias)
    x = inputs(layer, 2, 64, dtype=dtype)
    ours, theirs = (results(layer, f, x, autocast=torch.bfloat16) for f in (layer, peft_forward(layer)))
    assert fused(ours["output"]) and ours["output"].dtype == torch.bfloat16
    assert_close(ours, theirs, 1e-2)
    if not bias:  # bitsandbytes casts the bias in place
        layer.base_layer.compute_dtype = torch.float32
        exact = results(layer, peft_forward(layer), x.float())
        for name, value in exact.items():
            off, peft_off = ((r[name].float() - value).norm() for r in (ours, theirs))
            assert off <= 1.2 * peft_off, name


@pytest.mark.parametrize("checkpointing", [False, True])
@pytest.mark.parametrize("method", ["lora", "qlora"])
def test_a_model_gets_pefts_gradients(nano_recipe, ticket_rows, monkeypatch, method, checkpointing):
    """All layers of the model, also when their forward is run again in the backward (use_reentrant=False)."""
    recipe = nano_recipe(method=method, gradient_checkpointing=checkpointing)
    batch, calls, real = batches.collate(ticket_rows[:4], 0, 32), [], lora.frozen_weight
    monkeypatch.setattr(lora, "frozen_weight", lambda *given: calls.append(1) or real(*given))

    def gradients(model):
        loss = model(input_ids=batch.input_ids, positions=batch.positions, targets=batch.targets)
        loss.backward()
        return {"loss": loss, **{name: p.grad for name, p in model.named_parameters() if p.requires_grad}}

    theirs = gradients(without_fusion(built(recipe)))
    assert not calls and len(theirs) == 1 + 2 * 14
    ours = gradients(built(recipe))
    # Twice in each of the 14 layers, three times with checkpointing; without, q, k and v of the first have no x grad.
    assert len(calls) == (3 * 14 if checkpointing else 2 * 14 - 3)
    assert_close(ours, theirs, 2e-6)


# What is not plain is PEFT's


def dropout(layer, _model):
    return layer.train()


def base_learns(layer, _model):
    layer.base_layer.weight.requires_grad_()


def two_adapters(_layer, model):
    model.add_adapter("second", LoraConfig(r=4, target_modules="all-linear", init_lora_weights=False))
    model.base_model.set_adapter(["default", "second"])


def foreign_adapter(_layer, model):
    """Active, but not in this layer."""
    model.add_adapter("second", LoraConfig(r=4, target_modules=["q_proj"], init_lora_weights=False))
    model.set_adapter("second")


def bias_of_b(layer, _model):
    layer.lora_B["default"].bias = nn.Parameter(torch.ones(layer.out_features))


def sharded_by_deepspeed(layer, _model):
    layer.base_layer.weight.ds_id = 1


NOT_PLAIN = {
    "DoRA": ({"use_dora": True}, None),
    "DoRA on 4 bits": ({"use_dora": True, "method": "qlora"}, None),
    "dropout in training": ({"lora_dropout": 0.5}, dropout),
    "int8": ({"method": "qlora", "quantization": "int8"}, None),
    "merged": ({}, lambda _layer, model: model.merge_adapter()),
    "two adapters": ({}, two_adapters),
    "another adapter": ({}, foreign_adapter),
    "base weights that learn": ({}, base_learns),
    "bias in B": ({}, bias_of_b),
    "ZeRO-3": ({}, sharded_by_deepspeed),
    "fp32 adapter, bf16 input, no autocast": ({"precision": "bf16"}, None),
    "4 bits that compute in bf16, fp32 input, no autocast": ({"precision": "bf16-mixed", "method": "qlora"}, None),
}


@pytest.mark.parametrize("case", NOT_PLAIN)
def test_what_is_not_plain_goes_to_peft(nano_recipe, case):
    fields, change = NOT_PLAIN[case]
    recipe = nano_recipe(**fields)
    model = built(recipe)
    layer = model.base_model.model.get_decoder().layers[0].mlp.up_proj
    x = inputs(layer, 2, 5, dtype=torch.bfloat16 if recipe.precision == "bf16" else torch.float32).requires_grad_()
    before = layer(x)
    if change:
        assert fused(before) == (case != "dropout in training")
        change(layer, model)
    torch.manual_seed(3)
    ours = layer(x)
    torch.manual_seed(3)
    theirs = type(layer).forward(layer, x)
    assert not fused(ours) and torch.equal(ours, theirs)
    if case in {"two adapters", "another adapter", "bias in B", "dropout in training"}:
        assert not torch.allclose(ours, before, rtol=1e-3), "the fused forward would have been wrong"


def test_adapters_off_and_no_gradients_are_pefts(nano_recipe, monkeypatch):
    model = built(nano_recipe())
    layer = layers(model)[0]
    x = inputs(layer, 2, 5).requires_grad_()
    base = layer.base_layer(x)
    with model.disable_adapter():
        assert torch.equal(layer(x), base)
    assert fused(layer(x)) and not torch.allclose(layer(x), base)
    monkeypatch.delattr(lora, "frozen_weight")  # nothing of the fused layer runs
    with torch.no_grad():
        assert torch.equal(layer(x), type(layer).forward(layer, x))


def test_what_passes_through_is_plain_again_afterwards(nano_recipe):
    """Dropout outside of training, an unmerged adapter, adapters of the input's type."""
    model = built(nano_recipe(lora_dropout=0.5))
    layer = layers(model)[0]
    x = inputs(layer, 2, 5)
    assert not fused(layer(x))
    model.eval()
    assert fused(layer(x))
    model.merge_adapter()
    assert not fused(layer(x))
    model.unmerge_adapter()
    assert fused(layer(x))
    same = layers(built(nano_recipe(precision="bf16", adapter_dtype="bf16")))[0]
    assert fused(same(x.bfloat16()))


def test_fusing_twice_is_fusing_once(nano_recipe):
    layer = one_layer(nano_recipe())
    x = inputs(layer, 2, 5)
    once = layer(x)
    assert torch.equal(lora.use_one_function(layer)(x), once) and fused(layer(x))


# A layer like any other


def test_an_output_can_be_changed_in_place(nano_recipe):
    """autograd refuses this for a view that a custom function made, and some models do it to their projections."""
    layer = one_layer(nano_recipe())
    for shape in SHAPES.values():
        x = inputs(layer, *shape)
        ours, theirs = (results(layer, lambda x, f=f: f(x).mul_(3), x) for f in (layer, peft_forward(layer)))
        assert_close(ours, theirs, 1e-6)


def test_a_rehearsal_on_meta_has_the_shapes(nano_recipe):
    """torch raises when it is asked for the autocast state of `meta`."""
    layer = one_layer(nano_recipe()).to("meta")
    out = layer(torch.empty(2, 5, layer.in_features, device="meta", requires_grad=True))
    assert fused(out) and out.shape == (2, 5, layer.out_features)
    out.sum().backward()


def test_4_bit_weights_are_read_as_bitsandbytes_reads_them(nano_recipe):
    """A wrapper such as FSDP puts a plain parameter into the place of the 4-bit one; the layer keeps the scales."""
    layer = one_layer(nano_recipe(method="qlora"))
    x = inputs(layer, 2, 5)
    expected = layer(x)
    layer.base_layer.weight = nn.Parameter(layer.base_layer.weight.data, requires_grad=False)
    assert torch.equal(layer(x), expected)


COPIES = {"deepcopy": copy.deepcopy, "pickle": lambda model: pickle.loads(pickle.dumps(model))}


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("method", ["full", "lora", "qlora"])
def test_a_copy_of_a_model_is_on_its_own(nano_recipe, ticket_rows, method, copied):
    """A forward kept on the object must be the copy's: a closure over the model goes on to train the original."""
    batch = batches.collate(ticket_rows[:2], 0, 32)
    asked = {"input_ids": batch.input_ids, "positions": batch.positions, "targets": batch.targets}
    original = built(nano_recipe(method=method, loss_kernel="fused"))
    before = float(original(**asked).detach())
    twin = COPIES[copied](original)
    assert float(twin(**asked).detach()) == before
    with torch.no_grad():
        for parameter in models.trainable(twin):
            parameter.mul_(1.5)
    after = twin(**asked)
    assert float(original(**asked).detach()) == before != float(after.detach())
    after.backward()
    assert all(p.grad is None for p in original.parameters())
    assert all(p.grad is not None for p in models.trainable(twin))
    with torch.no_grad():  # the model's own forward too
        assert not torch.equal(twin(input_ids=batch.input_ids).logits, original(input_ids=batch.input_ids).logits)


@pytest.mark.parametrize("method", ["lora", "qlora"])
def test_saving_and_loading_know_nothing_of_it(nano_recipe, ticket_rows, tmp_path, method):
    from safetensors.torch import load_file

    recipe = nano_recipe(method=method)
    model, ids = built(recipe), torch.tensor([ticket_rows[0].ids])
    model.save_pretrained(tmp_path / "fused", save_embedding_layers=False)
    expected = model(input_ids=ids).logits
    without_fusion(model).save_pretrained(tmp_path / "plain", save_embedding_layers=False)
    ours, theirs = (load_file(tmp_path / name / adapters.WEIGHTS) for name in ("fused", "plain"))
    assert ours.keys() == theirs.keys() and all(torch.equal(ours[name], theirs[name]) for name in theirs)
    base = adapters.prepare_base(models.load_model(recipe), recipe)
    loaded = lora.use_one_function(adapters.with_adapter(base, tmp_path / "fused", recipe))
    assert torch.equal(loaded.train()(input_ids=ids).logits, expected)
