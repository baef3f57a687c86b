"""Lost facts on the ruler: positions, texts, hit test."""

from __future__ import annotations

from core.analysis.fidelity.model import FactStatus, FidelityCategory, JudgedFact, SourceFact
from core.presentation.fidelity_page import lost_facts_by_message
from core.presentation.ruler.geometry import marks_near, prefix_sums, whole_range
from core.presentation.ruler.wording import lost_tip


def fact(kind: FidelityCategory, text: str, *messages: int) -> JudgedFact:
    return JudgedFact(SourceFact(kind, text, text, messages), FactStatus.LOST)


LOST = (
    fact(FidelityCategory.CONSTRAINT, "Never push.", 4),
    fact(FidelityCategory.ERROR, "TypeError", 2, 4),
    *(fact(FidelityCategory.PATH, f"lib/{n}.py", 4) for n in range(3)),
)


def test_each_message_says_its_worst_facts_and_counts_the_others() -> None:
    places, words = lost_facts_by_message(LOST)
    assert list(places) == [2, 4]
    assert words[0] == "errors: TypeError"
    assert words[1].splitlines() == [
        "constraints: Never push.",
        "errors: TypeError",
        "paths: lib/0.py",
        "and 2 more",
    ]


def test_the_tip_names_the_message_or_how_many_share_a_mark() -> None:
    places, words = lost_facts_by_message(LOST)
    assert lost_tip(places, words, (2,)) == "Lost in #3\nerrors: TypeError"
    assert lost_tip(places, words, (2, 4)).startswith("Lost in #3 and 1 more message\nerrors:")
    assert lost_tip(places, words, ()) == ""


def test_the_marks_near_a_pixel_are_those_whose_middle_is() -> None:
    sums = prefix_sums((10,) * 100)  # a pixel is ten tokens: message n has its middle at n + 0.5
    view = whole_range(1000, 100)
    assert list(marks_near((2, 40, 43, 80), sums, view, 41, max_distance=2)) == [40]
    assert list(marks_near((2, 40, 43, 80), sums, view, 42, max_distance=2)) == [40, 43]
    assert list(marks_near((2, 40, 43, 80), sums, view, 60, max_distance=2)) == []
    assert list(marks_near((500,), sums, view, 99)) == []
