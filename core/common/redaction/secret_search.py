"""Search for secrets: keys by their prefix, values by their name, also escaped, encoded or wrapped."""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.common.redaction.secret_rules import PREFIXES, RULES, SecretPrefix
from core.common.redaction.secret_unwrapping import JoinedLines, joined_line_runs, unescaped_view
from core.common.redaction.secret_values import is_example


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret at characters [start, end) of a text; ``kind`` is such as "github-token"."""

    start: int
    end: int
    kind: str


KINDS: tuple[str, ...] = tuple(
    dict.fromkeys([*(one.kind for one in PREFIXES), *(rule.kind for rule in RULES)])
)

_ENCODED = re.compile(r"(?<![A-Za-z0-9+/=_\-])([A-Za-z0-9+/]{24,8000}+={0,2})(?![A-Za-z0-9+/_\-])")
"""A word that may be base64. Longer ones are images; a file of keys is shorter."""

_MIN_LENGTH = 8  # of a text that may hold a secret
_ENDS = "_-."
_ANCHOR = re.compile(r"[_\-.](?=[A-Za-z0-9_\-]{10})")
"""The last sign of most prefixes, before what may be the rest: far rarer than their letters."""
_TAIL = 3  # last characters of a prefix, which distinguish it from others


def _anchored_prefixes() -> dict[str, list[tuple[int, str, SecretPrefix]]]:
    """Return the prefixes that end in a sign, by their last characters."""
    found: dict[str, list[tuple[int, str, SecretPrefix]]] = {}
    for rank, prefix in enumerate(PREFIXES):
        for start in prefix.starts:
            if start[-1] in _ENDS:
                found.setdefault(start[-_TAIL:], []).append((rank, start, prefix))
    return found


_ANCHORED = _anchored_prefixes()
_UNANCHORED = tuple(
    (rank, start, one) for rank, one in enumerate(PREFIXES) for start in one.starts if start[-1] not in _ENDS
)
_PATTERNS = tuple((mark, len(PREFIXES) + rank) for rank, rule in enumerate(RULES) for mark in rule.marks)
_Ranked = tuple[int, int, int, str]
"""Start, negated end, rank of the rule and kind: the match to keep sorts first."""


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Return the secrets of a text in order, without overlaps; also those in base64 and over line breaks."""
    if len(text) < _MIN_LENGTH:
        return ()
    unescaped = unescaped_view(text)
    if unescaped is None:
        return without_overlaps(_secrets_in_lines(text))
    found = [
        Secret(unescaped.source_start(secret.start), unescaped.source_end(secret.end), secret.kind)
        for secret in _secrets_in_lines(unescaped.text)
    ]
    return without_overlaps([*found, *_sorted(_find_by_rules(text, in_source=True))])


def _secrets_in_lines(text: str) -> list[Secret]:
    found = [*_plain(text), *_find_encoded(text)]
    if "\n" in text:
        found += [secret for lines in joined_line_runs(text) for secret in _find_across_breaks(lines, found)]
    return found


def _plain(text: str) -> list[Secret]:
    """Return the secrets that are neither encoded nor broken; at the same place the first rule wins."""
    return _sorted([*_find_by_prefix(text), *_find_by_rules(text)])


def _sorted(found: Iterable[_Ranked]) -> list[Secret]:
    return [Secret(start, -end, kind) for start, end, _, kind in sorted(found)]


def _find_by_prefix(text: str, breaks: Sequence[int] = ()) -> Iterator[_Ranked]:
    """Yield keys with a known prefix. One at a line break is not inside a word."""
    for hit in _ANCHOR.finditer(text):
        end = hit.end()
        for rank, start, prefix in _ANCHORED.get(text[end - _TAIL : end], ()):
            if text.endswith(start, 0, end) and (
                key_end := _key_end(text, end - len(start), start, prefix, breaks)
            ):
                yield (end - len(start), -key_end, rank, prefix.kind)
    for rank, start, prefix in _UNANCHORED:
        position = text.find(start)
        while position >= 0:
            if key_end := _key_end(text, position, start, prefix, breaks):
                yield (position, -key_end, rank, prefix.kind)
            position = text.find(start, position + len(start))


def _key_end(text: str, position: int, start: str, prefix: SecretPrefix, breaks: Sequence[int]) -> int:
    """Return where a key that begins at ``position`` ends; 0 if there is none."""
    rest = prefix.rest.match(text, position + len(start))
    if rest is None or (position and position not in breaks and _is_inside(text, position, start, prefix)):
        return 0
    return 0 if is_example(text[position : rest.end()]) else rest.end()


def _is_inside(text: str, position: int, start: str, prefix: SecretPrefix) -> bool:
    """Return True if a prefix is inside a longer word.

    One of letters alone may occur by chance inside base64, so no slash or plus may precede it unless a
    point must follow. A patch mark at the beginning of a line is not part of a word.
    """
    before = text[position - 1]
    if before in "+-" and (position == 1 or text[position - 2] == "\n"):
        return False
    may_be_encoded = start[-1] not in _ENDS and "[.]" not in prefix.rest.pattern
    return (before.isascii() and before.isalnum()) or before in ("_-+/" if may_be_encoded else "_-")


