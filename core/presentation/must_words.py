"""What is said of the texts that must survive, in the same words in window and command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from core.analysis.losses.model import MustMark, MustStatus
from core.analysis.losses.sentence_evidence import SentenceEvidence, SentenceStatus
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.json_value import Json

if TYPE_CHECKING:  # it loads what searches for them
    from core.analysis.losses.must import MustEvidence

MUST_GLYPHS: Mapping[MustStatus, str] = {
    MustStatus.WORD_FOR_WORD: "✓",
    MustStatus.IN_PART: "◐",
    MustStatus.GONE: "✕",
    MustStatus.NOT_WRITTEN: "?",
    MustStatus.NOT_SAID: "–",
}
MUST_LOOKS: Mapping[MustStatus, tuple[str, str]] = {
    MustStatus.GONE: ("dropped", "error"),
    MustStatus.IN_PART: ("half", "warn"),
    MustStatus.NOT_WRITTEN: ("unknown", "quiet"),
    MustStatus.WORD_FOR_WORD: ("ok", "ok"),
    MustStatus.NOT_SAID: ("info", "quiet"),
}
"""The name of the glyph that is painted, and its tone."""
NOTHING_NEAR = "nothing in the result comes near"
_MAX_TEXT = 100  # characters of a must, and of its nearest sentence


def must_head(musts: Sequence[MustEvidence | MustMark]) -> str:
    """Return "✕ 1 ◐ 2 ✓ 3", without those of which there are none."""
    counts = Counter(one.status for one in musts)
    return " ".join(
        f"{MUST_GLYPHS[status]} {counts[status]:,}" for status in MustStatus if counts[status]
    )


def must_state(one: MustEvidence) -> str:
    """Return "word for word", "3 of 4 sentences", "gone since recorded 1"."""
    if one.gone_since is not None:
        return f"gone since recorded {one.gone_since}"
    if one.status is MustStatus.IN_PART and len(one.sentences) > 1:
        return f"{one.standing} of {len(one.sentences)} sentences"
    return one.status.value


def must_detail(one: MustEvidence) -> str:
    """Return the nearest sentence of a must that is not there as it is; "" for one that is."""
    if one.status is MustStatus.GONE:
        return NOTHING_NEAR
    worst = one.worst
    if one.status is not MustStatus.IN_PART or worst is None:
        return ""
    return worst.nearest or NOTHING_NEAR


def must_lines(musts: Sequence[MustEvidence]) -> Iterator[str]:
    """Yield a line for each must, and one for what comes near it."""
    for one in musts:
        number = "" if one.message < 0 else f" {number_format.message_number(one.message)}"
        text = one_line_text(one.text, _MAX_TEXT)
        yield f"{MUST_GLYPHS[one.status]} {text} · {must_state(one)}{number}"
        if detail := must_detail(one):
            yield f"    {one_line_text(detail, _MAX_TEXT)}"


def missed_musts(musts: Sequence[MustEvidence], *, allows_part: bool) -> list[MustEvidence]:
    """Return the musts for which a check fails."""
    missed = {MustStatus.GONE} if allows_part else {MustStatus.GONE, MustStatus.IN_PART}
    return [one for one in musts if one.status in missed]


def missed_sentence(one: MustEvidence) -> str:
    """Return "must keep: “Never …” is gone", "… is there in part: “the nearest sentence”"."""
    text = one_line_text(one.text, _MAX_TEXT)
    if one.status is MustStatus.GONE:
        return f"must keep: “{text}” is {must_state(one)}"
    near = one_line_text(must_detail(one), _MAX_TEXT)
    return f"must keep: “{text}” is there in part: “{near}”"


def must_json(one: MustEvidence) -> dict[str, Json]:
    return {
        "text": one.text,
        "kind": must_kind(one),
        "status": one.status.value,
        "message": one.message if one.message >= 0 else None,
        "gone_since": one.gone_since,
        "sentences": list(map(sentence_json, one.sentences)),
    }


def must_kind(one: MustEvidence) -> str:
    if one.is_name:
        return "name"
    return "message" if len(one.sentences) > 1 else "sentence"


def sentence_json(one: SentenceEvidence) -> dict[str, Json]:
    """Return a sentence with its status; ``differs`` are the words that it or its nearest sentence
    has alone, null where none is near."""
    is_near = one.status is SentenceStatus.NEAREST
    differs = one.differs
    return {
        "text": one.text,
        "status": one.status.value,
        "nearest": one.nearest or None,
        "differs": {
            "missing": [word.text for word in differs.missing],
            "added": [word.text for word in differs.added],
        }
        if is_near
        else None,
    }
