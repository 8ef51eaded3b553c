"""The recipe: every bound and clash is one line with its advice, JSON in and out, `auto` resolved with reasons."""

import json
import math

import pytest
from annotated_types import Gt, Lt
from pydantic import ValidationError

from kit.errors import KitError
from kit.hardware import card, detect, pretend
from kit.recipe import Recipe, as_code, field_help, load, make, preset, presets

FIELDS = [name for name in Recipe.model_fields if name != "reasons"]
NUMBERS = [name for name in FIELDS if Recipe.model_fields[name].annotation in {int, float}]
CHOICES = [name for name in FIELDS if field_help(name).choices]


def refused(**values):
    """The one line with which `make` refuses these values."""
    with pytest.raises(KitError) as caught:
        make(values)
    text = str(caught.value)
    assert "\n" not in text and " -> " in text and len(text) < 300, text
    return text


def open_ends(name):
    """Which bounds the field excludes itself."""
    metadata = Recipe.model_fields[name].metadata
    return any(isinstance(m, Gt) for m in metadata), any(isinstance(m, Lt) for m in metadata)


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_explains_itself(name):
    """The descriptions are the tooltips, the command's help and the docs: short, and never empty."""
    help_ = field_help(name)
    assert 10 <= len(help_.description) <= 120 and "\n" not in help_.description
    assert Recipe().model_dump()[name] == help_.default
    if name in NUMBERS:
        assert help_.minimum is not None, "a number without a lower bound"


@pytest.mark.parametrize("name", NUMBERS)
def test_bounds_are_the_ones_that_are_documented(name):
    """The bound itself is taken (or not, where it is open), one step further is refused with the field's name."""
    help_ = field_help(name)
    below, above = open_ends(name)
    for bound, is_open, step in ((help_.minimum, below, -1), (help_.maximum, above, 1)):
        if bound is None:
            continue
        outside = bound if is_open else bound + step
        assert f"{name}={outside!r}" in refused(**{name: outside})


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", ["many", "", None, math.nan, math.inf, [1]])
def test_a_number_must_be_one(name, value):
    assert name in refused(**{name: value})


@pytest.mark.parametrize("name", CHOICES)
def test_choices_are_closed(name):
    assert name in refused(**{name: "something else"})
    assert field_help(name).default in field_help(name).choices


CLASHES = {
    "full on 4 bits": {"method": "full", "quantization": "nf4"},
    "lora on 4 bits": {"method": "lora", "quantization": "nf4"},
    "qlora on nothing": {"method": "qlora", "quantization": "none"},
    "dora without adapter": {"method": "full", "use_dora": True},
    "rslora without adapter": {"method": "full", "use_rslora": True},
    "start adapter without adapter": {"method": "full", "start_adapter": "runs/x/adapter"},
    "zero3 with nf4": {"parallel": "zero3", "world_size": 2},
    "several devices, no way": {"world_size": 2},
    "a way, one device": {"parallel": "ddp"},
}


@pytest.mark.parametrize("clash", CLASHES)
def test_clashes_say_what_to_do(clash):
    """Two values that exclude each other: one line that names both ways out, ready for `--set`."""
    assert "set " in refused(**CLASHES[clash]).split(" -> ")[1]


def test_unknown_fields_name_their_neighbours():
    assert "lora_rank" in refused(lora_rnak=8).split("->")[1]
    assert "--fields" in refused(zzzz=1)


def test_text_is_read_as_the_fields_type():
    """`--set` brings text."""
    made = make({"lora_rank": "8", "learning_rate": "3e-4", "use_dora": "true", "packing": "no"})
    assert (made.lora_rank, made.learning_rate, made.use_dora, made.packing) == (8, 3e-4, True, False)


def test_quantization_follows_the_method():
    assert [make({"method": m}).quantization for m in ("qlora", "lora", "full")] == ["nf4", "none", "none"]
    assert load("smollm2-qlora", {"method": "lora"}).quantization == "none"


def test_frozen():
    with pytest.raises(ValidationError):
        Recipe().lora_rank = 8


