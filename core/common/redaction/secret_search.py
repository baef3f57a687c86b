"""Finding the secrets of a text: keys by their beginning, values by their name, however they are wrapped."""

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
    """A secret in a text: characters [start, end) and what it is ("github-token")."""

    start: int
    end: int
    kind: str


KINDS: tuple[str, ...] = tuple(
    dict.fromkeys([*(one.kind for one in PREFIXES), *(rule.kind for rule in RULES)])
)

_ENCODED = re.compile(r"(?<![A-Za-z0-9+/=_\-])([A-Za-z0-9+/]{24,8000}+={0,2})(?![A-Za-z0-9+/_\-])")
"""A word that may be base64. Longer ones are pictures; a file of keys is shorter."""

_LEAST = 8  # characters of a text that may hold a secret
_ENDS = "_-."
_ANCHOR = re.compile(r"[_\-.](?=[A-Za-z0-9_\-]{10})")
"""The last sign of most beginnings of keys, before what may be the rest: far rarer than their letters."""
_TAIL = 3  # characters of a beginning by which it is told from others


def _anchored() -> dict[str, list[tuple[int, str, SecretPrefix]]]:
    """The beginnings that end in a sign, by their last characters."""
    found: dict[str, list[tuple[int, str, SecretPrefix]]] = {}
    for rank, one in enumerate(PREFIXES):
        for start in one.starts:
            if start[-1] in _ENDS:
                found.setdefault(start[-_TAIL:], []).append((rank, start, one))
    return found


_ANCHORED = _anchored()
_PLAIN = tuple(
    (rank, start, one) for rank, one in enumerate(PREFIXES) for start in one.starts if start[-1] not in _ENDS
)
_PATTERNS = tuple((mark, len(PREFIXES) + rank) for rank, rule in enumerate(RULES) for mark in rule.marks)
_Ranked = tuple[int, int, int, str]
"""Start, end negated, rank of the rule and kind: in order, the find to keep comes first."""


def find_secrets(text: str) -> tuple[Secret, ...]:
    """The secrets of a text in order, none overlapping another; those in base64 and over lines, too."""
    if len(text) < _LEAST:
        return ()
    view = unescaped_view(text)
    if view is None:
        return without_overlaps(_in_lines(text))
    found = [Secret(view.start(one.start), view.end(one.end), one.kind) for one in _in_lines(view.text)]
    return without_overlaps([*found, *_sorted(_by_rules(text, in_source=True))])


def _in_lines(text: str) -> list[Secret]:
    """The secrets of a text without escapes."""
    found = [*_plain(text), *_encoded(text)]
    if "\n" in text:
        found += [secret for lines in joined_line_runs(text) for secret in _over_breaks(lines, found)]
    return found


def _plain(text: str) -> list[Secret]:
    """The secrets that stand in a text as they are; of the same place the rule that comes first names it."""
    return _sorted([*_by_prefix(text), *_by_rules(text)])


def _sorted(found: Iterable[_Ranked]) -> list[Secret]:
    return [Secret(start, -end, kind) for start, end, _, kind in sorted(found)]


def _by_prefix(text: str, breaks: Sequence[int] = ()) -> Iterator[_Ranked]:
    """Keys with a beginning of their own. One that stands at a break does not stand inside a word."""
    for hit in _ANCHOR.finditer(text):
        end = hit.end()
        for rank, start, one in _ANCHORED.get(text[end - _TAIL : end], ()):
            if text.endswith(start, 0, end) and (found := _key(text, end - len(start), start, one, breaks)):
                yield (end - len(start), -found, rank, one.kind)
    for rank, start, one in _PLAIN:
        at = text.find(start)
        while at >= 0:
            if found := _key(text, at, start, one, breaks):
                yield (at, -found, rank, one.kind)
            at = text.find(start, at + len(start))


def _key(text: str, at: int, start: str, one: SecretPrefix, breaks: Sequence[int]) -> int:
    """Where a key that begins here ends; 0 where none does."""
    rest = one.rest.match(text, at + len(start))
    if rest is None or (at and at not in breaks and _is_inside(text, at, start, one)):
        return 0
    return 0 if is_example(text[at : rest.end()]) else rest.end()


