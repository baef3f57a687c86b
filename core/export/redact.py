"""Finding secrets in text (keys, tokens, private keys, mail addresses) and writing over them."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from core.conversation import Json
from core.export.secret_rules import RULES


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret in a text: characters [start, end) and what it is ("github-token")."""

    start: int
    end: int
    kind: str


_ENCODED = re.compile(r"(?<![A-Za-z0-9+/=_\-])([A-Za-z0-9+/]{24,8000}+={0,2})(?![A-Za-z0-9+/_\-])")
"""A word that may be base64. Longer ones are pictures; a file of keys is shorter."""

_PROBE = "a1b2c3d4e5f6g7h8i9j0"
"""A value that is a secret after a name that says so, and nowhere else."""

KINDS: tuple[str, ...] = tuple(dict.fromkeys(rule.kind for rule in RULES))


Find: TypeAlias = Callable[[str], Sequence[Secret]]
"""The secrets of a text."""


def find_secrets(text: str) -> tuple[Secret, ...]:
    """The secrets of a text in order, none overlapping another; those in base64, too."""
    found = [*_plain(text), *_encoded(text)]
    return apart(found) if found else ()


def _plain(text: str) -> list[Secret]:
    """The secrets that stand in a text as they are; of the same place the rule that comes first names it."""
    found = [
        (match.start(1), rank, match.end(1), rule.kind)
        for rank, rule in enumerate(RULES)
        if any(mark in text for mark in rule.marks)
        for match in rule.pattern.finditer(text)
    ]
    return [Secret(start, end, kind) for start, _, end, kind in sorted(found)]


def _encoded(text: str) -> Iterator[Secret]:
    """Words of base64 that hold a secret; an address of a mail alone makes none of them."""
    for match in _ENCODED.finditer(text):
        hidden = _decoded(match.group(1))
        found = _plain(hidden) if hidden else ()  # most words are paths and digests
        kind = next((one.kind for one in found if one.kind != "mail"), "")
        if kind:
            yield Secret(match.start(1), match.end(1), kind)


def _decoded(word: str) -> str:
    """The text that a word of base64 stands for; "" where it stands for none."""
    try:
        return base64.b64decode(word + "=" * (-len(word) % 4)).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return ""


def apart(found: Iterable[Secret]) -> tuple[Secret, ...]:
    """Secrets in order, without what overlaps an earlier one; of the same place the first stays."""
    kept: list[Secret] = []
    for one in sorted(found, key=lambda secret: secret.start):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return tuple(kept)


def redact(text: str, find: Find = find_secrets) -> tuple[str, int]:
    """The text with every secret as ``[redacted:kind]``, and how many there were."""
    secrets = find(text)
    return _covered(text, secrets), len(secrets)


def without_keys(text: str) -> str:
    """The text with every secret but mail addresses written over: a person's own file may be named so."""
    return _covered(text, [secret for secret in find_secrets(text) if secret.kind != "mail"])


def _covered(text: str, secrets: Sequence[Secret]) -> str:
    if not secrets:
        return text
    parts: list[str] = []
    position = 0
    for secret in secrets:
        parts += (text[position : secret.start], f"[redacted:{secret.kind}]")
        position = secret.end
    return "".join([*parts, text[position:]])


def redact_json(value: Json, find: Find = find_secrets) -> int:
    """Redact every text inside a parsed list or object, in place; returns the count.

    Names of fields stay, but for those that are a secret themselves. Without recursion, since nesting
    may be deep.
    """
    count = 0
    stack: list[Json] = [value]
    while stack:
        holder = stack.pop()
        if isinstance(holder, dict):
            count += _redact_names(holder)
        entries = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for key, inner in list(entries):
            if isinstance(inner, str):
                if secrets := _in_field(key, inner, find):
                    holder[key] = _covered(inner, secrets)
                    count += len(secrets)
            elif isinstance(inner, list | dict):
                stack.append(inner)
    return count


def _in_field(key: str | int, text: str, find: Find = find_secrets) -> Sequence[Secret]:
    """The secrets of a text in an object or a list: the name of its field may tell that it is one."""
    if not isinstance(key, str) or not _tells(key):
        return find(text)
    start = len(key) + 2
    found = find(f'{key}="{text}"')
    return [Secret(one.start - start, one.end - start, one.kind) for one in found if one.start >= start]


@lru_cache(maxsize=1024)
def _tells(name: str) -> bool:
    """True for the name of a field whose value is a secret, such as ``api_key``."""
    return bool(find_secrets(f"{name}={_PROBE}"))


@lru_cache(maxsize=1024)
def _in_name(name: str) -> tuple[Secret, ...]:
    """The secrets in the name of a field; the same few names come again and again."""
    return find_secrets(name)


def _redact_names(holder: dict[str, Json]) -> int:
    """Write over secrets in the names of an object's fields; the order stays, and no field is lost."""
    count = sum(len(_in_name(name)) for name in holder)
    if count:
        entries = list(holder.items())
        holder.clear()
        for name, inner in entries:
            text = covered = _covered(name, _in_name(name))
            while text in holder:
                text = f"{text} {covered}"
            holder[text] = inner
    return count


def count_json(value: Json) -> int:
    """How many secrets the texts of a parsed JSON value hold, names of fields included."""
    names = sum(len(_in_name(name)) for name in _names(value))
    return names + sum(1 for _ in secrets_in_json(value))


def secrets_in_json(value: Json) -> Iterator[str]:
    """The secrets in the texts of a parsed JSON value."""
    stack: list[tuple[str | int, Json]] = [(0, value)]
    while stack:
        key, inner = stack.pop()
        if isinstance(inner, str):
            yield from (inner[one.start : one.end] for one in _in_field(key, inner))
        elif isinstance(inner, list):
            stack.extend(enumerate(inner))
        elif isinstance(inner, dict):
            stack.extend(inner.items())


def _names(value: Json) -> Iterator[str]:
    """The names of all fields inside a value."""
    stack = [value]
    while stack:
        inner = stack.pop()
        if isinstance(inner, dict):
            yield from inner
            stack.extend(inner.values())
        elif isinstance(inner, list):
            stack.extend(inner)