@pytest.mark.parametrize("fields", [{}, {"method": "full", "precision": "bf16-mixed"}, {"use_dora": True, "seed": 7}])
def test_json_round_trip(fields, tmp_path):
    made = Recipe(**fields).resolve(detect())
    path = tmp_path / "recipe.json"
    path.write_text(made.model_dump_json(), encoding="utf-8")
    assert load(str(path)) == made
    assert Recipe(**json.loads(json.dumps(made.model_dump()))) == made


@pytest.mark.parametrize("name", presets())
def test_presets_load_resolve_and_print_as_code(name, monkeypatch):
    monkeypatch.delenv("KIT_FAST", raising=False)
    chosen = preset(name)
    assert eval(as_code(chosen), {"Recipe": Recipe}) == chosen
    assert "\n" not in as_code(Recipe()) and as_code(Recipe()) == "Recipe()"
    monkeypatch.setenv("KIT_FAST", "1")
    fast = preset(name)
    assert fast.model == "nano" and fast.max_steps <= 10 and fast.eval_rows <= 8
    assert fast.method == chosen.method


def test_the_preset_of_make_run_is_there():
    assert "smollm2-qlora" in presets()


@pytest.mark.parametrize("machine", ["cpu", "RTX-3090", "T4", "H100-80GB-SXM", "M2-16GB"])
def test_resolve_leaves_no_auto_and_says_why(machine):
    """Every automatic value has a reason; what was set stays; a second pass changes nothing."""
    here = detect() if machine == "cpu" else pretend(card(machine))
    first = Recipe(method="lora").resolve(here)
    automatic = [name for name in FIELDS if getattr(Recipe(), name) == "auto"]
    assert automatic and all(getattr(first, name) != "auto" for name in automatic)
    assert set(automatic) <= set(first.reasons) and all(len(why) > 10 for why in first.reasons.values())
    assert first.resolve(here) == first
    chosen = Recipe(method="lora", precision="fp32", attention="eager", loss_kernel="full").resolve(here)
    assert (chosen.precision, chosen.attention, chosen.loss_kernel) == ("fp32", "eager", "full")
    assert not {"precision", "attention", "loss_kernel"} & set(chosen.reasons)


def test_bf16_is_decided_by_the_cards_generation():
    """torch says that a T4 can do bf16: it emulates it, slowly."""
    assert Recipe(method="lora").resolve(pretend(card("T4"))).precision == "fp16-mixed"
    assert Recipe(method="lora").resolve(pretend(card("RTX-3090"))).precision.startswith("bf16")


@pytest.mark.parametrize(
    ("fields", "field"),
    [({"device": "npu"}, "device"), ({"attention": "flash"}, "attention"), ({"precision": "fp16-mixed"}, "precision"),
     ({"optimizer": "paged_adamw_8bit"}, "optimizer")],
)  # fmt: skip
def test_what_this_machine_cannot_do_is_refused(fields, field):
    """On a CPU, in one line that names the field and the way out."""
    here = pretend(detect().cards[0]) if detect().kind == "cpu" else detect()
    if here.kind != "cpu":
        pytest.skip("this machine has a device of its own")
    with pytest.raises(KitError) as caught:
        Recipe(method="lora", **fields).resolve(here)
    text = str(caught.value)
    assert "\n" not in text and field in text and " -> " in text


def test_unreadable_recipes_are_one_line(tmp_path):
    cases = {
        "broken.json": "{",
        "list.json": "[1]",
        "field.json": '{"lora_rank": 0}',
        "latin.json": '{"model": "\xe9"}',
    }
    for name, text in cases.items():
        (tmp_path / name).write_text(text, encoding="latin-1")
        with pytest.raises(KitError) as caught:
            load(str(tmp_path / name))
        assert "\n" not in str(caught.value) and " -> " in str(caught.value), name
    with pytest.raises(KitError, match="smollm2-qlora"):
        load("no-such-preset")
    with pytest.raises(KitError, match="--set"):
        load("smollm2-qlora", {"lora_rank": "0"})


def test_a_folder_is_not_a_recipe(tmp_path):
    with pytest.raises(KitError):
        load(str(tmp_path))
