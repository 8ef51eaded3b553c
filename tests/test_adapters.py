"""Adapters: LoftQ's start is the best of its rank, and an adapter that is continued keeps its shape."""

import json
import re

import pytest
import torch
from bitsandbytes.functional import dequantize_4bit
from peft import IA3Config, get_peft_model
from peft.tuners.lora import LoraLayer
from safetensors.torch import load_file, save_file

from kit import adapters, models
from kit.errors import KitError
from kit.recipe import make

LOFTQ = {"method": "qlora", "lora_init": "loftq", "lora_rank": 8}


def built(recipe):
    return adapters.add_adapter(models.load_model(recipe), recipe)


def layers(model):
    """Layer by the name it has without an adapter."""
    prefix = "base_model.model."
    return {n.removeprefix(prefix): m for n, m in model.named_modules() if isinstance(m, LoraLayer)}


def original(folder):
    files = [load_file(path) for path in sorted(folder.glob("*.safetensors"))]
    return {name: value for file in files for name, value in file.items()}


def unpacked(layer):
    """bitsandbytes' own way, in the type that training sees."""
    return dequantize_4bit(layer.base_layer.weight.data, layer.base_layer.weight.quant_state).float()


def line(error):
    text = str(error.value)
    assert "\n" not in text and " -> " in text and len(text) < 400, text
    return text


# LoftQ


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"precision": "bf16"},
        {"double_quant": False},
        {"lora_rank": 1},
        {"lora_alpha": 3.5},
        {"use_rslora": True},
        {"target_modules": "q_proj,down_proj"},
    ],
    ids=str,
)
def test_loftq_is_the_best_of_its_rank(nano_recipe, nano_folder, fields):
    """Eckart-Young: what rank r leaves over of W - nf4(W) is the norm of its singular values from r + 1 on."""
    recipe = nano_recipe(**{**LOFTQ, **fields})
    model, weights = built(recipe), original(nano_folder)
    assert len(layers(model)) == (4 if "target_modules" in fields else 14)
    for name, layer in layers(model).items():
        lost = weights[f"{name}.weight"].float() - unpacked(layer)
        down, up = layer.lora_A["default"].weight.detach(), layer.lora_B["default"].weight.detach()
        left = lost - recipe.lora_alpha / (recipe.lora_rank ** (0.5 if recipe.use_rslora else 1)) * (up @ down)
        sizes = torch.linalg.svdvals(lost.double())
        assert float(left.norm()) == pytest.approx(float(sizes[recipe.lora_rank :].norm()), rel=1e-5), name
        assert 0 < left.norm() < 0.99 * lost.norm(), name
        torch.testing.assert_close(down.norm(), up.norm())  # each half gets the root of the sizes


def test_loftq_changes_the_adapter_only(nano_recipe):
    plain = built(nano_recipe(method="qlora", lora_rank=8)).state_dict()
    loftq = built(nano_recipe(**LOFTQ)).state_dict()
    assert plain.keys() == loftq.keys()
    assert {name for name in plain if not torch.equal(plain[name], loftq[name])} == {n for n in plain if "lora_" in n}


def test_a_model_starts_nearer_to_the_unquantized_one(nano_recipe, ticket_rows):
    ids = torch.tensor([ticket_rows[0].ids])
    with torch.no_grad():
        whole, plain, loftq = (
            built(recipe).eval()(input_ids=ids).logits
            for recipe in (nano_recipe(), nano_recipe(method="qlora"), nano_recipe(**{**LOFTQ, "lora_rank": 48}))
        )
    assert (loftq - whole).norm() < 0.8 * (plain - whole).norm()


