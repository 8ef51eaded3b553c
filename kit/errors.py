"""The one exception that a learner meets: what is wrong, where, and what to do."""


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
