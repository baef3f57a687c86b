"""Foldline's exceptions: each carries one sentence for the user and a hint."""

from __future__ import annotations

from collections.abc import Iterable


def near_names(
    name: str, known: Iterable[str], most: int = 1, least_similar: float = 0.6
) -> list[str]:
    """Return the known names that are near to an unknown one, the nearest first; ``least_similar``
    is from 0 to 1."""
    import difflib  # late: it would delay the window's first paint

    return difflib.get_close_matches(name, list(known), n=most, cutoff=least_similar)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return "Did you mean X? " with the known name closest to ``name``, or "" if none is close."""
    matches = near_names(name, known)
    if matches:
        return f"Did you mean {matches[0]}? "
    return ""


_FEW = 3  # names of a long list that an error says; one that lists thirty is not read


def nearest_names(name: str, known: Iterable[str], where: str) -> str:
    """Return a question with the names that are near to an unknown one or else hold it, at most
    three, and ``where`` all of them are listed."""
    names = list(known)
    near = near_names(name, names, _FEW)
    if not near and name:
        near = [one for one in names if name in one][:_FEW]
    question = ""
    if near:
        *others, last = near
        if others:
            question = f"Did you mean {', '.join(others)} or {last}? "
        else:
            question = f"Did you mean {last}? "
    return f"{question}{where}"


UNCHANGED = "The conversation is unchanged."
"""What is said after a compaction that failed, was cancelled, or had nothing to do."""


class FoldlineError(Exception):
    """An error that the user can act on.

    ``message`` says what happened and where (file, line), ``hint`` what to do about it. Both may
    quote a file; unprintable characters in them become blanks. ``exit_code`` is that of the command
    line.
    """

    exit_code = 2

    def __init__(self, message: str, hint: str = "") -> None:
        self.message = _without_unprintable(message)
        self.hint = _without_unprintable(hint)
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class InputError(FoldlineError):
    """A file, setting or argument that cannot be used; the message names it."""


class MissingValueError(InputError):
    """A setting without a value that is needed. ``key`` names it; ``option`` is how a command line
    gives it, which only the command line says."""

    def __init__(self, message: str, hint: str, key: str, option: str) -> None:
        super().__init__(message, hint)
        self.key, self.option = key, option

    @property
    def for_commands(self) -> str:
        """The sentence with what a command line takes."""
        return f"{self} On the command line: {self.option}."


def missing_package(what: str, package: str, extra: str) -> InputError:
    """Return the error of a part that is installed on request; ``extra`` is the one that brings
    it."""
    return InputError(
        f"{what} needs the package {package}.",
        f"Install it: pip install 'foldline-slim[{extra}]'.",
    )


class NoFileError(InputError):
    def __init__(self) -> None:
        super().__init__("No transcript is open.", "Open one first.")


class StrategyError(FoldlineError):
    """A strategy could not run; ``code`` is stable."""

    def __init__(
        self, message: str, hint: str = "", *, code: str = "STRATEGY_FAILED"
    ) -> None:
        super().__init__(message, hint)
        self.code = code


class UnknownStrategyError(StrategyError):
    """No strategy of that name is registered (REQ-CS-001.3)."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint, code="UNKNOWN_STRATEGY")


class CompactionFailed(StrategyError):
    """The summariser failed; the history is unchanged (REQ-CS-006A.2)."""

    exit_code = 3

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint, code="EXECUTION_FAILED")


class Cancelled(Exception):
    """The user cancelled the work; never shown as an error."""


def _without_unprintable(text: str) -> str:
    return "".join(character if character.isprintable() else " " for character in text)
