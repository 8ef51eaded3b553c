"""Files: what ships with the kit, where the cache lies, and writes that are whole or not there."""

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import platformdirs

from kit.errors import KitError


def shipped(*parts: str) -> Path:
    """Path of a file in `data/`: inside the wheel as `kit/_data`, beside `kit/` in a checkout."""
    here = Path(__file__).resolve().parent
    packed = here / "_data"
    return (packed if packed.is_dir() else here.parent / "data").joinpath(*parts)


def cache_folder() -> Path:
    """The user's cache for models made by the kit (`KIT_CACHE` moves it)."""
    chosen = os.environ.get("KIT_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("finetune-kit"))


def write_text(path: Path, text: str) -> None:
    """Write `text` to `path` in one piece: a reader sees the old file or the new one, never a half.

    Raises:
        KitError: the folder is not writable or the disk is full.
    """
    write_whole(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def write_json(path: Path, value: Any) -> None:
    """Write `value` as indented JSON in one piece."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def write_whole(path: Path, make: Callable[[Path], Any], *, folder: bool = False) -> None:
    """Call `make(temporary)` beside `path`, flush it to disk, then rename it to `path`.

    Args:
        make: writes a file at the path it gets or, with `folder`, fills that folder.

    Raises:
        KitError: the folder is not writable or the disk is full; nothing is left behind.
    """
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        target = temporary / path.name
        if folder:
            target.mkdir()
        make(target)
        for file in [target, *target.rglob("*")]:
            if file.is_file():
                _flush(file)
        if folder and path.exists():
            shutil.rmtree(path)
        target.replace(path)
    except OSError as error:
        raise _storage_error(error, path) from None
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


def _flush(file: Path) -> None:
    with file.open("rb+") as handle:
        os.fsync(handle.fileno())


def _storage_error(error: OSError, path: Path) -> KitError:
    fix = "make room or choose another folder" if error.errno == 28 else "choose a folder you can write to"
    return KitError(f"cannot write ({error.strerror or error})", where=str(path), fix=fix)


def remove(path: Path) -> None:
    """Delete a file or folder if it is there."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
