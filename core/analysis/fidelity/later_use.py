"""Recall of what later turns used again of the compacted messages. Deterministic and independent of the fact
extractor: it counts what the session went on to use (field.md section 2)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from core.analysis.fidelity.fact_texts import ParsedTexts, searchable_text, text_index
from core.analysis.fidelity.model import FactStatus, FidelityCategory, ForwardDemand, JudgedFact, SourceFact
from core.facts import prose_facts
from core.transcript.model import Message, Speaker
from core.transcript.tool_pairs import find_pairs

CONTINUED_AT = 0.70
"""The share of a transcript's tokens after which the rest counts as what came later."""
_PATH = re.compile(r"(?<![\w/<:])/?(?:[\w.@-]+/)+[\w.@-]+")
_DIGEST = re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")
_NAME = re.compile(
    r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b"
)
_LARGE_NUMBER = re.compile(r"(?<![\w.])\d{3,}(?:\.\d+)?(?![\w.])")
_MAX_SEARCHED = 60_000  # characters of one message to search
_MIN_NAME = 4


@dataclass(frozen=True, slots=True)
class LaterUses:
    """Names that the model used again after a cut: kind, first message, number of uses."""

    first_mentions: Mapping[str, tuple[FidelityCategory, int]]
    uses: Mapping[str, int]


def forward_demand(
    before: Sequence[Message], after: Sequence[Message], result: Sequence[Message]
) -> ForwardDemand | None:
    """Return what of ``before`` the model used in ``after``, and how much ``result`` still has. A name that
    the user or a tool repeats before the model uses it was not needed from memory. None where the transcript
    ends."""
    later_uses = find_later_uses(before, after)
    return None if later_uses is None else demand_on_result(later_uses, result)


def find_later_uses(before: Sequence[Message], after: Sequence[Message]) -> LaterUses | None:
    """Return what ``after`` used of ``before``, for any result; None where the transcript ends."""
    if not any(message.speaker is Speaker.AI for message in after):
        return None
    known = _first_mentions(before)
    return LaterUses(known, _count_uses(after, known))


def demand_on_result(
    later_uses: LaterUses, result: Sequence[Message], parsed: ParsedTexts | None = None
) -> ForwardDemand:
    """Return how much of the needed names a result still has."""
    first_mentions, uses = later_uses.first_mentions, later_uses.uses
    result_index = text_index([searchable_text(message) for message in result], parsed=parsed)
    present_names = {name for name in uses if result_index.places(name, exact=True)}
    lost = tuple(
        JudgedFact(
            SourceFact(first_mentions[name][0], name, name, (first_mentions[name][1],)), FactStatus.LOST
        )
        for name in sorted(uses, key=lambda used_name: (-uses[used_name], first_mentions[used_name][1]))
        if name not in present_names
    )
    kept_uses = sum(uses[name] for name in present_names)
    return ForwardDemand(len(uses), len(present_names), sum(uses.values()), kept_uses, lost)


def continuation_cut(messages: Sequence[Message], sizes: Sequence[int]) -> int:
    """Return the valid boundary nearest to where ``CONTINUED_AT`` of the tokens are reached."""
    totals = list(accumulate(sizes, initial=0))
    wanted = next(at for at, total in enumerate(totals) if total >= CONTINUED_AT * totals[-1])
    valid = (at for at, is_valid in enumerate(find_pairs(messages).valid) if is_valid)
    return min(valid, key=lambda at: (abs(at - wanted), at))


def _first_mentions(messages: Sequence[Message]) -> dict[str, tuple[FidelityCategory, int]]:
    """Return every name in the messages with its kind and first message."""
    first_mentions: dict[str, tuple[FidelityCategory, int]] = {}
    for index, message in enumerate(messages):
        for kind, name in identifiers_in(searchable_text(message)):
            first_mentions.setdefault(name, (kind, index))
    return first_mentions


def _count_uses(
    after: Sequence[Message], known_names: Mapping[str, tuple[FidelityCategory, int]]
) -> Counter[str]:
    """Count the model's uses of known names that were not repeated to it since."""
    repeated_names: set[str] = set()
    uses: Counter[str] = Counter()
    for message in after:
        names = {name for _, name in identifiers_in(searchable_text(message)) if name in known_names}
        if message.speaker is Speaker.AI:
            uses.update(name for name in names if name not in repeated_names or name in uses)
        else:
            repeated_names |= names
    return uses


def identifiers_in(text: str) -> Iterator[tuple[FidelityCategory, str]]:
    """Yield paths, addresses, code identifiers, digests and larger numbers of a text."""
    searched_text = text[:_MAX_SEARCHED]
    for url in prose_facts.urls(searched_text):
        yield FidelityCategory.URL, url
    for pattern, kind in _PATTERNS:
        for name in pattern.findall(searched_text):
            if len(name) >= _MIN_NAME:
                yield kind, name.rstrip(".-")


_PATTERNS = (
    (_PATH, FidelityCategory.PATH),
    (_NAME, FidelityCategory.IDENTIFIER),
    (_DIGEST, FidelityCategory.IDENTIFIER),
    (_LARGE_NUMBER, FidelityCategory.NUMBER),
)
