"""Drift: what the kit passes to libraries, or silences in them, is there in those installed."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

import kit

# Calls whose keywords must exist in the installed libraries; `kit` names them so.
LIBRARY_CALLS = {
    "LoraConfig": "peft",
    "get_peft_model": "peft",
    "PeftModel.from_pretrained": "peft",
    "BitsAndBytesConfig": "transformers",
    "GgufConfig": "transformers",
    "LlamaConfig": "transformers",
    "AutoTokenizer.from_pretrained": "transformers:PreTrainedTokenizerBase",
    "AutoModelForCausalLM.from_pretrained": "transformers:PreTrainedModel",
    "AutoConfig.from_pretrained": "transformers:PreTrainedConfig",
    "Accelerator": "accelerate",
    "snapshot_download": "huggingface_hub",
    "load_dataset": "datasets",
    "FileLock": "filelock",
    "AdamW": "torch.optim",
}


def calls():
    """(the function as written, keyword, place) of each call of a function in LIBRARY_CALLS."""
    for path in sorted(Path(kit.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                written = ast.unparse(node.func)
                name = next((name for name in LIBRARY_CALLS if f".{written}".endswith(f".{name}")), None)
                if name:
                    yield name, [keyword.arg for keyword in node.keywords if keyword.arg], f"{path.name}:{node.lineno}"


def behind(name):
    """The functions that read a call's keywords: of an `Auto...` class also the one that it passes them on to."""
    package, _, holder = LIBRARY_CALLS[name].partition(":")
    for path in [name, *([f"{holder}.{name.split('.')[-1]}"] if holder else [])]:
        thing = importlib.import_module(package)
        for part in path.split("."):
            thing = getattr(thing, part)
        yield thing


@pytest.mark.parametrize("name", LIBRARY_CALLS)
def test_arguments_exist_in_the_installed_library(name):
    used = [(keywords, place) for called, keywords, place in calls() if called == name]
    assert used, f"the kit no longer calls {name}: take it out of LIBRARY_CALLS"
    known: set[str] = set()
    for function in behind(name):
        parameters = inspect.signature(function).parameters
        known |= set(parameters)
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
            known |= set(re.findall(r"""["'](\w+)["']""", inspect.getsource(function)))  # kwargs.pop("...")
    for keywords, place in used:
        assert set(keywords) <= known, f"{place}: {name} of the installed library has no {set(keywords) - known}"


def test_a_model_is_loaded_as_asked(nano_recipe):
    """`dtype`, `attn_implementation` and `quantization_config` take effect: an ignored argument raises nothing."""
    import torch
    from bitsandbytes.nn import Linear4bit

    from kit import models

    plain = models.load_model(nano_recipe(precision="fp32"))
    assert {p.dtype for p in plain.parameters()} == {torch.float32}, "the nano model is stored in bf16"
    assert plain.config._attn_implementation == "kit_sdpa"
    eager = models.load_model(nano_recipe(precision="bf16", attention="eager"))
    assert eager.config._attn_implementation == "eager" and next(eager.parameters()).dtype == torch.bfloat16
    packed = models.load_model(nano_recipe(method="qlora", precision="bf16", quantization="nf4"))
    layers = [module for module in packed.modules() if isinstance(module, Linear4bit)]
    assert len(layers) == 14 and all(layer.weight.quant_state.quant_type == "nf4" for layer in layers)
    assert all(layer.weight.quant_state.nested for layer in layers), "double quantization"


def test_an_adapter_is_made_as_asked(nano_recipe):
    from kit import adapters, models

    fields = {"lora_rank": 4, "lora_alpha": 6.5, "lora_dropout": 0.25, "target_modules": "q_proj,v_proj"}
    recipe = nano_recipe(use_rslora=True, **fields)
    model = adapters.add_adapter(models.load_model(recipe), recipe)
    layers = [module for name, module in model.named_modules() if name.endswith(("q_proj", "v_proj"))]
    assert len(layers) == 4
    assert all(layer.scaling["default"] == 6.5 / 2 and layer.lora_dropout["default"].p == 0.25 for layer in layers)
    assert all(layer.lora_A["default"].weight.shape[0] == 4 for layer in layers)


def test_trackers_go_by_the_names_that_accelerate_knows():
    from accelerate.tracking import LOGGER_TYPE_TO_CLASS

    from kit.recipe import field_help

    assert set(field_help("tracker").choices) - {"none"} <= set(LOGGER_TYPE_TO_CLASS)


def test_what_is_silenced_is_still_said_there(recwarn):
    """Two messages are silenced by logger and by module: both must be where the filters look, and nothing else."""
    import logging
    import warnings

    import transformers

    from kit.errors import quiet_libraries

    place = importlib.util.find_spec("bitsandbytes.backends.cpu.ops").origin
    text = Path(place).read_text(encoding="utf-8")
    assert "Failed to load CPU gemm_4bit_forward" in text and "getLogger(__name__)" in text
    assert text.count("logger.warning(") == 1, "another warning of that module would be silenced, too"
    model = transformers.PreTrainedModel.__new__(transformers.PreTrainedModel)
    ask = transformers.PreTrainedModel.is_gradient_checkpointing.fget
    model.modules = list
    logger = logging.getLogger("bitsandbytes.backends.cpu.ops")
    level = logger.level
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            ask(model)
            assert len(said) == 1, "transformers no longer warns: the filter can go"
            quiet_libraries()
            ask(model)
            assert len(said) == 1
            warnings.warn("another", FutureWarning, stacklevel=1)
            assert len(said) == 2
        assert not logger.isEnabledFor(logging.WARNING)
    finally:
        logger.setLevel(level)


def test_typers_usage_fault_has_its_place():
    """typer keeps its parser's exceptions in a private module; the command line turns them into one line."""
    import typer
    from typer._click.exceptions import ClickException

    assert issubclass(typer.BadParameter, ClickException)
