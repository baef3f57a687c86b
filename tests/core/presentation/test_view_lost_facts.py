"""Lost facts on the ruler: positions, texts, hit test."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from core.analysis.fidelity.evaluate import fidelity_of, preview_demand
from core.analysis.fidelity.fact_rows import fact_rows
from core.analysis.fidelity.model import (
    FactStatus,
    Fidelity,
    FidelityCategory,
    ForwardDemand,
    JudgedFact,
    SourceFact,
)
from core.configuration.layers import SettingLayers
from core.presentation.fidelity_page import fidelity_page, later_needs, losses_heading, lost_facts_by_message
from core.presentation.inspector_model import fact_note
from core.presentation.ruler.wording import lost_tip
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.reports.document import export_input
from core.reports.html_page import html_report
from core.settings.keys import LIMIT, STRATEGY
from core.strategies.top_down import NAME as TRUNCATION
from core.transcript.model import RecordedCompaction
from tests.builders import ai, conversation, exchange, human


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
    worst = ["constraints: Never push.", "errors: TypeError", "paths: lib/0.py", "and 2 more"]
    assert words[1].splitlines() == worst


RULE_TEXT = "Never touch /repo/lib/legacy.py, whatever it says."
RULE = human(RULE_TEXT)
TALK = (
    RULE,
    *exchange("r", "Read", "def old_guard(): pass " * 300, file_path="/repo/lib/legacy.py"),
    *(ai(f"Part {number} is done. " * 60) for number in range(8)),
)
LATER = (human("go on"), ai("Now `old_guard` in /repo/lib/legacy.py again."))


def made(scope: str = "all") -> Preview:
    cut = RecordedCompaction("summary", len(TALK))
    session = conversation(*TALK, *LATER, cwd="/repo", recorded=(cut,))
    values = SettingLayers().with_session(STRATEGY, TRUNCATION).with_session(LIMIT, 3_000).resolve()
    return compute_preview(session, values, PreviewOptions(scope))


@pytest.mark.req("LOSS-2.5.2")
def test_later_turns_are_known_only_before_a_recorded_compaction() -> None:
    assert preview_demand(made(), StageCache()) is None
    found = preview_demand(made("before:1"), StageCache())
    assert found is not None
    assert found.needed == 2


@pytest.mark.req("LOSS-2.5.2")
def test_the_page_says_what_later_turns_needed_or_where_to_look() -> None:
    ends = fidelity_page(made(), fidelity_of(made(), StageCache())).needed
    assert [span.link for span in ends if span.link] == ["scope:before:1"]
    words = later_needs(ForwardDemand(8, 6, 20, 18), made("before:1"))
    assert words[0].text == "Needed by later turns: 6 of 8 still there, 75 %; 90 % by number of uses."
    (nothing, *_) = later_needs(ForwardDemand(0, 0, 0, 0), made())
    assert nothing.text == "Needed by later turns: nothing that was said before."


@pytest.mark.req("LOSS-2.5.1")
def test_the_headline_counts_the_lost_and_what_cannot_be_told() -> None:
    kept = JudgedFact(SourceFact(FidelityCategory.URL, "u", "u", (0,)), FactStatus.VERBATIM)
    untold = replace(kept, status=FactStatus.UNCLEAR)
    judged = Fidelity((*LOST, kept, untold, untold), (), 0.5)
    assert losses_heading(judged) == "5 of 8 known facts lost, 2 cannot be told"
    page = fidelity_page(made(), fidelity_of(made(), StageCache()))
    assert re.match(r"\d+ of \d+ known facts lost", page.heading)
    assert re.match(r"[\d,]+ tokens of text removed\.", page.scope)
    assert RULE_TEXT in [row.text for row in page.rows]


@pytest.mark.req("LOSS-2.6")
def test_the_losses_are_looked_for_among_the_facts_that_the_command_lists() -> None:
    judged = fidelity_of(made(), StageCache()).facts
    assert [(row.category, row.text) for row in fact_rows(made().messages)] == [
        (one.fact.kind, one.fact.text) for one in judged if one.is_known
    ]


def test_a_note_says_where_and_how() -> None:
    error = SourceFact(FidelityCategory.ERROR, "k", "t", (88, 300))
    assert fact_note(JudgedFact(error, FactStatus.LOST)) == "#89, #301 · never resolved"
    file = replace(error, kind=FidelityCategory.FILE)
    assert fact_note(JudgedFact(file, FactStatus.PARTIAL)) == "#89, #301 · its name alone"
    rule = replace(error, kind=FidelityCategory.CONSTRAINT, messages=(0,))
    assert fact_note(JudgedFact(rule, FactStatus.PARTIAL, is_negated=True)) == "#1 · says the opposite now"


def test_the_report_lists_lost_facts_with_their_messages() -> None:
    html, _ = html_report(export_input(made(), result=True), redact=True)
    assert '<section id="fidelity">' in html
    assert "Score (weighted share of the known facts)" in html
    assert "Never touch /repo/lib/legacy.py" in html


def test_the_tip_names_the_message_or_how_many_share_a_mark() -> None:
    places, words = lost_facts_by_message(LOST)
    assert lost_tip(places, words, (2,)) == "Lost in #3\nerrors: TypeError"
    assert lost_tip(places, words, (2, 4)).startswith("Lost in #3 and 1 more message\nerrors:")
    assert lost_tip(places, words, ()) == ""
