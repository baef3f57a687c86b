"""Wording of pins, of fixes of the reference, and of a message's origin before a recorded compaction."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from core.common import number_format
from core.presentation.message_model import (
    TextSpan,
    WhySection,
)
from core.preview.options import Preview
from core.strategies.reference_fixes import find_fix
from core.strategies.registry import STRATEGIES
from core.transcript.compaction import FateKind
from core.transcript.provenance import message_provenance

_NUMBER = re.compile(r"#(\d[\d,]*)")


def linked_spans(text: str, length: int, side: str = "before") -> tuple[TextSpan, ...]:
    """Split a text into spans; numbers beyond ``length`` messages are no links."""
    spans: list[TextSpan] = []
    position = 0
    for match in _NUMBER.finditer(text):
        digits = match.group(1).rstrip(",")
        index = int(digits.replace(",", "")) - 1
        if not 0 <= index < length:
            continue
        if match.start() > position:
            spans.append(TextSpan(text[position : match.start()]))
        position = match.start() + 1 + len(digits)
        spans.append(TextSpan(text[match.start() : position], f"{side}:{index}"))
    if position < len(text):
        spans.append(TextSpan(text[position:]))
    return tuple(spans)


def sentence_spans(*parts: str | TextSpan) -> tuple[TextSpan, ...]:
    """Join texts and links, without empty ones."""
    return tuple(part if isinstance(part, TextSpan) else TextSpan(part) for part in parts if part)


def message_names(indices: Sequence[int], most: int) -> str:
    """Return "#1, #2 and 3 more"."""
    names = ", ".join(f"#{index + 1}" for index in indices[:most])
    return f"{names} and {len(indices) - most} more" if len(indices) > most else names


def message_link(side: str, index: int) -> TextSpan:
    return TextSpan(f"#{index + 1}", f"{side}:{index}")


TITLE = "Before it was compacted"
_MAX_RANGES = 8  # ranges listed; the rest is counted


def provenance_section(preview: Preview, index: int) -> WhySection | None:
    """Return the former messages that a message replaces, and how to restore one. None for an original
    message without removed neighbours. Numbers are those of the former session, hence no links."""
    provenance = message_provenance(preview.messages[index])
    if provenance is None or not (provenance.fates or provenance.removed):
        return None
    sentences = []
    if provenance.fates:
        word = "Stands for" if len(provenance.fates) > 1 else "Was"
        sentences.append(
            f"{word} {_ranges_text(provenance.fates)} of the session before it, {_fates(provenance.fates)}."
        )
    if provenance.removed:
        sentences.append(f"Beside it stood {_ranges_text(provenance.removed)}, {_fates(provenance.removed)}.")
    sentences.append("The file holds them as they were; one comes back with:")
    first_number = min((*provenance.fates, *provenance.removed)) + 1
    name = shlex.quote(preview.conversation.document.name)
    return WhySection(
        TITLE,
        sentence_spans(" ".join(sentences)),
        mono=f"foldline convert {name} --put-back {first_number} --to {preview.conversation.format} -o NEW",
    )


def _ranges_text(indices: Iterable[int]) -> str:
    """Return messages as ranges: "#3–#9, #12"."""
    ranges = [
        [index for _, index in group]
        for _, group in groupby(enumerate(sorted(indices)), lambda pair: pair[1] - pair[0])
    ]
    words = [number_format.span(run[0], run[-1] + 1) for run in ranges[:_MAX_RANGES]]
    unlisted_ranges: Sequence[list[int]] = ranges[_MAX_RANGES:]
    more_text = (
        f" and {number_format.plural(sum(map(len, unlisted_ranges)), 'other')}" if unlisted_ranges else ""
    )
    return f"{', '.join(words)}{more_text}"


def _fates(fates: Mapping[int, FateKind]) -> str:
    """Return "20 summarised, 6 dropped", or the fate of a single message."""
    if len(fates) == 1:
        return next(iter(fates.values())).value
    return ", ".join(
        f"{number_format.count(count)} {kind.value}" for kind, count in Counter(fates.values()).items()
    )


def pin_strategy() -> str:
    return next(strategy.name for strategy in STRATEGIES if strategy.obeys_pins)


def pin_strategy_link() -> TextSpan:
    """Return a link that chooses a strategy that obeys pins."""
    name = pin_strategy()
    return TextSpan(f"use {name}", f"strategy:{name}")


def fix_text(id_: str) -> str:
    """Return what the reference does and what Foldline does: "… Here: … (fix BD-01)"."""
    fix = find_fix(id_)
    if fix is None:
        return f"Fix {id_}."
    return f"{fix.fault} Here: {fix.fix[:1].lower()}{fix.fix[1:].rstrip('.')} (fix {fix.id})."
