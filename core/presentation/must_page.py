"""Formats the section of the texts that must survive, first in the Losses tab."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from core.analysis.losses.model import MustStatus
from core.analysis.losses.must import MustEvidence
from core.common import number_format
from core.common.excerpts import one_line_text
from core.facts.instructions import has_modal_word
from core.facts.model import Fact, FactKind
from core.facts.sentences import sentences
from core.presentation.inspector_model import MUST, LossRow, MustPage
from core.presentation.must_words import must_detail, must_head, must_state
from core.presentation.verdict_model import LossUnit

_MAX_TEXT, _MAX_NEAREST = 300, 160  # characters of a must, and of its nearest sentence
_MAX_SUGGESTIONS = 3
_SUGGESTED_LENGTH = range(12, 200)


def must_page(
    musts: Sequence[MustEvidence], from_file: Collection[str], suggestions: Sequence[str] = ()
) -> MustPage:
    """Return the section: a row for each text, worst first. ``from_file`` are the texts that a file
    holds, which can be ignored but not removed."""
    rows = tuple(_row(one, is_from_file=one.text in from_file) for one in musts)
    return MustPage(head=must_head(musts), rows=rows, suggestions=tuple(suggestions))


def _row(one: MustEvidence, *, is_from_file: bool) -> LossRow:
    place = "" if one.message < 0 else number_format.message_number(one.message)
    source = "file" if is_from_file else ""
    detail = one_line_text(must_detail(one), _MAX_NEAREST)
    return LossRow(
        status=one.status.value,
        kind=must_state(one),
        label=MUST,
        text=one_line_text(one.text, _MAX_TEXT),
        note=" · ".join(filter(None, (detail, place, source))),
        source_index=one.message,
        result_index=_result_index(one),
        must=one.text,
        is_from_file=is_from_file,
    )


def _result_index(one: MustEvidence) -> int:
    """Return the message of the result that holds a must, or what comes near it; -1 for none."""
    places = [part.result_index for part in one.sentences if part.result_index >= 0]
    return min(places, default=-1)


def suggested_musts(facts: Sequence[Fact]) -> list[str]:
    """Return sentences of the person with a modal word, the newest first."""
    found: list[str] = []
    for fact in reversed(facts):
        if fact.kind is not FactKind.YOUR_MESSAGE:
            continue
        for sentence in sentences(fact.text):
            text = re.sub(r"\s+", " ", sentence).strip()
            if len(text) in _SUGGESTED_LENGTH and has_modal_word(text) and text not in found:
                found.append(text)
        if len(found) >= _MAX_SUGGESTIONS:
            break
    return found[:_MAX_SUGGESTIONS]


def must_units(musts: Sequence[MustEvidence]) -> tuple[LossUnit, ...]:
    """Return what the verdict says first of the musts, each a count with its verb: "1 of 6 musts
    gone", "2 in part"; "all 6 musts are here" where nothing is missing."""
    counts = Counter(one.status for one in musts)
    total = len(musts) - counts[MustStatus.NOT_SAID]
    if not total:
        return ()
    gone, in_part = counts[MustStatus.GONE], counts[MustStatus.IN_PART]
    unwritten = counts[MustStatus.NOT_WRITTEN]
    if unwritten:
        text = f"{total - unwritten} of {total} {_noun(total)} stay for sure"
        return (LossUnit(text, MustStatus.NOT_WRITTEN),)
    if not gone and not in_part:
        return (LossUnit(_all_here(total), MustStatus.WORD_FOR_WORD),)
    units: list[LossUnit] = []
    if gone:
        units.append(LossUnit(f"{gone} of {total} {_noun(total)} gone", MustStatus.GONE))
    if in_part:
        of_total = "" if gone else f" of {total} {_noun(total)}"
        units.append(LossUnit(f"{in_part}{of_total} in part", MustStatus.IN_PART))
    return tuple(units)


def _all_here(total: int) -> str:
    return "the must is here" if total == 1 else f"all {total} musts are here"


def _noun(total: int) -> str:
    return "must" if total == 1 else "musts"
