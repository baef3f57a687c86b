"""What the command bar lists: actions and choices that match the text, and completions of a
line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from core.presentation.dialog_model import CompletionList
from gui.actions import ACTIONS, ActionSet
from gui.language import tr
from gui.widgets.pickers import ChoiceSource

ACTION, MESSAGE = "action", "message"
"""Kinds of what can be picked, besides those of the sources."""
_OWN_ACTION = "command"
"""The action that opens the bar."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One row: ``pick`` is a kind and a value; without it ``insert`` completes the line. ``is_on``:
    it is chosen already."""

    title: str
    about: str
    note: str = ""
    insert: str = ""
    pick: tuple[str, str] | None = None
    is_on: bool = False


def is_line(text: str) -> bool:
    """True for a line of the core; other texts are searched for."""
    return text.lstrip().startswith("/")


def suggestions(
    text: str,
    enabled: Iterable[str],
    checked: Collection[str] = (),
    sources: Iterable[ChoiceSource] = (),
) -> tuple[Suggestion, ...]:
    """Return the enabled actions, and for a non-empty text the choices, that contain every word of
    ``text``; exact and prefix matches first."""
    words = text.casefold().split()
    matches = [
        *_actions(words, set(enabled), checked),
        *(_choices(words, sources) if words else ()),
    ]
    matches.sort(
        key=lambda match: _rank(match[0].casefold(), match[1].title.casefold(), words)
    )
    return tuple(offer for _, offer in matches)


def _rank(name: str, title: str, words: list[str]) -> int:
    """Rank exact names first, then prefixes, then titles that contain the words, then the rest."""
    typed = " ".join(words)
    if name == typed:
        return 0
    if name.startswith(typed) or title.startswith(typed):
        return 1
    return 2 if all(word in title for word in words) else 3


def _actions(
    words: list[str], enabled: set[str], checked: Collection[str]
) -> Iterator[tuple[str, Suggestion]]:
    """Yield the matching actions, each with its bare name."""
    for row in ACTIONS:
        name, tip = tr(row.text).removesuffix("…").rstrip(), tr(row.tip)
        if row.group:
            title = f"{tr(row.group)}: {name}"
        else:
            title = name
        if row.id in enabled and _contain_words((title, tip, tr(row.menu)), words):
            if row.keys:
                key = row.keys[0]
            else:
                key = ""
            yield (
                name,
                Suggestion(
                    title, tip, key, pick=(ACTION, row.id), is_on=row.id in checked
                ),
            )


def _choices(
    words: list[str], sources: Iterable[ChoiceSource]
) -> Iterator[tuple[str, Suggestion]]:
    """Yield the matching choices, each with its bare name."""
    for source in sources:
        for choice in source.choices:
            title = f"{source.name}: {choice.label}"
            if _contain_words((title, choice.value, choice.hint, source.kind), words):
                pick, is_on = (
                    (source.kind, choice.value),
                    choice.value == source.current,
                )
                yield (
                    choice.label,
                    Suggestion(title, choice.hint, pick=pick, is_on=is_on),
                )


def _contain_words(texts: Iterable[str], words: list[str]) -> bool:
    text = " ".join(texts).casefold()
    return all(word in text for word in words)


def line_suggestions(completions: CompletionList) -> tuple[Suggestion, ...]:
    return tuple(
        Suggestion(title, about, insert=insert)
        for insert, title, about in completions.entries
    )


def completed_text(text: str, cursor: int, start: int, insert: str) -> tuple[str, int]:
    """Replace the word at the cursor by ``insert``; return the text and the cursor's place."""
    end = cursor
    while end < len(text) and not text[end].isspace():
        end += 1
    if insert.endswith(" ") and text[end : end + 1] == " ":
        end += 1
    return text[:start] + insert + text[end:], start + len(insert)


class CommandFinder:
    """Searches a window's actions in their current state, the messages by number, and choices."""

    def __init__(self, actions: ActionSet) -> None:
        self._actions = actions
        self.sources: tuple[ChoiceSource, ...] = ()
        self.message_count = 0

    def find(self, text: str) -> tuple[Suggestion, ...]:
        """Return the enabled actions and the choices that match; all actions for an empty text."""
        shown = [
            (row.id, self._actions[row.id]) for row in ACTIONS if row.id != _OWN_ACTION
        ]
        enabled = [id for id, action in shown if action.isEnabled()]
        checked = [id for id, action in shown if action.isChecked()]
        return (
            *self._message(text),
            *suggestions(text, enabled, checked, self.sources),
        )

    def _message(self, text: str) -> tuple[Suggestion, ...]:
        match = re.fullmatch(r"#?(\d{1,9})", text.strip())
        if match is None or not 1 <= int(match[1]) <= self.message_count:
            return ()
        number = str(int(match[1]))
        about = tr("The message with this number.")
        return (
            Suggestion(
                tr("Go to #{number}").format(number=number),
                about,
                pick=(MESSAGE, number),
            ),
        )

    def no_match_reason(self, text: str) -> str:
        disabled = [row.id for row in ACTIONS if not self._actions[row.id].isEnabled()]
        matches = suggestions(text, disabled)
        if matches and (pick := matches[0].pick) is not None:
            reason = self._actions.disabled_reason(pick[1])
            return tr("{title}: not now. {why}").format(
                title=matches[0].title, why=reason
            )
        return tr("No match for “{text}”").format(text=text.strip())


class CommandHistory:
    """Browses older lines; the text being typed follows the newest."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._position = 0
        self._typed = ""

    @property
    def is_browsing(self) -> bool:
        return self._position < len(self._lines)

    def add(self, line: str) -> None:
        """Add an entered line as the newest of at most a hundred."""
        self._lines = [*(older for older in self._lines if older != line), line][-100:]
        self.stop_browsing()

    def stop_browsing(self) -> None:
        self._position = len(self._lines)

    def previous_line(self, typed_text: str) -> str | None:
        """Return the previous line; None at the oldest."""
        if not self.is_browsing:
            self._typed = typed_text
        if self._position == 0:
            return None
        self._position -= 1
        return self._lines[self._position]

    def next_line(self) -> str | None:
        """Return the next line, finally the typed text; None if nothing is browsed."""
        if not self.is_browsing:
            return None
        self._position += 1
        return self._lines[self._position] if self.is_browsing else self._typed
