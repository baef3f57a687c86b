"""Parsing and completion of the command bar's commands ``/set``, ``/profile``, ``/compact``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from core.common.errors import InputError, did_you_mean
from core.settings.profile import OFFLINE
from core.settings.schema import PROFILES, Setting, SettingKind, SettingValue
from core.settings_store.layers import (
    ALL_SETTINGS,
    expected_text,
    find_setting,
    parse_value,
)

SET, PROFILE, COMPACT, UNSET = "/set", "/profile", "/compact", "unset"


class ProfileVerb(StrEnum):
    SAVE = "save"
    LOAD = "load"
    DELETE = "delete"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class SlashSet:
    key: str
    value: SettingValue


@dataclass(frozen=True, slots=True)
class SlashUnset:
    key: str


@dataclass(frozen=True, slots=True)
class SlashProfile:
    """Save, load, delete or list profiles; ``name`` is empty for list."""

    verb: ProfileVerb
    name: str = ""


@dataclass(frozen=True, slots=True)
class SlashCompact:
    """Compact now; ``focus`` goes into the summary request."""

    focus: str = ""


SlashCommand: TypeAlias = SlashSet | SlashUnset | SlashProfile | SlashCompact


@dataclass(frozen=True, slots=True)
class Completion:
    """A replacement for the characters [start, end) of the text, with a description.
    ``needs_more``: more has to follow, after a space."""

    text: str
    start: int
    end: int
    description: str = ""
    needs_more: bool = False


_Offer: TypeAlias = tuple[str, str, bool]
"""A text, its description, and whether more has to follow."""

_ABOUT = {
    SET: "Set a value for this session.",
    PROFILE: "Save, load, delete or list profiles.",
    COMPACT: "Compact now, with a focus for the summary if you like.",
}
_VERBS = {
    ProfileVerb.SAVE: "Save model and session settings as a profile.",
    ProfileVerb.LOAD: "Make a profile the active one.",
    ProfileVerb.DELETE: "Delete a saved profile.",
    ProfileVerb.LIST: "List the profiles.",
}


def parse_command(text: str) -> SlashCommand:
    """Parse a command. Raises InputError with a suggestion or with what is missing."""
    name, rest = _split(text)
    if name == SET:
        return _parse_set(rest)
    if name == PROFILE:
        return _parse_profile(rest)
    if name == COMPACT:
        return SlashCompact(rest)
    command = name or text.strip()
    raise InputError(
        f"There is no command {command!r}.",
        _suggestion(command, tuple(_ABOUT), "Commands"),
    )


def complete_command(
    text: str, cursor: int, profiles: Sequence[str] = ()
) -> tuple[Completion, ...]:
    """Return completions of the word at the cursor (characters from 0), the best first."""
    cursor = max(0, min(cursor, len(text)))
    words = text[:cursor].split()
    is_new_word = cursor == 0 or text[cursor - 1].isspace()
    if is_new_word:
        before = words
        typed = ""
    else:
        before = words[:-1]
        typed = words[-1]
    end = cursor + len(re.match(r"\S*", text[cursor:])[0])  # type: ignore[index]  # matches always
    folded = typed.casefold()
    matching = [
        offer for offer in _offers(before, profiles) if folded in offer[0].casefold()
    ]
    matching.sort(key=lambda offer: not offer[0].casefold().startswith(folded))
    return tuple(
        Completion(offer, cursor - len(typed), end, description, needs_more)
        for offer, description, needs_more in matching
    )


def _split(text: str) -> tuple[str, str]:
    name, _, rest = text.strip().replace("\t", " ").partition(" ")
    return name, rest.strip()


def _parse_set(rest: str) -> SlashCommand:
    key, value = _split(rest)
    if not key:
        raise InputError(
            f"{SET} needs a key and a value.",
            f"Write {SET} KEY VALUE or {SET} {UNSET} KEY.",
        )
    if key == UNSET:
        if not value:
            raise InputError(f"{SET} {UNSET} needs a key.", f"Write {SET} {UNSET} KEY.")
        return SlashUnset(find_setting(value).key)
    if not value and "=" in key:
        key, _, value = key.partition("=")
    setting = find_setting(key)
    if not value:
        raise InputError(f"{SET} {setting.key} needs a value.", expected_text(setting))
    return SlashSet(setting.key, parse_value(setting, _unquoted(value)))


def _unquoted(value: str) -> str:
    quoted = len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'"
    if quoted:
        return value[1:-1]
    return value


def _parse_profile(rest: str) -> SlashCommand:
    word, name = _split(rest)
    verbs = tuple(verb.value for verb in ProfileVerb)
    if word not in verbs:
        if word:
            problem = f"{PROFILE} has no action {word!r}."
        else:
            problem = f"{PROFILE} needs an action."
        raise InputError(problem, _suggestion(word, verbs, "Actions"))
    verb = ProfileVerb(word)
    if verb is ProfileVerb.LIST and name:
        raise InputError(f"{PROFILE} {verb} takes no name.", f"Write {PROFILE} {verb}.")
    if verb is not ProfileVerb.LIST and not name:
        raise InputError(
            f"{PROFILE} {verb} needs a name.", f"Write {PROFILE} {verb} NAME."
        )
    return SlashProfile(verb, _unquoted(name))


def _suggestion(word: str, known: Sequence[str], label: str) -> str:
    return did_you_mean(word, known).rstrip() or f"{label}: {', '.join(known)}."


def _offers(before: Sequence[str], profiles: Sequence[str]) -> Iterator[_Offer]:
    """Yield everything that may follow these words."""
    if not before:
        for name, about in _ABOUT.items():
            yield name, about, name != COMPACT
    elif before[0] == SET:
        yield from _set_offers(before[1:], profiles)
    elif before[0] == PROFILE:
        yield from _profile_offers(before[1:], profiles)


def _set_offers(words: Sequence[str], profiles: Sequence[str]) -> Iterator[_Offer]:
    if not words or list(words) == [UNSET]:
        for setting in ALL_SETTINGS:
            yield setting.key, setting.help, not words
        if not words:
            yield UNSET, "Clear a value of this session.", True
    elif len(words) == 1:
        for setting in ALL_SETTINGS:
            if words[0] in (setting.key, *setting.aliases):
                yield from _values(setting, profiles)


def _profile_offers(words: Sequence[str], profiles: Sequence[str]) -> Iterator[_Offer]:
    if not words:
        for verb, about in _VERBS.items():
            yield verb.value, about, verb is not ProfileVerb.LIST
    elif len(words) == 1 and words[0] in (
        ProfileVerb.SAVE,
        ProfileVerb.LOAD,
        ProfileVerb.DELETE,
    ):
        for name in profiles:
            if name != OFFLINE or words[0] == ProfileVerb.LOAD:
                yield name, "profile", False


def _values(setting: Setting, profiles: Sequence[str]) -> Iterator[_Offer]:
    if setting.completer == PROFILES:
        for name in profiles:
            yield name, "profile", False
    known = ("true", "false") if setting.kind is SettingKind.FLAG else setting.choices
    default = "" if setting.default is None else str(setting.default)
    if setting.kind is SettingKind.FLAG:
        default = default.lower()
    for value in known or ((default,) if default else ()):
        yield value, "default" if value == default else "", False