def _is_inside(text: str, at: int, start: str, one: SecretPrefix) -> bool:
    """True where a beginning stands inside a longer word.

    One of letters alone may come about inside base64, so that no slash or plus may stand before it, unless
    a point has to follow. The mark of a patch at the beginning of a line is no part of a word.
    """
    before = text[at - 1]
    if before in "+-" and (at == 1 or text[at - 2] == "\n"):
        return False
    may_be_encoded = start[-1] not in _ENDS and "[.]" not in one.rest.pattern
    return (before.isascii() and before.isalnum()) or before in ("_-+/" if may_be_encoded else "_-")


def _by_rules(text: str, *, in_source: bool = False) -> Iterator[_Ranked]:
    tried = set()
    for mark, rank in _PATTERNS:
        rule = RULES[rank - len(PREFIXES)]
        if (in_source and not rule.in_source) or mark not in text or rank in tried:
            continue
        tried.add(rank)
        for match in rule.pattern.finditer(text):
            kind = rule.judge(match) if rule.judge else rule.kind
            if kind:
                group = match.lastindex or 0
                yield (match.start(group), -match.end(group), rank, kind)


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


def _over_breaks(lines: JoinedLines, known: Sequence[Secret]) -> Iterator[Secret]:
    """The secrets that go through a break of these lines, as far as they go."""
    text, view, breaks = lines.view.text, lines.view, lines.breaks
    ranked = [*_by_prefix(text, breaks), *_by_rules(text)]
    whole = {one.start: one.end for one in known} if ranked else {}
    for one in (*_sorted(ranked), *_encoded(text)):
        through = [place for place in breaks if one.start < place < one.end]
        if not through or (one.kind == "mail" and "@" not in text[one.start : through[0]]):
            continue
        start = view.start(one.start)
        alone = whole.get(start, 0) == view.end(through[0])
        end = _reach(lines, one, through, alone)
        if end > through[0]:
            yield Secret(start, view.end(end), one.kind)


def _reach(lines: JoinedLines, one: Secret, through: Sequence[int], alone: bool) -> int:
    """Where a secret ends that may be whole before one of its breaks; ``alone``: before the first."""
    text, is_named = lines.view.text, one.kind in ("secret", "password")
    for place, until in pairwise((*through, one.end)):
        after, width = text[until : until + 1], lines.widths[lines.breaks.index(place)]
        is_whole = alone or (is_named and after != "@") or place != through[0]
        if not _goes_on(text[place:until], after, width, is_whole):
            return place
    return one.end


_MIXED = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Z][a-z]{0,2}[A-Z]")
_NAME = re.compile(r"(?:[A-Z]?[a-z]{2,}|[A-Z]{2,})(?:[_\-](?:[A-Z]?[a-z]+|[A-Z]+))*")
_ASSIGNED = re.compile(r"[A-Za-z_][\w.\-]*[=:][^=\s]")
_WIDE = 60  # characters of a line that was broken because it was full


def _goes_on(part: str, after: str, width: int, is_whole: bool) -> bool:
    """True where the beginning of a line is the rest of a key, and not a word that happens to follow.

    ``is_whole``: what stands before the break may be all of it.
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
    """Secrets in order, those that overlap as one; the first, of the same place the longest, names it.

    What is a key before an ``@`` is no address.
    """
    every = sorted(found, key=lambda secret: (secret.start, -secret.end))
    keys = _merged([one for one in every if one.kind != "mail"])
    if len(keys) == len(every):
        return tuple(keys)
    ends = [one.end for one in keys]
    mails = [one for one in every if one.kind == "mail" and not _overlaps(keys, ends, one)]
    return tuple(sorted([*keys, *_merged(mails)], key=lambda secret: secret.start))


def _overlaps(keys: Sequence[Secret], ends: Sequence[int], one: Secret) -> bool:
    at = bisect_right(ends, one.start)
    return at < len(keys) and keys[at].start < one.end


def _merged(found: Iterable[Secret]) -> list[Secret]:
    kept: list[Secret] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
        elif one.end > kept[-1].end:
            kept[-1] = Secret(kept[-1].start, one.end, kept[-1].kind)
    return kept
