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
    for rank, one in enumerate(PREFIXES):
        for start in one.starts:
            if start[-1] in _ENDS:
                found.setdefault(start[-_TAIL:], []).append((rank, start, one))
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
    view = unescaped_view(text)
    if view is None:
        return without_overlaps(_in_lines(text))
    found = [Secret(view.start(one.start), view.end(one.end), one.kind) for one in _in_lines(view.text)]
    return without_overlaps([*found, *_sorted(_by_rules(text, in_source=True))])


def _in_lines(text: str) -> list[Secret]:
    found = [*_plain(text), *_encoded(text)]
    if "\n" in text:
        found += [secret for lines in joined_line_runs(text) for secret in _over_breaks(lines, found)]
    return found


def _plain(text: str) -> list[Secret]:
    """Return the secrets that are neither encoded nor broken; at the same place the first rule wins."""
    return _sorted([*_by_prefix(text), *_by_rules(text)])


def _sorted(found: Iterable[_Ranked]) -> list[Secret]:
    return [Secret(start, -end, kind) for start, end, _, kind in sorted(found)]


def _by_prefix(text: str, breaks: Sequence[int] = ()) -> Iterator[_Ranked]:
    """Yield keys with a known prefix. One at a line break is not inside a word."""
    for hit in _ANCHOR.finditer(text):
        end = hit.end()
        for rank, start, one in _ANCHORED.get(text[end - _TAIL : end], ()):
            if text.endswith(start, 0, end) and (found := _key(text, end - len(start), start, one, breaks)):
                yield (end - len(start), -found, rank, one.kind)
    for rank, start, one in _UNANCHORED:
        at = text.find(start)
        while at >= 0:
            if found := _key(text, at, start, one, breaks):
                yield (at, -found, rank, one.kind)
            at = text.find(start, at + len(start))


def _key(text: str, at: int, start: str, one: SecretPrefix, breaks: Sequence[int]) -> int:
    """Return where a key that begins at ``at`` ends; 0 if there is none."""
    rest = one.rest.match(text, at + len(start))
    if rest is None or (at and at not in breaks and _is_inside(text, at, start, one)):
        return 0
    return 0 if is_example(text[at : rest.end()]) else rest.end()


def _is_inside(text: str, at: int, start: str, one: SecretPrefix) -> bool:
    """Return True if a prefix is inside a longer word.

    One of letters alone may occur by chance inside base64, so no slash or plus may precede it unless a
    point must follow. A patch mark at the beginning of a line is not part of a word.
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
    """Yield base64 words that contain a secret other than a mail address."""
    for match in _ENCODED.finditer(text):
        hidden = _decoded(match.group(1))
        found = _plain(hidden) if hidden else ()  # most words are paths and digests
        kind = next((one.kind for one in found if one.kind != "mail"), "")
        if kind:
            yield Secret(match.start(1), match.end(1), kind)


def _decoded(word: str) -> str:
    try:
        return base64.b64decode(word + "=" * (-len(word) % 4)).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _over_breaks(lines: JoinedLines, known: Sequence[Secret]) -> Iterator[Secret]:
    """Yield the secrets that span a break of these lines, up to where they end."""
    text, view, breaks = lines.view.text, lines.view, lines.breaks
    ranked = [*_by_prefix(text, breaks), *_by_rules(text)]
    whole = {one.start: one.end for one in known} if ranked else {}
    for one in (*_sorted(ranked), *_encoded(text)):
        through = [place for place in breaks if one.start < place < one.end]
        if not through or (one.kind == "mail" and "@" not in text[one.start : through[0]]):
            continue
        start = view.start(one.start)
        is_alone = whole.get(start, 0) == view.end(through[0])
        end = _reach(lines, one, through, is_alone)
        if end > through[0]:
            yield Secret(start, view.end(end), one.kind)


def _reach(lines: JoinedLines, one: Secret, through: Sequence[int], is_alone: bool) -> int:
    """Return where a secret ends; ``is_alone``: the part before its first break is a secret by itself."""
    text, is_named = lines.view.text, one.kind in ("secret", "password")
    for place, until in pairwise((*through, one.end)):
        after, width = text[until : until + 1], lines.widths[lines.breaks.index(place)]
        is_whole = is_alone or (is_named and after != "@") or place != through[0]
        if not _continues(text[place:until], after, width, is_whole):
            return place
    return one.end


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
    keys = _merged([one for one in ordered if one.kind != "mail"])
    if len(keys) == len(ordered):
        return tuple(keys)
    ends = [one.end for one in keys]
    mails = [one for one in ordered if one.kind == "mail" and not _overlaps(keys, ends, one)]
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