def test_loftq_reads_a_model_in_several_files(nano_recipe, nano_folder, tmp_path):
    from transformers import AutoModelForCausalLM

    AutoModelForCausalLM.from_pretrained(nano_folder).save_pretrained(tmp_path, max_shard_size="200KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 2
    whole, parts = (built(nano_recipe(**LOFTQ, model=model)).state_dict() for model in ("nano", str(tmp_path)))
    assert all(torch.equal(whole[name], parts[name]) for name in whole)


@pytest.mark.parametrize("change", ["missing", "another shape"])
def test_loftq_wants_each_weight(nano_recipe, nano_folder, tmp_path, change):
    """A layer whose weight has another name or is transposed in the file (GPT-2's) is not compared with noise."""
    name, weights = "model.layers.1.mlp.up_proj.weight", original(nano_folder)
    value = weights.pop(name)
    save_file(weights if change == "missing" else {**weights, name: value.t().contiguous()}, tmp_path / "x.safetensors")
    model = built(nano_recipe(method="qlora"))
    with pytest.raises(KitError) as error:
        adapters.init_loftq(model, tmp_path)
    assert name in line(error) and "lora_init=default" in line(error) and str(tmp_path) in line(error)


REFUSED = {
    "int8": {"method": "qlora", "quantization": "int8"},
    "DoRA": {"method": "qlora", "use_dora": True},
}


@pytest.mark.parametrize("case", REFUSED)
def test_loftq_is_refused_where_it_has_no_meaning(case):
    make(REFUSED[case])
    with pytest.raises(KitError) as error:
        make({**REFUSED[case], "lora_init": "loftq"})
    assert "set lora_init=default" in line(error)


def test_loftq_without_quantization_is_the_default(nano_recipe):
    """W - W is nothing to make up for: the adapter starts as the identity."""
    model = built(nano_recipe(method="lora", lora_init="loftq"))
    assert all(not p.any() for name, p in model.named_parameters() if "lora_B" in name)


# An adapter from a folder


@pytest.fixture
def saved(nano_recipe, tmp_path):
    """The folder of a trained adapter, rank 4, alpha 6; and the settings that fit it."""
    fields = {"lora_rank": 4, "lora_alpha": 6.0}
    model = built(nano_recipe(**fields))
    with torch.no_grad():
        for layer in layers(model).values():
            layer.lora_B["default"].weight.normal_(std=0.02)
    model.save_pretrained(tmp_path / "adapter", save_embedding_layers=False)
    return tmp_path / "adapter", fields


def test_a_continued_adapter_goes_on_where_it_was(nano_recipe, saved):
    folder, fields = saved
    model = built(nano_recipe(**fields, start_adapter=str(folder)))
    held = load_file(folder / adapters.WEIGHTS)
    for name, layer in layers(model).items():
        assert layer.scaling["default"] == 1.5 and "forward" in vars(layer), "fused"
        for part in ("lora_A", "lora_B"):
            weight = getattr(layer, part)["default"].weight
            assert weight.requires_grad and torch.equal(weight, held[f"base_model.model.{name}.{part}.weight"])
    assert len(held) == 28
    frozen = adapters.with_adapter(models.load_model(nano_recipe()), folder)
    assert not models.trainable(frozen)


@pytest.mark.parametrize(
    "other",
    [
        {"lora_rank": 8}, {"lora_alpha": 32.0}, {"use_dora": True}, {"use_rslora": True},
        {"target_modules": "q_proj,v_proj"}, "defaults",
    ],
    ids=str,
)  # fmt: skip
def test_another_shape_names_the_settings_that_fit(nano_recipe, saved, other):
    """The recipe's rank would be ignored otherwise, and alpha with it; what the line says to set, works."""
    folder, fields = saved
    asked = {"start_adapter": str(folder)} if other == "defaults" else {**fields, **other, "start_adapter": str(folder)}
    with pytest.raises(KitError) as error:
        built(nano_recipe(**asked))
    advice = line(error).split(" -> ")[1]
    settings = dict(re.findall(r"--set (\w+)=(\S+)", advice))
    assert settings.keys() == ({"lora_rank", "lora_alpha"} if other == "defaults" else other.keys())
    assert layers(built(make({**nano_recipe(**asked).model_dump(), **settings})))


def test_a_continued_adapter_takes_the_recipes_dropout_and_its_own_layers(nano_recipe, tmp_path):
    fields = {"lora_rank": 4, "target_modules": "v_proj, q_proj"}
    built(nano_recipe(**fields)).save_pretrained(tmp_path, save_embedding_layers=False)
    model = built(nano_recipe(**fields, lora_dropout=0.25, start_adapter=str(tmp_path)))
    assert {layer.lora_dropout["default"].p for layer in layers(model).values()} == {0.25}
    assert {name.rsplit(".", 1)[-1] for name in layers(model)} == {"q_proj", "v_proj"}


def test_an_old_adapter_does_not_name_every_field(nano_recipe, saved):
    folder, fields = saved
    config = json.loads((folder / adapters.CONFIG).read_text(encoding="utf-8"))
    for name in ("use_dora", "use_rslora"):
        del config[name]
    (folder / adapters.CONFIG).write_text(json.dumps(config), encoding="utf-8")
    assert layers(built(nano_recipe(**fields, start_adapter=str(folder))))
    with pytest.raises(KitError) as error:
        built(nano_recipe(**fields, use_rslora=True, start_adapter=str(folder)))
    assert "--set use_rslora=False" in line(error)


def test_an_adapter_of_another_kind_is_refused(nano_recipe, tmp_path):
    config = IA3Config(target_modules=["k_proj", "down_proj"], feedforward_modules=["down_proj"], task_type="CAUSAL_LM")
    get_peft_model(models.load_model(nano_recipe()), config).save_pretrained(tmp_path, save_embedding_layers=False)
    with pytest.raises(KitError) as error:
        built(nano_recipe(start_adapter=str(tmp_path)))
    assert "IA3" in line(error) and str(tmp_path) in line(error)


def test_loftq_is_saved_for_its_4_bit_weights(nano_recipe, ticket_rows, tmp_path):
    """The adapter holds what quantization lost: on the same packed weights it gives the same model."""
    recipe, ids = nano_recipe(**LOFTQ), torch.tensor([ticket_rows[0].ids])
    model = built(recipe).eval()
    model.save_pretrained(tmp_path, save_embedding_layers=False)
    again = adapters.with_adapter(models.load_model(nano_recipe(method="qlora")), tmp_path).eval()
    with torch.no_grad():
        assert torch.equal(model(input_ids=ids).logits, again(input_ids=ids).logits)


def test_a_model_without_linear_layers_gets_one_line():
    """GPT-2's layers are Conv1D: min() of no layers once ended in a traceback."""
    from transformers import AutoConfig, AutoModelForCausalLM

    config = AutoConfig.for_model("gpt2", n_embd=64, n_layer=1, n_head=4, vocab_size=128)
    recipe = make({"model": "gpt2-like", "method": "lora", "attention": "sdpa", "loss_kernel": "full", "device": "cpu"})
    with pytest.raises(KitError) as error:
        adapters.add_adapter(AutoModelForCausalLM.from_config(config), recipe)
    assert "no linear layers" in line(error) and "method=full" in line(error)
