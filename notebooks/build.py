"""Derive everything in notebooks/ from notebooks/source/NN_name.py (jupytext percent), the only files to edit.

    source/NN_name.py ──► NN_name.ipynb             learners: no outputs, solutions cut out, instructor cells left out
                     ├──► solutions/NN_name.ipynb   everything, executed on the bundled model on a CPU, with outputs
                     └──► instructor/NN_name.md     the instructor cells, with the minute plan they add up to

Two markers only. `# solution` inside a cell: what stands below it, up to a dedent or the end of the cell, is cut for
learners and replaced by `...`. Tags: solution (a cell only solutions have), instructor (a cell only the notes have),
exercise, check, long, parameters, raises-exception, keep_output (a cell whose output learners get too).

    build.py                  what is stale is made anew; a solution is executed only if its code changed
    build.py --execute        every solution is executed: after a change of the kit, its data or its recipes
    build.py --no-execute     seconds: texts only
    build.py --check          write nothing, list what is stale, exit 1 if something is
"""

import argparse
import base64
import hashlib
import io
import json
import os
import re
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

import jupytext
import nbformat

HERE = Path(__file__).resolve().parent
MARK = re.compile(r"^( *)# solution\s*$")
MINUTES = re.compile(r"^minutes: (\d+) short, (\d+) long\n*")
LINK = re.compile(r"\]\(((?!\w+:|#|/)[^)\s]+)\)")
KERNEL = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
MOST_LINES, USUAL_LINES, COLUMNS, MOST_BYTES = 25, 15, 79, 300_000


def sources() -> list[Path]:
    """The lessons, in order."""
    return sorted((HERE / "source").glob("[0-9][0-9]_*.py"))


def cells_of(source: Path) -> list[Any]:
    """The cells of a lesson, each with an id that only depends on its text."""
    cells = jupytext.reads(source.read_text(encoding="utf-8"), fmt="py:percent").cells
    seen: dict[str, int] = {}
    for cell in cells:
        seen[cell.source] = seen.get(cell.source, 0) + 1
        text = f"{cell.cell_type}\n{cell.source}\n{seen[cell.source]}"
        cell.id = hashlib.sha256(text.encode()).hexdigest()[:8]
        tags = cell.metadata.get("tags", [])
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
    return cells


def tags(cell: Any) -> list[str]:
    return cell.metadata.get("tags", [])


def cut(text: str) -> str:
    """A cell as learners get it: below each `# solution`, up to a dedent or the end, there is only `...`."""
    kept: list[str] = []
    depth, blank = None, 0
    for line in text.splitlines():
        if depth is not None:
            if not line.strip():
                blank += 1
                continue
            if len(line) - len(line.lstrip()) >= depth:
                blank = 0
                continue
            kept += [""] * blank
            depth, blank = None, 0
        found = MARK.match(line)
        if found:
            depth = len(found[1])
        kept.append(f"{found[1]}..." if found else line)
    return "\n".join(kept)


def uncut(text: str) -> str:
    """A cell as the solution shows it: without the marker."""
    return "\n".join(line for line in text.splitlines() if not MARK.match(line))


def notebook(cells: list[Any], **metadata: Any) -> Any:
    """A notebook of these cells; their outputs are kept as they are."""
    made = nbformat.v4.new_notebook(metadata={**KERNEL, **metadata}, cells=cells)
    made.nbformat_minor = 5
    return made


def moved(text: str, folder: str) -> str:
    """Markdown written for notebooks/ as it must be in notebooks/`folder`: relative links lead to the same files."""
    return LINK.sub(lambda found: f"]({os.path.relpath(HERE / found[1], HERE / folder)})", text)


def learner(source: Path, solved: Any | None = None) -> Any:
    """The notebook for learners; outputs only in cells tagged keep_output, taken from the executed solution."""
    kept = {c.id: c.outputs for c in solved.cells if c.cell_type == "code"} if solved else {}
    cells = [cell for cell in cells_of(source) if not {"instructor", "solution"} & set(tags(cell))]
    for cell in cells:
        if cell.cell_type == "code":
            cell.source = cut(cell.source)
            cell.outputs = kept.get(cell.id, []) if "keep_output" in tags(cell) else []
            cell.execution_count = None
    return notebook(cells)


