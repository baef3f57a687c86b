"""What later turns needed of what was compacted: recall over things that the model really used again.

Deterministic and not circular: it asks no extractor of the summariser, only what the session went on to
use (field.md section 2).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.analysis.fidelity.fact_texts import ParsedTexts, text_index, text_of
from core.analysis.fidelity.model import FactStatus, FidelityCategory, ForwardDemand, JudgedFact, SourceFact
from core.facts import prose_facts
from core.transcript.model import Message, Speaker

_PATH = re.compile(r"(?<![\w/<:])/?(?:[\w.@-]+/)+[\w.@-]+")
_DIGEST = re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")
_NAME = re.compile(
    r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b"
)
_VALUE = re.compile(r"(?<![\w.])\d{3,}(?:\.\d+)?(?![\w.])")
_LONGEST = 60_000  # characters of one message that are looked at
_SHORTEST = 4


@dataclass(frozen=True, slots=True)
class LaterUses:
    """What the model used again after a cut: each thing's kind and first message, and how often."""

    known: Mapping[str, tuple[FidelityCategory, int]]
    uses: Mapping[str, int]


def forward_demand(
    before: Sequence[Message], after: Sequence[Message], result: Sequence[Message]
) -> ForwardDemand | None:
    """What of ``before`` the model used in ``after``, and how much of that ``result`` still has.

    A thing that a person or a tool says again before the model uses it was not needed from memory. None
    where the transcript ends.
    """
    needs = needs_of(before, after)
    return None if needs is None else forward_demand_of(needs, result)


def needs_of(before: Sequence[Message], after: Sequence[Message]) -> LaterUses | None:
    """What ``after`` needed of ``before``, the same for every result; None where the transcript ends."""
    if not any(message.speaker is Speaker.AI for message in after):
        return None
    known = _first_seen(before)
    return LaterUses(known, _used(after, known))


def forward_demand_of(
    needs: LaterUses, result: Sequence[Message], read: ParsedTexts | None = None
) -> ForwardDemand:
    """How much of what was needed a result still has; ``read`` are texts of other results."""
    known, uses = needs.known, needs.uses
    kept = text_index([text_of(message) for message in result], read=read)
    there = {name for name in uses if kept.places(name, exact=True)}
    lost = tuple(
        JudgedFact(SourceFact(known[name][0], name, name, (known[name][1],)), FactStatus.LOST)
        for name in sorted(uses, key=lambda one: (-uses[one], known[one][1]))
        if name not in there
    )
    return ForwardDemand(len(uses), len(there), sum(uses.values()), sum(uses[name] for name in there), lost)


def _first_seen(messages: Sequence[Message]) -> dict[str, tuple[FidelityCategory, int]]:
    """Every thing that the messages name, with its kind and the first that does."""
    found: dict[str, tuple[FidelityCategory, int]] = {}
    for index, message in enumerate(messages):
        for kind, name in identifiers_in(text_of(message)):
            found.setdefault(name, (kind, index))
    return found


def _used(after: Sequence[Message], known: Mapping[str, tuple[FidelityCategory, int]]) -> Counter[str]:
    """How often the model uses a known thing that nobody has told it again since."""
    told: set[str] = set()
    uses: Counter[str] = Counter()
    for message in after:
        names = {name for _, name in identifiers_in(text_of(message)) if name in known}
        if message.speaker is Speaker.AI:
            uses.update(name for name in names if name not in told or name in uses)
        else:
            told |= names
    return uses


def identifiers_in(text: str) -> Iterator[tuple[FidelityCategory, str]]:
    """Paths, addresses, names as code spells them, digests and larger numbers in a text."""
    part = text[:_LONGEST]
    for url in prose_facts.urls(part):
        yield FidelityCategory.URL, url
    for pattern, kind in _PATTERNS:
        for name in pattern.findall(part):
            if len(name) >= _SHORTEST:
                yield kind, name.rstrip(".-")


_PATTERNS = (
    (_PATH, FidelityCategory.PATH),
    (_NAME, FidelityCategory.IDENTIFIER),
    (_DIGEST, FidelityCategory.IDENTIFIER),
    (_VALUE, FidelityCategory.NUMBER),
)
