"""Redacts secrets in texts and JSON: keys, tokens, private keys, mail addresses."""

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
"""A value that counts as a secret only after a field name that announces one."""

SecretFinder: TypeAlias = Callable[[str], Sequence[Secret]]


def redact(text: str, find: SecretFinder = find_secrets) -> tuple[str, int]:
    """Return the text with every secret as ``[redacted:kind]``, and their number."""
    secrets = find(text)
    return _masked(text, secrets), len(secrets)


def without_keys(text: str) -> str:
    """Return the text with every secret but mail addresses redacted: a file of the user may be named so."""
    return _masked(text, [secret for secret in find_secrets(text) if secret.kind != "mail"])


def _masked(text: str, secrets: Sequence[Secret]) -> str:
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
    """Secrets in one text of an object or a list; kind "" is the rest of one from the text before."""

    key: str | int
    text: str
    secrets: list[Secret]

    @property
    def count(self) -> int:
        """Return how many secrets begin in the text."""
        return sum(1 for one in self.secrets if one.kind)


def _found_in(
    holder: dict[str, Json] | list[Json], parsed: Mapping[str | int, Json], find: SecretFinder = find_secrets
) -> Iterator[_FoundSecrets]:
    """Yield the secrets in the texts of an object or a list, except those that were ``parsed`` as JSON."""
    if isinstance(holder, dict):
        for key, inner in holder.items():
            if key in parsed or not isinstance(inner, str):
                continue
            if secrets := _in_field(_field_name(holder, key), inner, find):
                yield _FoundSecrets(key, inner, list(secrets))
        return
    plain = groupby(enumerate(holder), lambda entry: isinstance(entry[1], str) and entry[0] not in parsed)
    for is_text, group in plain:
        if is_text:
            yield from _in_texts([(at, str(text)) for at, text in group], find)


def _in_texts(texts: list[tuple[int, str]], find: SecretFinder) -> Iterator[_FoundSecrets]:
    """Yield the secrets of adjacent texts: an option and its value, or the lines of one text."""
    secrets = find("\n".join(text for _, text in texts))
    begin, at = 0, 0
    for index, text in texts if secrets else ():
        end, in_line = begin + len(text), []
        for one in secrets[at:]:
            if one.start >= end:
                break
            start, kind = (one.start, one.kind) if one.start >= begin else (begin, "")
            in_line.append(Secret(start - begin, min(one.end, end) - begin, kind))
            at += one.end <= end
        if in_line:
            yield _FoundSecrets(index, text, in_line)
        begin = end + 1


def redact_json(value: Json, find: SecretFinder = find_secrets) -> int:
    """Redact every text inside a parsed list or object, in place; return the count.

    Field names stay unless they contain a secret. Iterative, since nesting may be deep.
    """
    count = 0
    stack: list[Json] = [value]
    while stack:
        holder = stack.pop()
        if isinstance(holder, dict):
            count += _redact_names(holder)
        if not isinstance(holder, dict | list):
            continue
        parsed = _json_texts(holder)
        for key, inner in parsed.items():
            if found := redact_json(inner, find):
                holder[key] = orjson.dumps(inner).decode()  # type: ignore[index]
                count += found
        for one in list(_found_in(holder, parsed, find)):
            holder[one.key] = _masked(one.text, one.secrets)  # type: ignore[index]
            count += one.count
        stack += holder.values() if isinstance(holder, dict) else holder
    return count


def _json_texts(holder: dict[str, Json] | list[Json]) -> dict[str | int, Json]:
    """Return the texts of an object or a list that are JSON objects or lists, parsed.

    Redacted as plain text, a secret after an escape would take half of the escape with it.
    """
    entries: Iterable[tuple[str | int, Json]] = (
        holder.items() if isinstance(holder, dict) else enumerate(holder)
    )
    parsed = ((key, _json_within(inner)) for key, inner in entries if isinstance(inner, str))
    return {key: inner for key, inner in parsed if inner is not None}


def _json_within(text: str) -> Json:
    """Parse a text that is a JSON list or object; None for any other."""
    if not (text.startswith(("{", "[")) and text.endswith(("}", "]"))):
        return None
    try:
        return orjson.loads(text)
    except ValueError:
        return None


def _field_name(holder: dict[str, Json], key: str) -> str:
    """Return the name that describes a field: its own, or the name beside a field ``value``."""
    if key.lower() == "value":
        return next((name for field in ("name", "key") if isinstance(name := holder.get(field), str)), key)
    return key


def _in_field(key: str, text: str, find: SecretFinder = find_secrets) -> Sequence[Secret]:
    """Return the secrets of a text in an object; the name of its field may mark it as one."""
    if not _names_secret(key):
        return find(text)
    start = len(key) + 2
    found = find(f'{key}="{text}"')
    return [Secret(one.start - start, one.end - start, one.kind) for one in found if one.start >= start]


@lru_cache(maxsize=1024)
def _names_secret(name: str) -> bool:
    """Return True for the name of a field whose value is a secret, such as ``api_key``."""
    return any(find_secrets(f"{name}={probe}") for probe in (_PROBE, f"sid={_PROBE}"))


@lru_cache(maxsize=1024)
def _in_name(name: str) -> tuple[Secret, ...]:
    return find_secrets(name)


def _redact_names(holder: dict[str, Json]) -> int:
    """Redact secrets in the names of an object's fields; no field is lost and the order stays."""
    count = sum(len(_in_name(name)) for name in holder)
    if count:
        entries = list(holder.items())
        holder.clear()
        for name, inner in entries:
            text = masked = _masked(name, _in_name(name))
            while text in holder:
                text = f"{text} {masked}"
            holder[text] = inner
    return count


def count_json(value: Json) -> int:
    names = sum(len(_in_name(name)) for name in _names(value))
    return names + sum(1 for _ in secrets_in_json(value))


def secrets_in_json(value: Json) -> Iterator[str]:
    for found in find_in_json(value):
        yield from (found.text[one.start : one.end] for one in found.secrets if one.kind)


def find_in_json(value: Json) -> Iterator[_FoundSecrets]:
    stack: list[Json] = [[value] if isinstance(value, str) else value]
    while stack:
        holder = stack.pop()
        if isinstance(holder, dict | list):
            parsed = _json_texts(holder)
            yield from _found_in(holder, parsed)
            stack += parsed.values()
            stack += holder.values() if isinstance(holder, dict) else holder


def _names(value: Json) -> Iterator[str]:
    stack = [value]
    while stack:
        inner = stack.pop()
        if isinstance(inner, dict):
            yield from inner
            stack.extend(inner.values())
        elif isinstance(inner, list):
            stack.extend(inner)