def solution(source: Path) -> Any:
    """The whole notebook, not executed; its metadata carry a hash of its code."""
    cells = [cell for cell in cells_of(source) if "instructor" not in tags(cell)]
    for cell in cells:
        cell.source = uncut(cell.source) if cell.cell_type == "code" else moved(cell.source, "solutions")
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    return notebook(cells, kit={"code_sha256": hashlib.sha256(json.dumps(code).encode()).hexdigest()})


def with_outputs(fresh: Any, executed: Any | None) -> Any | None:
    """`fresh` with the outputs of an earlier execution of the same code; None if the code was another."""
    if executed is None or executed.metadata.get("kit") != fresh.metadata["kit"]:
        return None
    pairs = zip(*([cell for cell in one.cells if cell.cell_type == "code"] for one in (fresh, executed)), strict=True)
    for new, old in pairs:
        new.outputs, new.execution_count = old.outputs, old.execution_count
    return fresh


def instructor(source: Path) -> str:
    """The notes: a minute plan, then the instructor cells under the headings of the sections that they follow."""
    title, section = source.stem, ""
    plan: list[tuple[str, int, int]] = []
    notes: list[str] = []
    headings: list[str] = []
    for cell in cells_of(source):
        if cell.cell_type != "markdown":
            continue
        if "instructor" not in tags(cell):
            heads = re.findall(r"^(##?) (.+)$", cell.source, re.MULTILINE)
            title = next((text for level, text in heads if level == "#"), title)
            section = next((text for level, text in reversed(heads) if level == "##"), section)
            continue
        found = MINUTES.match(cell.source)
        if found:
            plan.append((section, int(found[1]), int(found[2])))
        if section not in headings:
            headings.append(section)
            notes.append(f"## {section}")
        notes.append(moved(MINUTES.sub("", cell.source), "instructor"))
    return "\n\n".join([
        f"# Instructor notes: {title}",
        f"Made by `make notebooks` from `notebooks/source/{source.name}`: edit that file.",
        "## Minute plan\n\n" + _plan_table(plan), *notes]) + "\n"


def _plan_table(plan: list[tuple[str, int, int]]) -> str:
    lines = ["| section | short route | ends at | long route | ends at |", "|---|---|---|---|---|"]
    ends = [0, 0]
    for section, *minutes in plan:
        ends = [end + more for end, more in zip(ends, minutes, strict=True)]
        short, long = (f"{more} min | {end // 60}:{end % 60:02}" for more, end in zip(minutes, ends, strict=True))
        lines.append(f"| {section} | {short} | {long} |")
    return "\n".join(lines)


def execute(fresh: Any) -> Any:
    """Run every cell in a fresh kernel in an empty folder, strictly, without widgets and without KIT_FAST."""
    from nbclient import NotebookClient

    # A kernel inherits this process' environment.
    os.environ.update(KIT_STATIC="1", KIT_STRICT="1", KIT_FAST="0", KIT_RUNS="runs", PYTHONUTF8="1")
    with tempfile.TemporaryDirectory(prefix="kit-notebook-") as folder:
        resources = {"metadata": {"path": folder}}
        client = NotebookClient(fresh, timeout=7200, kernel_name="python3", resources=resources, record_timing=False)
        client.execute(cwd=folder)
    for cell in fresh.cells:
        if cell.cell_type == "code":
            cell.outputs = [_clean(output) for output in cell.outputs if not _is_noise(output)]
    fresh.metadata = nbformat.from_dict({**KERNEL, "kit": fresh.metadata["kit"]})
    return fresh


def _is_noise(output: Any) -> bool:
    """Warnings name paths of the machine that built: they are shown to the person who builds, and not kept."""
    if output.get("name") == "stderr":
        print(textwrap.indent(output.text.strip(), "    stderr | "), file=sys.stderr)
    return output.get("name") == "stderr"


