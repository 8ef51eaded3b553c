"""How long the command and the recipe take to start: nobody should wait for torch to read a help text.

    python tests/benchmarks/bench_imports.py

Medians of 10 fresh processes; `python -c pass` is in each of them. Exit code 1 over the limit, or if torch came along.
"""

import statistics
import subprocess
import sys
import time

REPEATS = 10
LIMIT = 0.3  # seconds above an empty Python
HEAVY = ("torch", "transformers", "pandas", "numpy", "matplotlib")
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "kit --help": ["-m", "kit", "--help"],
    "import kit": ["-c", "import kit"],
    "import kit.recipe": ["-c", "import kit.recipe"],
}


def main() -> int:
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(REPEATS):
        for name, command in COMMANDS.items():
            began = time.perf_counter()
            subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
            times[name].append(time.perf_counter() - began)
    medians = {name: statistics.median(found) for name, found in times.items()}
    empty = medians["python -c pass"]
    failed = False
    for name, seconds in medians.items():
        over = seconds - empty
        failed |= over > LIMIT
        print(f"{name:<20}{seconds:>7.3f} s  {over:+.3f} over an empty Python{'  FAIL' if over > LIMIT else ''}")
    loaded = [name for name in HEAVY if name in loaded_by("import kit.__main__, kit.recipe")]
    print(f"heavy modules that came along: {', '.join(loaded) or 'none'}")
    return int(failed or "torch" in loaded)


def loaded_by(code: str) -> list[str]:
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, encoding="utf-8")
    return done.stdout.split()


if __name__ == "__main__":
    sys.exit(main())
