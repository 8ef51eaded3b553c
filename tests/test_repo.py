"""The repository keeps its own rules: import arrows, sizes, twins that agree, and libraries as the kit knows them."""

import ast
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
    "runs": "devices errors files hardware recipe rows rundir sources",
    "score": "adapters data encode errors evaluate hardware models recipe rundir",
    "console": "errors hardware markup recipe runs",
    "reference": "errors files plots rundir runs",
    "panels": "errors markup plots recipe",
    "checks": "estimate markup recipe",
    "__main__": "console data doctor encode errors hardware recipe runs score sources",
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


@pytest.mark.parametrize("folder", ["kit", "tests", "notebooks", "data"])
def test_modules_are_short(folder):
    """All but the lessons, whose cells test_notebooks.py measures."""
    paths = [path for path in (ROOT / folder).rglob("*.py") if path.parent.name != "source"]
    long = {path.name: lines(path) for path in paths if lines(path) > MOST_LINES}
    assert paths and not long


def lines(path):
    return len(path.read_text(encoding="utf-8").splitlines())


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
