"""What a summary says against sentences of its source that are no known facts, a case for each way."""

from __future__ import annotations

import pytest

from core.analysis.fidelity.contradictions import contradictions
from core.analysis.fidelity.source_index import source_index
from core.transcript.model import Message
from tests.builders import ai, human
from tests.core.analysis.fidelity_judging import fidelity, run

SESSION: tuple[Message, ...] = (
    human("Round tables seat 8, the head table 6. Hall 3 is closed on Sunday. Greta says 55 is enough."),
    human(
        "You may water the roses, but leave the orchids alone. Never add sugar to the tea, not even brown."
    ),
    ai("I went with oak instead of pine, since oak was in stock."),
    ai("Next: sand the boards, oil them, then mount the shelf."),
    human("The fair is on 9 June. Dogs sleep in the barn."),
    human("Sorry, the fair moved to 12 June. And forget the thing about dogs."),
    *run("make shelf", "ShelfError: plank 7 too short", failed=True),
)
CASES = (
    (
        "values swapped",
        "Seats: 8 at round tables, 6 at the head table.",
        "Seats: 6 at round tables, 8 at the head table.",
    ),
    ("permission", "Sugar, brown included, stays out of the tea.", "Brown sugar is fine in the tea."),
    ("exchange", "Roses may be watered; the orchids stay.", "Orchids may be watered; the roses stay."),
    ("order", "Oak was preferred to pine.", "Pine was preferred to oak."),
    ("steps", "To do: sand, oil, mount.", "To do: mount the shelf, oil them, sand the boards."),
    ("state", "Plank 7 is still too short.", "The fault of plank 7, too short, is fixed."),
)


def _is_contradicted(summary: str) -> bool:
    found = fidelity(SESSION, summary=summary)
    return any(fact.is_negated for fact in found.facts)


@pytest.mark.req("LOSS-2.3.2", "LOSS-2.3.4", "LOSS-2.3.5")
@pytest.mark.parametrize(("faithful", "false"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_false_sentence_alone_is_an_error(faithful: str, false: str) -> None:
    assert not _is_contradicted(faithful)
    assert _is_contradicted(false)


def test_what_the_source_says_word_for_word_contradicts_nothing() -> None:
    said = "The fair is on 9 June."
    assert not list(contradictions(SESSION, [(0, said)], source_index(SESSION, [said])))


def test_output_with_places_of_code_binds_no_values() -> None:
    session = run("ls", "hooks.go:470: gemini hook\nFile 'a.py', line 3, in <module>")
    assert not list(
        contradictions(session, [(0, "The gemini hook is number 471.")], source_index(session, ["471"]))
    )
