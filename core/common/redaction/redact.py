"""Redacts secrets in texts and JSON: keys, tokens, private keys, mail addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import TypeAlias

import orjson

from core.common.json_value import Json
from core.common.redaction.secret_search import Secret, find_secrets, without_overlaps

__all__ = ["Secret", "find_secrets", "redact", "redact_json", "without_overlaps"]

_PROBE = "a1b2c3d4e5f6g7h8i9j0"
"""A value that counts as a secret only after a field name that announces one."""

SecretFinder: TypeAlias = Callable[[str], Sequence[Secret]]


def redact(text: str, find: SecretFinder = find_secrets) -> tuple[str, int]:
    """Return the text with every secret as ``[redacted:kind]``, and their number."""
    secrets = find(text)
    return masked_text(text, secrets), len(secrets)


def redact_except_mail(text: str) -> str:
    """Return the text with every secret but mail addresses redacted: a file of the user may be
    named so."""
    return masked_text(
        text, [secret for secret in find_secrets(text) if secret.kind != "mail"]
    )


def contains_key(text: str) -> bool:
    """Return True for a text with a secret other than a mail address."""
    return any(secret.kind != "mail" for secret in find_secrets(text))


def count_secrets(texts: Iterable[str]) -> int:
    """Return how many secrets stand in texts."""
    return sum(len(find_secrets(text)) for text in texts)


def masked_text(text: str, secrets: Sequence[Secret]) -> str:
    """Return the text with ``[redacted:kind]`` for each secret; without it for the rest of one."""
    parts: list[str] = []
    position = 0
    for secret in secrets:
        parts += (
            text[position : secret.start],
            f"[redacted:{secret.kind}]" if secret.kind else "",
        )
        position = secret.end
    return "".join([*parts, text[position:]])


@dataclass(frozen=True, slots=True)
class SecretsInField:
    """Secrets in one text of an object or a list; kind "" is the rest of one from the text
    before."""

    key: str | int
    text: str
    secrets: Sequence[Secret]

    @property
    def whole(self) -> list[Secret]:
        return [secret for secret in self.secrets if secret.kind]


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
        for field in list(_secrets_in(container, parsed.keys(), find)):
            container[field.key] = masked_text(field.text, field.secrets)  # type: ignore[index]
            count += len(field.whole)
        stack += container.values() if isinstance(container, dict) else container
    return count


def find_secrets_in_json(
    value: Json, find: SecretFinder = find_secrets
) -> Iterator[SecretsInField]:
    stack: list[Json] = [[value] if isinstance(value, str) else value]
    while stack:
        container = stack.pop()
        if isinstance(container, dict | list):
            parsed = _json_texts(container)
            yield from _secrets_in(container, parsed.keys(), find)
            stack += parsed.values()
            stack += container.values() if isinstance(container, dict) else container


def secret_texts_in_json(
    value: Json, find: SecretFinder = find_secrets
) -> Iterator[str]:
    for field in find_secrets_in_json(value, find):
        yield from (field.text[secret.start : secret.end] for secret in field.whole)


def count_secrets_in_json(value: Json, find: SecretFinder = find_secrets) -> int:
    """Return how many secrets the texts and the names of the fields contain."""
    count = sum(1 for _ in secret_texts_in_json(value, find))
    stack = [value]
    while stack:
        inner = stack.pop()
        if isinstance(inner, dict):
            count += sum(len(_secrets_in_name(name)) for name in inner)
        if isinstance(inner, dict | list):
            stack += inner.values() if isinstance(inner, dict) else inner
    return count


def _secrets_in(
    container: dict[str, Json] | list[Json], parsed: Set[str | int], find: SecretFinder
) -> Iterator[SecretsInField]:
    """Yield the secrets in the texts of an object or a list, except those that were ``parsed`` as
    JSON."""
    if isinstance(container, dict):
        for key, inner in container.items():
            is_text = isinstance(inner, str) and key not in parsed
            if is_text and (secrets := _secrets_in_field(container, key, inner, find)):
                yield SecretsInField(key, inner, secrets)
        return
    plain = groupby(
        enumerate(container),
        lambda entry: isinstance(entry[1], str) and entry[0] not in parsed,
    )
    for is_text, group in plain:
        if is_text:
            yield from _secrets_in_texts(
                [(index, str(text)) for index, text in group], find
            )


def _secrets_in_texts(
    texts: list[tuple[int, str]], find: SecretFinder
) -> Iterator[SecretsInField]:
    """Yield the secrets of adjacent texts: an option and its value, or the lines of one text."""
    secrets = find("\n".join(text for _, text in texts))
    begin, secret_index = 0, 0
    for index, text in texts if secrets else ():
        end, text_secrets = begin + len(text), []
        for secret in secrets[secret_index:]:
            if secret.start >= end:
                break
            start, kind = (
                (secret.start, secret.kind) if secret.start >= begin else (begin, "")
            )
            text_secrets.append(
                Secret(start - begin, min(secret.end, end) - begin, kind)
            )
            secret_index += secret.end <= end
        if text_secrets:
            yield SecretsInField(index, text, text_secrets)
        begin = end + 1


def _secrets_in_field(
    container: dict[str, Json], key: str, text: str, find: SecretFinder
) -> Sequence[Secret]:
    """Return the secrets of a text in an object; the name of its field may mark it as one.

    A field ``value`` has the name that is beside it.
    """
    if key.lower() == "value":
        key = next(
            (
                name
                for field in ("name", "key")
                if isinstance(name := container.get(field), str)
            ),
            key,
        )
    if "kty" in container and len(key) <= 2:  # a JSON web key
        before = f'kty,"{key}":"'
    elif key == "key" and "username" in container:  # the key file of Kaggle
        before = 'kaggle_api_key="'
    elif _is_secret_name(key):
        before = f'{key}="'
    else:
        return find(text)
    start, found = len(before), find(f'{before}{text}"')
    return [
        Secret(one.start - start, one.end - start, one.kind)
        for one in found
        if one.start >= start
    ]


def _json_texts(container: dict[str, Json] | list[Json]) -> dict[str | int, Json]:
    """Return the texts of an object or a list that are JSON objects or lists, parsed.

    Redacted as plain text, a secret after an escape would take half of the escape with it.
    """
    entries = container.items() if isinstance(container, dict) else enumerate(container)
    parsed: dict[str | int, Json] = {}
    for key, text in entries:
        if (
            isinstance(text, str)
            and text.startswith(("{", "["))
            and text.endswith(("}", "]"))
        ):
            try:
                parsed[key] = orjson.loads(text)
            except ValueError:
                continue
    return parsed


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
            text = masked = masked_text(name, _secrets_in_name(name))
            while text in container:
                text = f"{text} {masked}"
            container[text] = inner
    return count