def _find_by_rules(text: str, *, in_source: bool = False) -> Iterator[_Ranked]:
    checked_ranks = set()
    for mark, rank in _PATTERNS:
        rule = RULES[rank - len(PREFIXES)]
        if (in_source and not rule.in_source) or mark not in text or rank in checked_ranks:
            continue
        checked_ranks.add(rank)
        for match in rule.pattern.finditer(text):
            kind = rule.check(match) if rule.check else rule.kind
            if kind:
                group = match.lastindex or 0
                yield (match.start(group), -match.end(group), rank, kind)


def _find_encoded(text: str) -> Iterator[Secret]:
    """Yield base64 words that contain a secret other than a mail address."""
    for match in _ENCODED.finditer(text):
        decoded_word = _decoded(match.group(1))
        found = _plain(decoded_word) if decoded_word else ()  # most words are paths and digests
        kind = next((secret.kind for secret in found if secret.kind != "mail"), "")
        if kind:
            yield Secret(match.start(1), match.end(1), kind)


def _decoded(word: str) -> str:
    try:
        return base64.b64decode(word + "=" * (-len(word) % 4)).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _find_across_breaks(lines: JoinedLines, known: Sequence[Secret]) -> Iterator[Secret]:
    """Yield the secrets that span a break of these lines, up to where they end."""
    text, view, breaks = lines.view.text, lines.view, lines.breaks
    ranked = [*_find_by_prefix(text, breaks), *_find_by_rules(text)]
    end_by_start = {secret.start: secret.end for secret in known} if ranked else {}
    for secret in (*_sorted(ranked), *_find_encoded(text)):
        crossed_breaks = [position for position in breaks if secret.start < position < secret.end]
        if not crossed_breaks or (
            secret.kind == "mail" and "@" not in text[secret.start : crossed_breaks[0]]
        ):
            continue
        start = view.source_start(secret.start)
        is_alone = end_by_start.get(start, 0) == view.source_end(crossed_breaks[0])
        end = _secret_end(lines, secret, crossed_breaks, is_alone)
        if end > crossed_breaks[0]:
            yield Secret(start, view.source_end(end), secret.kind)


def _secret_end(lines: JoinedLines, secret: Secret, crossed_breaks: Sequence[int], is_alone: bool) -> int:
    """Return where a secret ends; ``is_alone``: the part before its first break is a secret by itself."""
    text, is_named = lines.view.text, secret.kind in ("secret", "password")
    for part_start, part_end in pairwise((*crossed_breaks, secret.end)):
        after, width = text[part_end : part_end + 1], lines.widths[lines.breaks.index(part_start)]
        is_whole = is_alone or (is_named and after != "@") or part_start != crossed_breaks[0]
        if not _continues(text[part_start:part_end], after, width, is_whole):
            return part_start
    return secret.end


_MIXED = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Z][a-z]{0,2}[A-Z]")
_NAME = re.compile(r"(?:[A-Z]?[a-z]{2,}|[A-Z]{2,})(?:[_\-](?:[A-Z]?[a-z]+|[A-Z]+))*")
_ASSIGNED = re.compile(r"[A-Za-z_][\w.\-]*[=:][^=\s]")
_WIDE = 60  # least characters of a line that was broken because it was full


def _continues(part: str, after: str, width: int, is_whole: bool) -> bool:
    """Return True if the beginning of a line continues a key and is not an unrelated word.

    ``is_whole``: the part before the break may be all of it.
    """
    if not is_whole:
        is_upper_word = part.isalpha() and part.isupper()
        return len(part) < 5 or is_upper_word or not _NAME.fullmatch(part)
    if (after and after in "=:([") or _ASSIGNED.match(part):
        return False
    if any(map(str.isdigit, part)):
        return after != " " or len(part) > 5 or width >= _WIDE
    return _MIXED.search(part) is not None and not _NAME.fullmatch(part)


def without_overlaps(found: Iterable[Secret]) -> tuple[Secret, ...]:
    """Return secrets in order, overlapping ones merged; the first one, or the longest, sets the kind.

    A key before an ``@`` is not a mail address.
    """
    ordered = sorted(found, key=lambda secret: (secret.start, -secret.end))
    keys = _merged([candidate for candidate in ordered if candidate.kind != "mail"])
    if len(keys) == len(ordered):
        return tuple(keys)
    ends = [candidate.end for candidate in keys]
    mails = [
        candidate
        for candidate in ordered
        if candidate.kind == "mail" and not _overlaps(keys, ends, candidate)
    ]
    return tuple(sorted([*keys, *_merged(mails)], key=lambda secret: secret.start))


def _overlaps(keys: Sequence[Secret], ends: Sequence[int], secret: Secret) -> bool:
    index = bisect_right(ends, secret.start)
    return index < len(keys) and keys[index].start < secret.end


def _merged(found: Iterable[Secret]) -> list[Secret]:
    merged: list[Secret] = []
    for secret in found:
        if not merged or secret.start >= merged[-1].end:
            merged.append(secret)
        elif secret.end > merged[-1].end:
            merged[-1] = Secret(merged[-1].start, secret.end, merged[-1].kind)
    return merged
