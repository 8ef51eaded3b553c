"""Weights from a hub: Hugging Face or ModelScope, with one clear message for each way in which that can fail."""

import os
import shutil
from pathlib import Path

from kit.errors import KitError

WANTED_FILES = ["*.safetensors", "*.json", "tokenizer*", "*.model", "*.txt", "*.jinja"]


def from_hugging_face(model: str) -> Path:
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub import errors as hub

    page = f"the model's page on the hub ({model})"
    try:
        try:
            return Path(snapshot_download(model, allow_patterns=WANTED_FILES, local_files_only=True))
        except hub.LocalEntryNotFoundError:
            pass
        info = HfApi().model_info(model, files_metadata=True)
        _room_for(sum(f.size or 0 for f in info.siblings or [] if f.rfilename.endswith(".safetensors")), model)
        return Path(snapshot_download(model, allow_patterns=WANTED_FILES))
    except hub.GatedRepoError:
        has_token = bool(os.environ.get("HF_TOKEN")) or (Path.home() / ".cache/huggingface/token").is_file()
        what, fix = (
            ("its licence is not accepted by your account", f"accept it on {page}")
            if has_token
            else ("it is gated and no token is set", f"`hf auth login`, then accept the licence on {page}")
        )
        raise KitError(what, where=model, fix=fix) from None
    except (hub.RepositoryNotFoundError, hub.HFValidationError):
        raise KitError(
            "the hub knows no such model (or it is private)",
            where=model,
            fix="check the spelling; for a private one `hf auth login`",
        ) from None
    except hub.OfflineModeIsEnabled:
        raise KitError(
            "not in the cache, and HF_HUB_OFFLINE forbids to fetch it",
            where=model,
            fix="unset HF_HUB_OFFLINE once, or use smollm2-135m",
        ) from None
    except KitError:
        raise
    except Exception as error:
        if not _is_network_error(error):
            raise
        raise KitError(
            f"the hub cannot be reached ({type(error).__name__})",
            where=model,
            fix="check the network or proxy, or use smollm2-135m or a local folder",
        ) from None


def _is_network_error(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, OSError) or type(error).__module__.startswith(
            ("httpx", "httpcore", "requests", "urllib3")
        ):
            return True
        error = error.__cause__ or error.__context__
    return False


def from_modelscope(model: str) -> Path:
    try:
        from modelscope import snapshot_download
    except ImportError:
        raise KitError(
            "modelscope is not installed", where=model, fix="pip install 'finetune-kit[modelscope]'"
        ) from None
    try:
        return Path(snapshot_download(model.removeprefix("modelscope:"), allow_patterns=WANTED_FILES))
    except Exception as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise KitError(
            f"ModelScope did not give this model ({first})", where=model, fix="check the spelling and the network"
        ) from None


def _room_for(size: int, model: str) -> None:
    from huggingface_hub import constants

    place = Path(constants.HF_HUB_CACHE)
    place.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(place).free
    if size > free:
        raise KitError(
            f"{model} takes {size / 2**30:.1f} GiB, {free / 2**30:.1f} are free",
            where=str(place),
            fix="make room, or set HF_HOME to a larger disk",
        )
