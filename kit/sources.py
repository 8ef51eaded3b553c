"""Where weights come from: the bundled model, the nano model, a hub, or a folder; always a folder of safetensors."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from filelock import FileLock

from kit import bundled, hub
from kit.errors import KitError
from kit.files import cache_folder, write_whole

BUNDLED = ("nano", "smollm2-135m")


def is_local(model: str) -> bool:
    """Whether `model` needs no hub: bundled, nano, or a folder."""
    return model in BUNDLED or Path(model).is_dir()


def local_path(model: str) -> Path:
    """A folder with config, tokenizer and safetensors of `model`, fetched or made if needed.

    Args:
        model: `nano`, `smollm2-135m`, a folder, a Hugging Face id `org/name`, or `modelscope:org/name`.

    Raises:
        KitError: unknown model; no network; no token; licence not accepted; disk too small; no safetensors.
    """
    if model == "nano":
        return _made_once(f"nano-{bundled.NANO_VERSION}", bundled.make_nano)
    if model == "smollm2-135m":
        return _made_once("smollm2-135m-instruct", bundled.make_smollm2, needs=bundled.FETCH_BYTES)
    folder = Path(model).expanduser()
    if folder.is_dir():
        return _checked(folder)
    if model.startswith((".", "/", "~")):
        raise KitError(
            f"there is no folder {model}", where="model", fix="give a folder with config.json and *.safetensors"
        )
    if model.count("/") != 1:
        raise KitError(
            f"unknown model {model!r}",
            where="model",
            fix=f"{', '.join(BUNDLED)}, a folder, or a hub id such as org/name",
        )
    return _checked(hub.from_modelscope(model) if model.startswith("modelscope:") else hub.from_hugging_face(model))


def _checked(folder: Path) -> Path:
    if not (folder / "config.json").is_file():
        raise KitError(
            "no config.json in this folder", where=str(folder), fix="give the folder that save_pretrained wrote"
        )
    if not any(folder.glob("*.safetensors")):
        old = [p.name for p in folder.glob("*.bin")]
        what = (
            f"only {old[0]} (pickle) here, and only safetensors are loaded"
            if old
            else "no *.safetensors in this folder"
        )
        raise KitError(what, where=str(folder), fix="convert it with save_pretrained(..., safe_serialization=True)")
    return folder


def _made_once(name: str, make: Callable[[Path], None], needs: int = 0) -> Path:
    folder = cache_folder() / "models" / name
    if (folder / "config.json").is_file():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KitError(
            f"cannot use the cache folder ({error.strerror})",
            where=str(folder.parent),
            fix="set KIT_CACHE to a writable folder",
        ) from None
    with FileLock(f"{folder}.lock"):
        if not (folder / "config.json").is_file():
            free = shutil.disk_usage(folder.parent).free
            if free < needs:
                raise KitError(
                    f"{name} needs {needs / 2**30:.1f} GiB of disk, {free / 2**30:.1f} are free",
                    where=str(folder.parent),
                    fix="make room, or set KIT_CACHE",
                )
            write_whole(folder, make, folder=True)
    return folder


def tokenizer_of(folder: Path) -> Any:
    """The tokenizer in `folder`, with a padding token.

    Raises:
        KitError: the folder has no tokenizer that transformers can read.
    """
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:
        raise KitError(
            f"no usable tokenizer ({str(error).splitlines()[0][:120]})",
            where=str(folder),
            fix="copy tokenizer.json and tokenizer_config.json of the base model here",
        ) from None
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer
