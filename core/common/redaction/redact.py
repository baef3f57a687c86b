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


def redact_except_mail(text: str) -> str:
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
        return sum(1 for secret in self.secrets if secret.kind)


def _secrets_in(
    container: dict[str, Json] | list[Json],
    parsed: Mapping[str | int, Json],
    find: SecretFinder = find_secrets,
) -> Iterator[_FoundSecrets]:
    """Yield the secrets in the texts of an object or a list, except those that were ``parsed`` as JSON."""
    if isinstance(container, dict):
        for key, inner in container.items():
            if key in parsed or not isinstance(inner, str):
                continue
            if secrets := _secrets_in_field(_field_name(container, key), inner, find):
                yield _FoundSecrets(key, inner, list(secrets))
        return
    plain = groupby(enumerate(container), lambda entry: isinstance(entry[1], str) and entry[0] not in parsed)
    for is_text, group in plain:
        if is_text:
            yield from _secrets_in_texts([(index, str(text)) for index, text in group], find)


def _secrets_in_texts(texts: list[tuple[int, str]], find: SecretFinder) -> Iterator[_FoundSecrets]:
    """Yield the secrets of adjacent texts: an option and its value, or the lines of one text."""
    secrets = find("\n".join(text for _, text in texts))
    begin, secret_index = 0, 0
    for index, text in texts if secrets else ():
        end, text_secrets = begin + len(text), []
        for secret in secrets[secret_index:]:
            if secret.start >= end:
                break
            start, kind = (secret.start, secret.kind) if secret.start >= begin else (begin, "")
            text_secrets.append(Secret(start - begin, min(secret.end, end) - begin, kind))
            secret_index += secret.end <= end
        if text_secrets:
            yield _FoundSecrets(index, text, text_secrets)
        begin = end + 1


def redact_json(value: Json, find: SecretFinder = find_secrets) -> int:
    """Redact every text inside a parsed list or object, in place; return the count.

    Field names stay unless they contain a secret. Iterative, since nesting may be deep.
    """
    count = 0
    stack: list[Json] = [value]
    while stack:
        container = stack.pop()
        if isinstance(container, dict):
            count += _redact_names(container)
        if not isinstance(container, dict | list):
            continue
        parsed = _json_texts(container)
        for key, inner in parsed.items():
            if found := redact_json(inner, find):
                container[key] = orjson.dumps(inner).decode()  # type: ignore[index]
                count += found
        for text_secrets in list(_secrets_in(container, parsed, find)):
            container[text_secrets.key] = _masked(text_secrets.text, text_secrets.secrets)  # type: ignore[index]
            count += text_secrets.count
        stack += container.values() if isinstance(container, dict) else container
    return count


def _json_texts(container: dict[str, Json] | list[Json]) -> dict[str | int, Json]:
    """Return the texts of an object or a list that are JSON objects or lists, parsed.

    Redacted as plain text, a secret after an escape would take half of the escape with it.
    """
    entries: Iterable[tuple[str | int, Json]] = (
        container.items() if isinstance(container, dict) else enumerate(container)
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


def _field_name(container: dict[str, Json], key: str) -> str:
    """Return the name that describes a field: its own, or the name beside a field ``value``."""
    if key.lower() == "value":
        return next((name for field in ("name", "key") if isinstance(name := container.get(field), str)), key)
    return key


def _secrets_in_field(key: str, text: str, find: SecretFinder = find_secrets) -> Sequence[Secret]:
    """Return the secrets of a text in an object; the name of its field may mark it as one."""
    if not _is_secret_name(key):
        return find(text)
    start = len(key) + 2
    found = find(f'{key}="{text}"')
    return [
        Secret(secret.start - start, secret.end - start, secret.kind)
        for secret in found
        if secret.start >= start
    ]


@lru_cache(maxsize=1024)
def _is_secret_name(name: str) -> bool:
    """Return True for the name of a field whose value is a secret, such as ``api_key``."""
    return any(find_secrets(f"{name}={probe}") for probe in (_PROBE, f"sid={_PROBE}"))


@lru_cache(maxsize=1024)
def _secrets_in_name(name: str) -> tuple[Secret, ...]:
    return find_secrets(name)


def _redact_names(container: dict[str, Json]) -> int:
    """Redact secrets in the names of an object's fields; no field is lost and the order stays."""
    count = sum(len(_secrets_in_name(name)) for name in container)
    if count:
        entries = list(container.items())
        container.clear()
        for name, inner in entries:
            text = masked = _masked(name, _secrets_in_name(name))
            while text in container:
                text = f"{text} {masked}"
            container[text] = inner
    return count


def count_secrets_in_json(value: Json) -> int:
    names = sum(len(_secrets_in_name(name)) for name in _names(value))
    return names + sum(1 for _ in secret_texts_in_json(value))


def secret_texts_in_json(value: Json) -> Iterator[str]:
    for found in find_secrets_in_json(value):
        yield from (found.text[secret.start : secret.end] for secret in found.secrets if secret.kind)


def find_secrets_in_json(value: Json) -> Iterator[_FoundSecrets]:
    stack: list[Json] = [[value] if isinstance(value, str) else value]
    while stack:
        container = stack.pop()
        if isinstance(container, dict | list):
            parsed = _json_texts(container)
            yield from _secrets_in(container, parsed)
            stack += parsed.values()
            stack += container.values() if isinstance(container, dict) else container


def _names(value: Json) -> Iterator[str]:
    stack = [value]
    while stack:
        inner = stack.pop()
        if isinstance(inner, dict):
            yield from inner
            stack.extend(inner.values())
        elif isinstance(inner, list):
            stack.extend(inner)
