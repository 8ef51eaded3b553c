"""The dated table of `make test-long`, from pytest's JUnit file: `python tests/long_table.py JUNIT.xml TABLE.md`."""

import os
import platform
import subprocess
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

from kit.hardware import detect

PACKAGES = ("torch", "transformers", "peft", "bitsandbytes", "accelerate", "trl")


def main(source: Path, target: Path) -> None:
    cases = list(ElementTree.parse(source).getroot().iter("testcase"))
    target.write_text("\n".join([*heading(), *map(line, cases)]) + "\n", encoding="utf-8")


def heading() -> list[str]:
    machine = f"{detect().cpu_name}, {os.cpu_count()} cores; Python {platform.python_version()}"
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return [
        "# `make test-long`, last recorded run",
        "",
        f"{date.today()}, commit {commit()}; {machine}; {packages}.",
        "",
        "| test | result | seconds | figures |",
        "|---|---|---|---|",
    ]


def commit() -> str:
    """The commit that was tested, with + where the working tree differs from it."""
    command = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    found = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True)
    return found.stdout.strip() or "unknown"


def line(case: ElementTree.Element) -> str:
    outcomes = {"failure": "FAILED", "error": "ERROR", "skipped": "skipped"}
    result = next((word for tag, word in outcomes.items() if case.find(tag) is not None), "passed")
    figures = [f"{one.get('name')}: {one.get('value')}" for one in case.iter("property")]
    faults = [fault.get("message") or "" for tag in ("failure", "error") for fault in case.iter(tag)]
    figures += [fault.splitlines()[0].replace("|", "\\|")[:200] for fault in faults if fault]
    module = (case.get("classname") or "").rsplit(".", 1)[-1]
    return f"| {module}: {case.get('name')} | {result} | {float(case.get('time') or 0):.0f} | {'; '.join(figures)} |"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
