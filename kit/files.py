"""Files: what ships with the kit, where the cache lies, and writes that are whole or not there."""

import errno
import json
import math
import os
import re
import shutil
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import platformdirs

from kit.errors import KitError

UNFINISHED = ".tmp"  # hidden names that end so are writes in progress, or what a killed process left of them


def shipped(*parts: str) -> Path:
    """Path of a file in `data/`: inside the wheel as `kit/_data`, beside `kit/` in a checkout."""
    here = Path(__file__).resolve().parent
    packed = here / "_data"
    return (packed if packed.is_dir() else here.parent / "data").joinpath(*parts)


def cache_folder() -> Path:
    """The user's cache for models made by the kit (`KIT_CACHE` moves it)."""
    chosen = os.environ.get("KIT_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("finetune-kit"))


def write_text(path: Path, text: str, *, durable: bool = True) -> None:
    """Write `text` to `path` in one piece: a reader sees the old file or the new one, never a half.

    Args:
        durable: wait until the disk has it, so that it outlives a power cut.

    Raises:
        KitError: the folder is not writable or the disk is full.
    """
    write_whole(path, lambda temporary: temporary.write_text(text, encoding="utf-8"), durable=durable)


def write_json(path: Path, value: Any, *, durable: bool = True) -> None:
    """Write `value` as indented JSON in one piece."""
    text = json.dumps(without_nan(value), indent=2, ensure_ascii=False, allow_nan=False)
    write_text(path, text + "\n", durable=durable)


def without_nan(value: Any) -> Any:
    """`value` with None for each NaN and infinity, which JSON does not have."""
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_whole(path: Path, make: Callable[[Path], Any], *, folder: bool = False, durable: bool = True) -> None:
    """Call `make(temporary)` beside `path`, flush it to disk, then rename it to `path`.

    Args:
        make: writes a file at the path it gets or, with `folder`, fills that folder.
        durable: wait until the disk has it.

    Raises:
        KitError: the folder is not writable or the disk is full; nothing is left behind.
    """
    scratch = path.parent / f".{path.name}.{uuid.uuid4().hex[:8]}{UNFINISHED}"
    old = scratch.with_suffix(f".old{UNFINISHED}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if folder:
            scratch.mkdir()
        make(scratch)
        written = [scratch, *scratch.rglob("*")]
        for file in written if folder else []:
            if file.is_file():  # safetensors lets nobody but the owner read, and a server often is another user
                file.chmod(scratch.stat().st_mode & 0o666)
        for file in written if durable else []:
            _flush(file)
        if folder and path.exists():
            path.replace(old)  # a rename takes no time, so that hardly a moment is without a folder
        _replace(scratch, path)
        if durable:
            _flush(path.parent)
    except OSError as error:
        raise storage_error(error, path) from None
    except Exception as error:
        if (number := re.search(r"\(os error (\d+)\)", str(error))) is None:
            raise
        cause = OSError(int(number[1]), os.strerror(int(number[1])))  # safetensors hides it in a text of its own
        raise storage_error(cause, path) from None
    finally:
        if old.exists() and not path.exists():
            old.replace(path)
        remove(scratch)
        remove(old)


def _flush(path: Path) -> None:
    if path.is_dir():
        if sys.platform != "win32":  # there a folder cannot be opened, and its entries are written at once
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        return
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _replace(source: Path, path: Path) -> None:
    """Rename; on Windows a reader of the old file is in the way for a moment."""
    for attempt in range(20):
        try:
            source.replace(path)
            return
        except PermissionError:
            if sys.platform != "win32" or attempt == 19:
                raise
            time.sleep(0.05)


def storage_error(error: OSError, path: Path) -> KitError:
    """What a failed write means to a person."""
    full = error.errno in {errno.ENOSPC, errno.EDQUOT}
    fix = "make room or choose another folder" if full else "choose a folder you can write to"
    return KitError(f"cannot write ({error.strerror or error})", where=str(path), fix=fix)


def discard_unfinished(folder: Path) -> None:
    """Remove what killed processes left of their writes in `folder`; hidden folders of others stay."""
    for leftover in folder.glob(f".*{UNFINISHED}"):
        remove(leftover)


def remove(path: Path) -> None:
    """Delete a file or folder if it is there."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()
