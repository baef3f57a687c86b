"""Finds the key of a profile in the environment or the system's keyring, never in a file."""

from __future__ import annotations

import base64
import html
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

from core.common.errors import InputError, missing_package
from core.settings.profile import Profile

SERVICE = "foldline"  # the service name of our keyring entries


def find_key(profile: Profile, environment: Mapping[str, str] = os.environ) -> str:
    """Return the key of a profile, "" where it names none, as local models may need no key. The
    environment variable comes before the keyring entry. The keyring may take long or open a system
    dialog, so only a worker should call this. Raises InputError naming the profile and the empty
    variable or entry."""
    if profile.key_env:
        key = environment.get(profile.key_env, "").strip()
        if key:
            return _checked(key, profile, f"the environment variable {profile.key_env}")
    if profile.key_ring:
        return _from_keyring(profile)
    if profile.key_env:
        raise InputError(
            (
                f"The profile {profile.name} has no key: the environment variable "
                f"{profile.key_env} is not set."
            ),
            "Set it, or name a keyring entry in the profile.",
        )
    return ""


def empty_variable(profile: Profile) -> str:
    """Return the unset variable of a profile's key; "" where it is set or a keyring entry is
    named."""
    if profile.key_ring or os.environ.get(profile.key_env, "").strip():
        return ""
    return profile.key_env


def _from_keyring(profile: Profile) -> str:
    failure = f"The profile {profile.name} has no key"
    key = (_ask_keyring(profile.key_ring, failure) or "").strip()
    if not key:
        raise InputError(
            f"{failure}: the keyring has no entry {profile.key_ring}.",
            f"Store one with: keyring set {SERVICE} {profile.key_ring}",
        )
    return _checked(key, profile, f"the keyring entry {profile.key_ring}")


def _checked(key: str, profile: Profile, place: str) -> str:
    """Return the key; InputError for one that no request can carry, without quoting any of it."""
    # A header carries printable ASCII only, and an error of the library would quote the key.
    if key.isascii() and key.isprintable():
        return key
    if key.isascii():
        cause = "a line break or another control character"
    else:
        cause = "a character beyond ASCII"
    raise InputError(
        f"The profile {profile.name} has no usable key: {place} holds {cause}.",
        "Store the key again, as one line of ASCII characters.",
    )


def _ask_keyring(entry: str, failure: str) -> str | None:
    """Return the keyring's entry; errors become one sentence that begins with ``failure``."""
    hint = "Name an environment variable in the profile instead."
    try:
        import keyring.errors
    except ImportError:
        raise missing_package(
            f"{failure}: reading the keyring", "keyring", "models"
        ) from None
    try:
        return keyring.get_password(SERVICE, entry)
    except keyring.errors.NoKeyringError:
        raise InputError(f"{failure}: this system offers no keyring.", hint) from None
    except keyring.errors.KeyringLocked:
        raise InputError(
            f"{failure}: the keyring is locked.", "Unlock it and try again."
        ) from None
    # Backends raise errors of their own, such as those of the system bus.
    except (
        Exception
    ) as error:  # backends raise errors of their own, such as those of the system bus
        cause = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise InputError(
            f"{failure}: the keyring does not answer ({cause[:200]}).", hint
        ) from None


REPLACEMENT = "[key]"
MIN_PART_LENGTH = 6  # shortest part of a key, in characters, that is hidden
_SECRET = re.compile(
    r"\b(?:sk|pk|key|gsk|xai)-[\w*.-]{6,}|\bAIza[\w-]{10,}|\bBearer\s+[^\s\"'”]+",
    re.IGNORECASE,
)
_ESCAPE = re.compile(
    r"(?P<url>%[0-9a-fA-F]{2})|\\+u(?P<u>[0-9a-fA-F]{4})|\\+x(?P<x>[0-9a-fA-F]{2})|\\(?P<plain>[^ux])"
    r"|(?P<html>&#?\w{1,8};)|(?P<gap>[\s\u200b\u00ad\ufeff]+)"
)
"""An escaped character, or whitespace without meaning between two characters."""

_Letters = Sequence[tuple[str, int, int]]
"""The characters of a text, each with its start and end in the original text."""


def without_key(text: str, key: str) -> str:
    """Remove parts of the key of six characters or more, and everything that looks like a key."""
    # Keys of other services may stand in an error as well.
    hidden_positions = {
        position
        for match in _SECRET.finditer(text)
        for position in range(*match.span())
    }
    # Servers quote a key as it is, escaped, or broken over lines.
    for letters in (
        [(letter, index, index + 1) for index, letter in enumerate(text)],
        _unescaped_letters(text),
        _unescaped_letters(text, gaps=True),
    ):
        for size, parts in _key_parts(key):
            hidden_positions.update(_matching_positions(letters, parts, size))
    return _with_replacements(text, hidden_positions)


def _key_parts(key: str) -> Iterator[tuple[int, frozenset[str]]]:
    """Yield the length and the parts of the key in each of its forms."""
    raw = key.encode()
    for form, size in (
        # Short keys of local servers are hidden as a whole.
        (key, min(MIN_PART_LENGTH, max(4, len(key)))),
        (raw.hex(), 2 * MIN_PART_LENGTH),
        # Base64 differs with the place of the key in its group of three bytes.
        *((form, 8) for shift in range(3) for form in _base64(raw, shift)),
    ):
        folded = form.lower()
        yield (
            size,
            frozenset(
                folded[index : index + size] for index in range(len(folded) - size + 1)
            ),
        )


def _base64(raw: bytes, shift: int) -> tuple[str, str]:
    """Return the key as encoded inside a longer text, ``shift`` bytes after a full group."""
    padded = b"\0" * shift + raw
    # The first and last group hold bytes around the key.
    key_range = slice(4 if shift else 0, len(padded) // 3 * 4)
    return base64.b64encode(padded).decode()[key_range], base64.urlsafe_b64encode(
        padded
    ).decode()[key_range]


def _unescaped_letters(text: str, *, gaps: bool = False) -> _Letters:
    """Return the text with its escapes decoded; with ``gaps`` also without whitespace."""
    letters: list[tuple[str, int, int]] = []
    end = 0
    for match in _ESCAPE.finditer(text):
        if match["gap"] and not gaps:
            continue
        letters += [
            (text[index], index, index + 1) for index in range(end, match.start())
        ]
        letters += [(letter, *match.span()) for letter in _unescaped(match)]
        end = match.end()
    return letters + [
        (text[index], index, index + 1) for index in range(end, len(text))
    ]


def _unescaped(match: re.Match[str]) -> str:
    if match["url"]:
        return unquote(match["url"])
    if code := match["u"] or match["x"]:
        return chr(int(code, 16))
    return match["plain"] or html.unescape(match["html"] or "")


def _matching_positions(
    letters: _Letters, parts: frozenset[str], size: int
) -> Iterator[int]:
    folded = [letter.lower() for letter, _, _ in letters]
    for index in range(len(folded) - size + 1):
        if "".join(folded[index : index + size]) in parts:
            yield from range(letters[index][1], letters[index + size - 1][2])


def _with_replacements(text: str, hidden_positions: set[int]) -> str:
    pieces: list[str] = []
    for position, letter in enumerate(text):
        if position not in hidden_positions:
            pieces.append(letter)
        elif position - 1 not in hidden_positions:
            pieces.append(REPLACEMENT)
    return "".join(pieces)
