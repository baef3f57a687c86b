"""The few errors of our own: each carries one sentence for a person and a way out."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """ "Did you mean X? " with the known name nearest to a mistyped one, "" where none is near."""
    import difflib  # late: the first paint waits for this module

    near = difflib.get_close_matches(name, list(known), n=1)
    return f"Did you mean {near[0]}? " if near else ""


class FoldlineError(Exception):
    """Something a person can act on.

    ``message`` says what happened and where (file, line); ``hint`` is the way out. Both may hold words of
    a file or its name; what cannot be seen or would break the line is a blank in them.
    ``exit_code`` is what the command line returns for it (product.md section 5).
    """

    exit_code = 2

    def __init__(self, message: str, hint: str = "") -> None:
        self.message = _line(message)
        self.hint = _line(hint)
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class InputError(FoldlineError):
    """A file, setting or argument that cannot be used; names what, where and the way out."""


class NoFileError(InputError):
    """A command is about a transcript, and none is open."""

    def __init__(self) -> None:
        super().__init__("No transcript is open.", "Open one first.")


class StrategyError(FoldlineError):
    """A strategy could not run; ``code`` is stable (llxprt.md section 4)."""

    def __init__(self, message: str, hint: str = "", *, code: str = "STRATEGY_FAILED") -> None:
        super().__init__(message, hint)
        self.code = code


class UnknownStrategyError(StrategyError):
    """A strategy name that nobody registered (REQ-CS-001.3)."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint, code="UNKNOWN_STRATEGY")


class CompactionFailed(StrategyError):
    """The summariser failed; the history is as it was (REQ-CS-006A.2)."""

    exit_code = 3

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint, code="EXECUTION_FAILED")


class Cancelled(Exception):
    """The person asked to stop; never shown as an error."""


def _line(text: str) -> str:
    return text if text.isprintable() else "".join(one if one.isprintable() else " " for one in text)
