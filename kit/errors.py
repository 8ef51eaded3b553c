"""What a learner meets when something is wrong: one exception (what, where, what to do), and no noise beside it."""

import logging
import warnings


class KitError(Exception):
    """A fault with a clear cause and a next step; the command line prints it on one line and exits with 2.

    Args:
        what: what is wrong, in plain words.
        where: a file, a `file:line`, a field or a command; empty if there is no place to name.
        fix: what to do next.
    """

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        self.what, self.where, self.fix = what, where, fix
        place = f"{where}: " if where else ""
        advice = f" -> {fix}" if fix else ""
        super().__init__(" ".join(f"{place}{what}{advice}".split()))


def quiet_libraries() -> None:
    """Silence two messages of libraries that frighten and that nobody can act on; call it before a model is loaded.

    bitsandbytes looks for an optional faster kernel on the hub, and PEFT asks transformers by an old name.
    """
    logging.getLogger("bitsandbytes.backends.cpu.ops").setLevel(logging.ERROR)
    old_name = "`is_gradient_checkpointing` is deprecated"
    warnings.filterwarnings("ignore", old_name, FutureWarning, r"transformers\.modeling_utils")