def _clean(output: Any) -> Any:
    if "data" in output:
        alternative = output.get("metadata", {}).get("image/png", {}).get("alt")
        output.metadata = {"image/png": {"alt": alternative}} if alternative else {}
        output.data.pop("application/vnd.jupyter.widget-view+json", None)
        if "image/png" in output.data:
            output.data["image/png"] = _smaller(output.data["image/png"])
    return output


def _smaller(picture: str) -> str:
    """A PNG (base64) in 64 colours: a plot loses nothing and takes a third."""
    from PIL import Image

    buffer = io.BytesIO()
    image = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    image.quantize(64, dither=Image.Dither.NONE).save(buffer, format="PNG", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode()


def text_of(made: Any) -> str:
    return nbformat.writes(made, version=4)


def read(path: Path) -> Any | None:
    """The notebook at `path`, or None."""
    return nbformat.read(path, as_version=4) if path.is_file() else None


def derived(source: Path) -> dict[Path, str | None]:
    """Every file of a lesson and the text that it should have; None for a solution that must be executed first."""
    place = HERE / "solutions" / f"{source.stem}.ipynb"
    solved = with_outputs(solution(source), read(place))
    return {
        place: text_of(solved) if solved else None,
        HERE / f"{source.stem}.ipynb": text_of(learner(source, solved)),
        HERE / "instructor" / f"{source.stem}.md": instructor(source),
    }


def stale(source: Path) -> list[Path]:
    """The derived files of a lesson that are not what the source says."""
    wanted = derived(source).items()
    return [path for path, text in wanted if not path.is_file() or path.read_text(encoding="utf-8") != text]


def faults(made: Any) -> list[str]:
    """Code cells that are too long or too wide to be read in one look."""
    code = [cell.source.splitlines() for cell in made.cells if cell.cell_type == "code"]
    lengths = sorted(len(lines) for lines in code)
    usual = lengths[int(0.9 * (len(lengths) - 1))] if lengths else 0
    found = [f"{len(lines)} lines: {lines[0]}" for lines in code if len(lines) > MOST_LINES]
    found += [f"{len(line)} columns: {line}" for lines in code for line in lines if len(line) > COLUMNS]
    return found + [f"90 % of the cells have up to {usual} lines, not {USUAL_LINES}"] * (usual > USUAL_LINES)


def build(source: Path, *, always: bool, never: bool) -> bool:
    """Write what is stale; False if a solution stays stale because it may not be executed."""
    place = HERE / "solutions" / f"{source.stem}.ipynb"
    fresh = None if always and not never else with_outputs(solution(source), read(place))
    if fresh is None and not never:
        print(f"{source.stem}: executing (minutes) ...", flush=True)
        fresh = execute(solution(source))
    if fresh is not None:
        _write(place, text_of(fresh))
    for path, text in derived(source).items():
        if text is not None:
            _write(path, text)
    return fresh is not None


def _write(path: Path, text: str) -> None:
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    print(f"wrote {path.relative_to(HERE.parent)} ({len(text.encode()) / 1000:.0f} kB)")


def main() -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", help="lessons, such as 02; default: all")
    parser.add_argument("--check", action="store_true", help="only list what is stale; exit 1 if something is")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--execute", action="store_true", help="execute solutions even if their code has not changed")
    how.add_argument("--no-execute", action="store_true", help="never execute; a stale solution stays as it is")
    options = parser.parse_args()
    names = tuple(Path(name).stem for name in options.names)
    chosen = [source for source in sources() if not names or source.stem.startswith(names)]
    if not chosen:
        parser.error(f"no such lesson; there are: {', '.join(source.stem for source in sources())}")
    if options.check:
        old = [f"stale: {path.relative_to(HERE.parent)}" for source in chosen for path in stale(source)]
        print("\n".join(old) or "up to date")
        return bool(old)
    done = [build(source, always=options.execute, never=options.no_execute) for source in chosen]
    if not all(done):
        print("solutions with other code than their source stay as they are: run without --no-execute", file=sys.stderr)
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main())
