"""The `kit` command: one function call a verb. Bad input: one line and exit code 2."""

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer._click.exceptions import ClickException  # typer has no public name for what its parser raises

from kit.errors import KitError

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
    help="Fine-tune language models on the hardware you own: look at the machine, run a recipe, score the result.",
    epilog="Start with: kit doctor; kit run smollm2-qlora",
)  # fmt: skip
AsJson = Annotated[bool, typer.Option("--json", help="print one JSON object as the last line of stdout")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="FIELD=VALUE", help="change a field of the recipe; may be repeated")
]
QUIET = {"TRANSFORMERS_VERBOSITY": "error", "HF_HUB_DISABLE_PROGRESS_BARS": "1", "BITSANDBYTES_NOWELCOME": "1"}


def main() -> None:
    """Entry point: faults of the input become one line on stderr and exit code 2, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    _quiet_libraries()
    try:
        # Without arguments the parser would print its help as a fault.
        code = app(args=sys.argv[1:] or ["--help"], prog_name="kit", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except KitError as error:
        _fail(str(error), 2)
    except ClickException as error:
        context = getattr(error, "ctx", None)
        _fail(f"{error.format_message()} -> `{context.command_path if context else 'kit'} --help` shows how", 2)
    except (KeyboardInterrupt, typer.Abort):
        _fail("interrupted", 130)
    except BrokenPipeError:  # the reader, such as `head`, has seen enough; nothing is left to say at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        if os.environ.get("KIT_TRACEBACK") == "1":
            raise
        _fail(_unforeseen(error), 2)


def _fail(message: str, code: int) -> None:
    print(f"kit: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(code)


def _unforeseen(error: Exception) -> str:
    """One line about a fault that no module has foreseen; memory and files have a known way out."""
    if "out of memory" in str(error).lower() or type(error).__name__ in {"OutOfMemoryError", "MemoryError"}:
        return f"out of memory ({str(error)[:120]}) -> fewer --rows, a smaller model, or close other programs"
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror or error} -> check the path and its permissions"
    advice = "set KIT_TRACEBACK=1 to see where, and report it"
    return f"internal error: {type(error).__name__}: {str(error)[:200]} -> {advice}"


def _quiet_libraries() -> None:
    """Keep what libraries say to programmers out of the answers to people."""
    import logging
    import warnings

    if os.environ.get("KIT_TRACEBACK") == "1":
        return
    warnings.simplefilter("ignore")
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    for library in ("transformers", "bitsandbytes", "peft", "datasets", "huggingface_hub"):
        logging.getLogger(library).setLevel(logging.ERROR)


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """What this machine is, what it can do and why, and what is missing. Paste the output into an issue.

    Example: kit doctor --json
    """
    from kit import doctor as checks
    from kit.hardware import detect

    machine = detect()
    findings = checks.doctor(machine)
    print(checks.doctor_text(machine, findings))
    if as_json:
        _print_json(checks.as_dict(machine, findings))
    if any(finding.ok is False for finding in findings):
        sys.exit(1)


@app.command()
def run(
    recipe: Annotated[
        str, typer.Argument(help="a preset (`kit recipe` lists them) or a JSON file; with --resume a run directory")
    ],
    settings: Settings = None,
    out: Annotated[Path | None, typer.Option(help="the run directory; default: a new one in runs/")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="continue the run directory given as RECIPE")] = False,
    detach: Annotated[bool, typer.Option("--detach", help="start it and return; `kit runs --follow` shows it")] = False,
    must_learn: Annotated[bool, typer.Option("--must-learn", help="exit 1 unless the score clearly rose")] = False,
    on_oom: Annotated[str | None, typer.Option(help="stop or retry: the same as --set on_oom=...")] = None,
    as_json: AsJson = False,
) -> None:
    """Fine-tune: check the data, score, train, score again. Ctrl-C saves and ends cleanly; --resume goes on.

    Example: kit run smollm2-qlora --set lora_rank=8 --set max_steps=50
    """
    from kit import console, runs

    changes = _parsed([*(settings or []), *([f"on_oom={on_oom}"] if on_oom else [])])
    if resume:
        if changes or out:
            fix = "leave out --set, --out and --on-oom"
            raise KitError("a resumed run keeps its recipe and folder", where="--resume", fix=fix)
        the_run = runs.resume(recipe)
    else:
        the_run = runs.start(_recipe(recipe, changes), out)
    if detach:
        print(the_run.folder)
        return
    status = console.follow(the_run)
    summary = the_run.summary() or {"run_dir": str(the_run.folder), "status": status}
    if status in {"finished", "stopped"}:
        print(console.report(the_run))
    if as_json:
        _print_json(summary)
    if status == "failed":
        raise KitError(summary["error"])
    if status == "died":
        raise KitError(console.cause_of_death(the_run), where=str(the_run.folder))
    if must_learn and not console.learnt(summary):
        print(f"kit: {console.not_learnt(summary)}", file=sys.stderr)
        sys.exit(1)


@app.command()
def runs(
    follow: Annotated[str | None, typer.Option(help="a run directory, or `latest`: show it until it ends")] = None,
    stop: Annotated[str | None, typer.Option(help="a run directory, or `latest`: save and end it")] = None,
) -> None:
    """List the runs here, follow one, or stop one.

    Example: kit runs --follow latest
    """
    from kit import console
    from kit import runs as store

    chosen = follow or stop
    if not chosen:
        print(console.listing(store.all_runs()))
        return
    the_run = store.latest() if chosen == "latest" else store.Run(chosen)
    if stop:
        the_run.stop()
    console.follow(the_run)
    print(console.report(the_run))


@app.command()
def evaluate(
    target: Annotated[
        str, typer.Argument(help="a run directory (its adapter), or a model: nano, smollm2-135m, a folder, a hub id")
    ],
    rows_from: Annotated[str, typer.Option("--data", help="rows to score; default: those of the run's recipe")] = "",
    rows: Annotated[int, typer.Option(min=0, help="at most so many rows; 0: all")] = 0,
    as_json: AsJson = False,
) -> None:
    """Exact match, valid JSON and perplexity on held-out rows (all of them unless --rows says otherwise).

    Example: kit evaluate smollm2-135m --data tickets/test.jsonl --rows 50
    """
    from kit import console, score

    result = score.score_target(target, rows_from, rows, console.counter("score"))
    print(result.scores.line())
    if as_json:
        _print_json({"target": target, **result.scores._asdict()})


@app.command()
def data(
    source: Annotated[str, typer.Argument(help="a JSONL, JSON, CSV or Parquet file, a shipped file, or a hub id")],
    model: Annotated[str, typer.Option(help="whose tokenizer and chat template to use")] = "smollm2-135m",
    max_length: Annotated[int, typer.Option(min=8, help="rows longer than this are left out")] = 512,
    as_json: AsJson = False,
) -> None:
    """The data doctor: what would be read, kept, trained and lost, and why (file:line).

    Example: kit data my_rows.jsonl --model smollm2-135m --max-length 1024
    """
    from kit import encode
    from kit.data import read
    from kit.sources import local_path, tokenizer_of

    report = encode.encode(read(source), tokenizer_of(local_path(model)), max_length)
    print(report.text())
    if as_json:
        _print_json(report.as_dict())
    encode.check_loss(report, 0.01)


@app.command()
def recipe(
    name: Annotated[str | None, typer.Argument(help="a preset or JSON file to show; none: list the presets")] = None,
    settings: Settings = None,
    fields: Annotated[bool, typer.Option("--fields", help="explain every field of a recipe")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a recipe as this machine would run it, with the reasons; or list presets, or explain the fields.

    Example: kit recipe smollm2-qlora --set lora_rank=8
    """
    from kit import console
    from kit import recipe as recipes
    from kit.hardware import detect

    if fields:
        print(console.fields_text())
    elif name is None:
        print("\n".join(recipes.presets()))
    else:
        resolved = _recipe(name, _parsed(settings or [])).resolve(detect())
        print(recipes.as_code(resolved))
        print("\n".join(f"{field}: {why}" for field, why in resolved.reasons.items()))
        if as_json:
            _print_json(resolved.model_dump())


def _recipe(name: str, changes: dict[str, str]) -> Any:
    from kit.recipe import load

    return load(name, changes)


def _parsed(settings: list[str]) -> dict[str, str]:
    changes: dict[str, str] = {}
    for item in settings:
        field, equals, value = item.partition("=")
        if not equals or not field:
            fix = "write --set field=value, for example --set lora_rank=8"
            raise KitError(f"cannot read {item!r}", where="--set", fix=fix)
        changes[field.strip()] = value
    return changes


def _print_json(value: dict[str, Any]) -> None:
    print(json.dumps(value, ensure_ascii=False, default=str))


if __name__ == "__main__":
    main()
