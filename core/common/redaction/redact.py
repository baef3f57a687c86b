"""Finding secrets in text (keys, tokens, private keys, mail addresses) and writing over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import TypeAlias

import orjson

from core.common.json_value import Json
from core.common.redaction.secret_search import KINDS, Secret, find_secrets, without_overlaps

__all__ = ["KINDS", "Secret", "find_secrets", "redact", "redact_json", "without_overlaps"]


_PROBE = "a1b2c3d4e5f6g7h8i9j0"
"""A value that is a secret after a name that says so, and nowhere else."""

SecretFinder: TypeAlias = Callable[[str], Sequence[Secret]]
"""The secrets of a text."""


def redact(text: str, find: SecretFinder = find_secrets) -> tuple[str, int]:
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
        parts += (text[position : secret.start], f"[redacted:{secret.kind}]" if secret.kind else "")
        position = secret.end
    return "".join([*parts, text[position:]])


@dataclass(frozen=True, slots=True)
class _FoundSecrets:
    """Secrets in one text of an object or a list. A kind of "": the rest of one from the text before."""

    key: str | int
    text: str
    secrets: list[Secret]

    @property
    def count(self) -> int:
        """How many begin here."""
        return sum(1 for one in self.secrets if one.kind)


def _found_in(
    holder: dict[str, Json] | list[Json], within: Mapping[str | int, Json], find: SecretFinder = find_secrets
) -> Iterator[_FoundSecrets]:
    """The secrets in the texts of an object or a list, but for those in ``within``: texts that are JSON."""
    if isinstance(holder, dict):
        for key, inner in holder.items():
            if key in within or not isinstance(inner, str):
                continue
            if secrets := _in_field(_telling(holder, key), inner, find):
                yield _FoundSecrets(key, inner, list(secrets))
        return
    plain = groupby(enumerate(holder), lambda entry: isinstance(entry[1], str) and entry[0] not in within)
    for is_text, run in plain:
        if is_text:
            yield from _in_texts([(at, str(text)) for at, text in run], find)


def _in_texts(texts: list[tuple[int, str]], find: SecretFinder) -> Iterator[_FoundSecrets]:
    """The secrets of texts that follow each other: an option and its value, or the lines of one text."""
    secrets = find("\n".join(text for _, text in texts))
    begin, at = 0, 0
    for index, text in texts if secrets else ():
        end, here = begin + len(text), []
        for one in secrets[at:]:
            if one.start >= end:
                break
            start, kind = (one.start, one.kind) if one.start >= begin else (begin, "")
            here.append(Secret(start - begin, min(one.end, end) - begin, kind))
            at += one.end <= end
        if here:
            yield _FoundSecrets(index, text, here)
        begin = end + 1


def redact_json(value: Json, find: SecretFinder = find_secrets) -> int:
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
        if not isinstance(holder, dict | list):
            continue
        within = _json_texts(holder)
        for key, inner in within.items():
            if found := redact_json(inner, find):
                holder[key] = orjson.dumps(inner).decode()  # type: ignore[index]
                count += found
        for one in list(_found_in(holder, within, find)):
            holder[one.key] = _covered(one.text, one.secrets)  # type: ignore[index]
            count += one.count
        stack += holder.values() if isinstance(holder, dict) else holder
    return count


def _json_texts(holder: dict[str, Json] | list[Json]) -> dict[str | int, Json]:
    """The texts of an object or a list that are JSON of lists and objects, as arguments of calls are, parsed.

    Written over as plain text, a secret behind an escape would take half of that with it.
    """
    entries: Iterable[tuple[str | int, Json]] = (
        holder.items() if isinstance(holder, dict) else enumerate(holder)
    )
    parsed = ((key, _json_within(inner)) for key, inner in entries if isinstance(inner, str))
    return {key: inner for key, inner in parsed if inner is not None}


def _json_within(text: str) -> Json:
    """The list or object that a text is the JSON of; None for any other."""
    if not (text.startswith(("{", "[")) and text.endswith(("}", "]"))):
        return None
    try:
        return orjson.loads(text)
    except ValueError:
        return None


def _telling(holder: dict[str, Json], key: str) -> str:
    """The name that tells what a field is: its own, or that beside ``value``."""
    if key.lower() == "value":
        return next((name for told in ("name", "key") if isinstance(name := holder.get(told), str)), key)
    return key


def _in_field(key: str, text: str, find: SecretFinder = find_secrets) -> Sequence[Secret]:
    """The secrets of a text in an object: the name of its field may tell that it is one."""
    if not _tells(key):
        return find(text)
    start = len(key) + 2
    found = find(f'{key}="{text}"')
    return [Secret(one.start - start, one.end - start, one.kind) for one in found if one.start >= start]


@lru_cache(maxsize=1024)
def _tells(name: str) -> bool:
    """True for the name of a field whose value is a secret, such as ``api_key``."""
    return any(find_secrets(f"{name}={probe}") for probe in (_PROBE, f"sid={_PROBE}"))


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
    for found in find_in_json(value):
        yield from (found.text[one.start : one.end] for one in found.secrets if one.kind)


def find_in_json(value: Json) -> Iterator[_FoundSecrets]:
    """The texts of a parsed JSON value that hold secrets, with these."""
    stack: list[Json] = [[value] if isinstance(value, str) else value]
    while stack:
        holder = stack.pop()
        if isinstance(holder, dict | list):
            within = _json_texts(holder)
            yield from _found_in(holder, within)
            stack += within.values()
            stack += holder.values() if isinstance(holder, dict) else holder


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
