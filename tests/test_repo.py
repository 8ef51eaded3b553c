"""The repository keeps its own rules: import arrows, sizes, twins that agree, and libraries as the kit knows them."""

import ast
import importlib
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted((ROOT / "kit").glob("*.py"))
MOST_LINES = 300

# Who may import whom. Leaves first; a module may import only what stands above it, so there is no way round.
ALLOWED = {
    # leaves: rules, words, formulas
    "__init__": "",
    "errors": "",
    "devices": "",
    "drivers": "",
    "formats": "",
    "losses": "",
    "markup": "",
    "memory": "",
    "attention": "",
    "readings": "drivers",
    "step": "losses",
    "figures": "markup",
    "plots": "figures markup",
    "files": "errors",
    # machine and recipe
    "cards": "errors files",
    "hardware": "cards devices drivers readings",
    "doctor": "devices files hardware",
    "recipe": "devices errors files hardware",
    "rundir": "errors files recipe",
    "estimate": "errors recipe",
    # weights
    "hub": "errors",
    "bundled": "errors files",
    "sources": "bundled errors files hub",
    "models": "attention errors recipe sources step",
    "lora": "",
    "adapters": "errors lora losses recipe sources step",
    # data
    "rows": "errors files formats",
    "data": "errors formats rows",
    "data_report": "data errors",
    "encode": "data data_report formats",
    "batches": "errors losses recipe step",
    # training
    "optimizers": "recipe",
    "checkpoint": "errors files rundir",
    "preflight": "batches checkpoint errors files hardware memory models recipe step",
    "generate": "encode",
    "evaluate": "batches encode generate recipe step",
    "loop": "batches checkpoint encode errors memory models optimizers preflight recipe rundir step",
    "train": "adapters batches data encode errors estimate evaluate files loop memory models recipe rundir",
    # what people touch
    "runs": "devices errors files hardware recipe rundir sources",
    "score": "adapters data encode errors evaluate hardware models recipe rundir",
    "console": "errors hardware markup recipe runs",
    "reference": "errors files plots rundir runs",
    "panels": "errors markup plots recipe",
    "checks": "estimate markup recipe",
    "__main__": "console data doctor encode errors hardware recipe runs score sources",
}

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


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path):
    """Names imported anywhere in a file, also inside functions: ("kit", "recipe"), ("torch", ""), ..."""
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {(alias.name.split(".")[0], ".".join(alias.name.split(".")[1:])) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            package, _, module = (node.module or "").partition(".")
            found |= {(package, module or alias.name) for alias in node.names}
            assert node.level == 0, f"{path.name}: write `from kit import ...`"
    return found


def arrows(path):
    return {module.split(".")[0] for package, module in imports(path) if package == "kit"}


def tracked():
    """Text files of the repository, as git knows them (or as they lie there, outside of git)."""
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    names = listing.stdout.split("\n")[:-1] or [str(path.relative_to(ROOT)) for path in ROOT.rglob("*.*")]
    kinds = {".py", ".md", ".toml", ".yml", ".json", ".jsonl", ".ipynb", ".sh", ""}
    return [ROOT / name for name in names if Path(name).suffix in kinds and (ROOT / name).is_file()]


# Imports and sizes


def test_every_module_has_its_place():
    names = {path.stem for path in MODULES}
    assert names == ALLOWED.keys(), "each module of kit/ stands once in ALLOWED, with what it may import"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_imports_follow_the_arrows(path):
    allowed = set(ALLOWED.get(path.stem, "").split())
    assert arrows(path) <= allowed, f"{path.stem} must not import {arrows(path) - allowed}"
    assert allowed <= arrows(path), f"ALLOWED names more than {path.stem} imports: {allowed - arrows(path)}"


def test_arrows_have_no_way_round():
    order = list(ALLOWED)
    for place, (name, allowed) in enumerate(ALLOWED.items()):
        assert set(allowed.split()) <= set(order[:place]), f"{name} imports what stands below it"


def test_widgets_stay_in_panels():
    importers = [path.name for path in MODULES if "ipywidgets" in {package for package, _ in imports(path)}]
    assert importers == ["panels.py"]


def test_the_package_holds_its_version_only():
    body = [node for node in tree(ROOT / "kit" / "__init__.py").body if not isinstance(node, ast.Expr)]
    assert [ast.unparse(node).split(" = ")[0] for node in body] == ["__version__"]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_modules_are_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_text_files_name_their_encoding(path):
    """Else a file is read as cp1252 on Windows."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of_path = node.func.attr == "read_text" or (node.func.attr == "write_text" and len(node.args) == 1)
            keywords = {keyword.arg for keyword in node.keywords}
            assert not of_path or "encoding" in keywords, f"{path.name}:{node.lineno}"


# Twins


def test_environment_yml_is_pyproject():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["lab"], *extras["test"], "--editable ."]
    conda = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    inside = next(item["pip"] for item in conda if isinstance(item, dict))
    assert sorted(inside) == sorted(wanted)
    assert f"python{project['requires-python']}" in conda


def tree_of_readme():
    """Paths in the code block under the heading `File tree`; deeper lines belong to the folder above them."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = re.search(r"^#+ [^\n]*file tree[^\n]*$(.*?)(?=^#+ |\Z)", text, re.I | re.M | re.S)
    assert section, "README.md has a section `File tree`"
    block = re.search(r"```\w*\n(.*?)```", section[1], re.S)
    assert block, "the file tree is a code block"
    paths, folders = [], []
    for line in block[1].splitlines():
        entry = re.match(r"([\s│├└─|`+-]*)([\w./*-]+)", line)
        if not entry:
            continue
        depth, name = len(entry[1]), entry[2]
        folders = [(at, folder) for at, folder in folders if at < depth]
        path = "".join(folder for _, folder in folders) + name.removeprefix("./")
        paths.append(path)
        if name.endswith("/"):
            folders.append((depth, name))
    return paths


def test_readme_names_every_file():
    named = [path for path in tree_of_readme() if path.endswith(".py")]
    assert len(named) == len(set(named))
    for folder in ("kit", "notebooks/source"):
        there = {f"{folder}/{path.name}" for path in (ROOT / folder).glob("*.py")}
        assert {path for path in named if path.startswith(f"{folder}/")} == there
    for path in tree_of_readme():
        assert (ROOT / path).exists() or "*" in path, f"README.md names {path}, which is not there"


# Tools


def test_ruff_reads_the_sources_of_notebooks():
    command = [sys.executable, "-m", "ruff", "check", "--show-files"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout.splitlines()
    assert {*(ROOT / "notebooks").glob("source/*.py"), ROOT / "notebooks" / "build.py"} <= {*map(Path, shown)}
    assert not [path for path in shown if path.endswith(".ipynb")], "those are derived"


@pytest.mark.skipif(not shutil.which("make"), reason="no make on this system")
def test_make_keeps_runs_in_one_ignored_folder(tmp_path):
    """Kernels of notebooks work in notebooks/ and notebooks/solutions/: their runs once lay there."""
    ask = tmp_path / "ask.mk"
    ask.write_text('include Makefile\nshow:\n\t@echo "$$KIT_RUNS"\n', encoding="utf-8")
    command = ["make", "--no-print-directory", "-f", str(ask), "show"]
    plain = {name: value for name, value in os.environ.items() if name != "KIT_RUNS" and not name.startswith("MAKE")}
    for given, expected in (({}, ROOT / "runs"), ({"KIT_RUNS": "/elsewhere"}, Path("/elsewhere"))):
        said = subprocess.run(command, cwd=ROOT, env=plain | given, capture_output=True, encoding="utf-8", check=True)
        assert Path(said.stdout.strip()) == expected
    assert "runs/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


# What must not be in a file


def test_no_file_names_this_machine():
    """No home folders, and no package index or mirror: neither those of this machine nor the usual ones."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    settings = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    hosts = set(re.findall(r"(?:https?|file)://([^\s'\"]+)", settings.stdout))
    forbidden = [*(re.escape(host.split("/")[0] or host) for host in hosts if "pypi.org" not in host)]
    forbidden += [r"/home/\w", r"/Users/\w", r"/root/", r"/work/\w", r"/tmp/\w"]
    forbidden += [r"pypi\.org/simple", r"pythonhosted", r"registry\.npmjs", r"artifactory", r"\.internal\b"]
    pattern = re.compile("|".join(forbidden))
    own = Path(__file__).name
    for path in tracked():
        if path.name != own:
            found = pattern.search(path.read_text(encoding="utf-8"))
            assert not found, f"{path.relative_to(ROOT)}: {found[0]!r}"


def test_no_file_is_huge():
    for path in tracked():
        assert path.stat().st_size < 5_000_000, path


def test_json_files_are_json():
    for path in tracked():
        if path.suffix == ".json":
            json.loads(path.read_text(encoding="utf-8"))
        elif path.suffix == ".jsonl":
            for line in path.read_text(encoding="utf-8").splitlines():
                json.loads(line)


# Drift: what the kit passes to libraries exists in those installed


def calls():
    """(the function as written, keyword, place) of each call of a function in LIBRARY_CALLS."""
    for path in MODULES:
        for node in ast.walk(tree(path)):
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
