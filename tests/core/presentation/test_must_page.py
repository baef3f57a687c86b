"""The section of the texts that must survive, and what the verdict says of them."""

import pytest

from core.losses.evidence import (
    MustStatus,
    SentenceEvidence,
    SentenceStatus,
)
from core.losses.must_keep import MustEvidence
from core.presentation import inspector_model
from core.presentation.verdict import must_page, must_units

GONE, PART, HERE = MustStatus.GONE, MustStatus.IN_PART, MustStatus.WORD_FOR_WORD
UNWRITTEN, UNSAID = MustStatus.NOT_WRITTEN, MustStatus.NOT_SAID


def musts(*statuses: MustStatus) -> list[MustEvidence]:
    return [
        MustEvidence(text=f"rule {number}", status=status)
        for number, status in enumerate(statuses)
    ]


@pytest.mark.parametrize(
    ("statuses", "words"),
    [
        ((), []),
        ((UNSAID,), []),
        ((HERE,), ["the must is here"]),
        ((HERE, HERE, UNSAID), ["all 2 musts are here"]),
        ((GONE, HERE), ["1 of 2 musts gone"]),
        ((GONE, PART, PART), ["1 of 3 musts gone", "2 in part"]),
        ((PART, HERE), ["1 of 2 musts in part"]),
        ((UNWRITTEN, HERE, HERE), ["2 of 3 musts stay for sure"]),
    ],
)
def test_the_verdict_counts_the_musts(
    statuses: tuple[MustStatus, ...], words: list[str]
) -> None:
    assert [one.text for one in must_units(musts(*statuses))] == words


def test_what_nobody_said_counts_only_alone() -> None:
    assert must_page(musts(GONE, HERE, UNSAID), ()).counts == (
        ("✕ 1", "error"),
        ("✓ 1", "ok"),
    )
    assert must_page(musts(UNSAID, UNSAID), ()).counts == (("– 2", "quiet"),)


def test_a_row_says_what_comes_near() -> None:
    near = SentenceEvidence("Never x.", SentenceStatus.NEAREST, 4, "Always x.")
    must = MustEvidence(text="Never x.", status=PART, sentences=(near,), message=2)
    (row,) = must_page([must], {"Never x."}).rows
    assert row.note == "Always x. · #3 · file"
    assert (row.source_index, row.result_index, row.must) == (2, 4, "Never x.")


def test_the_window_knows_the_statuses_of_the_evidence() -> None:
    names = inspector_model.MUST_IN_PART, inspector_model.MUST_NOT_WRITTEN
    assert names == (PART.value, UNWRITTEN.value)
    assert UNSAID.value == inspector_model.MUST_NOT_SAID


def test_the_ruler_gets_a_mark_for_each_must_that_a_message_says() -> None:
    gone = MustEvidence(text="Ask first.", status=GONE, message=40)
    here = MustEvidence(text="Never x.", status=HERE, message=2)
    marks = must_page([gone, here, *musts(UNSAID)], ()).marks
    assert [(one.message, one.rank, one.tone) for one in marks] == [
        (2, 1, "ok"),
        (40, 0, "error"),
    ]
    assert marks[1].words == "Ask first.: gone · #41"


def test_below_a_must_stands_what_comes_near_or_why_nothing_is_said() -> None:
    near = SentenceEvidence("Never x.", SentenceStatus.NEAREST, 4, "Always x.")
    lost = SentenceEvidence("Never x.", SentenceStatus.GONE)
    found = [
        MustEvidence(text="Never x.", status=PART, sentences=(near,)),
        MustEvidence(text="Never x.", status=GONE, sentences=(lost,)),
        *musts(UNWRITTEN, UNSAID, HERE),
    ]
    rows = must_page(found, ()).rows
    assert ["".join(part.text for part in row.detail) for row in rows] == [
        "Always x.",
        "gone · nothing in the result comes near",
        "not written: it depends on what the model writes",
        "not said in this session · not counted",
        "",
    ]
    assert [part.text for part in rows[0].parts if part.differs] == ["Never"]
