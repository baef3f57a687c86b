"""Pages beside the lists: the prompt editor's chain, changes, checks, request; lost facts on the ruler."""

import re
from dataclasses import replace
from pathlib import Path

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
from core.presentation.prompt_page import PromptPageRequest, insert_section, prompt_page
from core.presentation.ruler.wording import lost_tip
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.preview.summary_requests import first_summary_request
from core.reports.document import export_input
from core.reports.html_page import html_report
from core.settings.keys import LIMIT, STRATEGY
from core.settings.prompts.prompt_files import PromptLevel, built_in
from core.settings.prompts.saving import prompt_signature, save_override
from core.strategies.registry import COMPRESSION_STRATEGIES
from core.strategies.top_down import NAME as TRUNCATION
from core.tokens.counter import CountMethod, TokenCounter, counter_for
from core.transcript.model import Conversation, RecordedCompaction, SourceDocument
from tests.builders import ai, conversation, exchange, human, talk
from tests.core.strategies.strategy_running import values

NAME, TOP_DOWN = COMPRESSION_STRATEGIES[:2]
CALLED = ("anthropic", "claude-haiku-4-5")
COUNTER = TokenCounter(CountMethod("≈", "estimate of 4 characters per token", ""))


@pytest.fixture
def ask(tmp_path: Path) -> PromptPageRequest:
    return PromptPageRequest(NAME, *CALLED, tmp_path)


def shown(talked: Conversation, strategy: str = NAME) -> Preview:
    return compute_preview(talked, values(context_limit=100_000, compression__strategy=strategy))


def test_without_overrides_the_built_in_text_is_shown(ask: PromptPageRequest) -> None:
    page = prompt_page(ask, COUNTER)
    assert [row.title for row in page.chain] == ["This model", "This provider", "All providers", "Built in"]
    assert [row.state for row in page.chain] == ["none", "none", "none", "in use"]
    assert (page.level, page.editable, page.notice, page.changes_title) == ("built in", False, "", "")
    assert page.sections_text == "9 of 9"
    assert page.request.reason == "Open a transcript to see the request."


def test_an_override_is_compared_with_the_level_below(ask: PromptPageRequest) -> None:
    save_override(PromptLevel.BASE, "one\ntwo\n", NAME, *CALLED, ask.folder)
    save_override(PromptLevel.PROVIDER, "one\n2\nthree\n", NAME, *CALLED, ask.folder)
    page = prompt_page(ask, COUNTER)
    assert (page.level, page.changes_title) == ("provider", "Changes against all providers")
    assert (page.added, page.removed) == ("+2", "−1")
    assert [line.mark + line.number for line in page.changes] == [" 1", "-", "+2", "+3"]
    assert [row.state for row in page.chain] == ["none", "in use", "not used", ""]
    assert page.chain[1].place == "providers/anthropic/compression/ · edited"


def test_what_is_to_be_checked_stands_in_one_notice(ask: PromptPageRequest) -> None:
    text = built_in(NAME).text.replace("errors_encountered>", "faults>") + "in {repo}\n"
    page = prompt_page(replace(ask, level=PromptLevel.BASE, text=text), COUNTER)
    assert page.notice == "Two things to check."
    assert page.detail == (
        "{repo} is not a placeholder and would be sent as it is. "
        f"Section errors_encountered is missing; {NAME} asks for nine."
    )
    assert page.line == len(text.splitlines())
    assert page.edited
    assert [row.name for row in page.sections if not row.present] == ["errors_encountered"]
    assert [row.name for row in page.placeholders if not row.known] == ["repo"]


def test_a_change_outside_is_told(ask: PromptPageRequest) -> None:
    path = save_override(PromptLevel.BASE, "one", NAME, *CALLED, ask.folder)
    watched = replace(ask, file_signature=prompt_signature(path))
    assert prompt_page(watched, COUNTER).changed_outside == ""
    path.write_text("two")
    assert prompt_page(watched, COUNTER).changed_outside == "Another program changed this file."
    path.unlink()
    page = prompt_page(replace(watched, level=PromptLevel.BASE), COUNTER)
    assert page.changed_outside == "Another program deleted this file."


@pytest.mark.req("REQ-HD-011.3", "REQ-HD-012.2")
def test_the_request_is_the_one_that_the_strategy_makes(ask: PromptPageRequest) -> None:
    todos = [{"content": "write the test", "status": "in_progress"}]
    talked = conversation(*talk(40), *exchange("t", "TodoWrite", "ok", todos=todos))
    talked = replace(talked, document=SourceDocument("a.jsonl", Path("/logs/a.jsonl")))
    page = prompt_page(replace(ask, text="In {max_tokens}.\n"), COUNTER, shown(talked))
    parts = page.request.parts
    assert (parts[0].role, parts[-1].role, parts[0].title) == ("system", "user", f"1 of {len(parts)}")
    budget = page.request.facts[2].value.removesuffix(" tokens")
    assert parts[0].text.startswith(f"In {budget}.\n")
    for phrase in ("write the test", "/logs/a.jsonl. Name that path"):
        assert phrase in parts[-1].text
    assert all("word word" in part.text for part in parts[2:-1])
    assert page.request.facts[0].value == "24 messages, #10–#33"


def test_a_request_speaks_of_the_messages_of_the_source() -> None:
    given = shown(conversation(*talk(20), ai(), *talk(20)))
    request = first_summary_request(given, "p", counter_for(""))
    assert request is not None
    middle = given.compaction.origins[min(given.compaction.inserted)]
    assert tuple(given.inputs[index] for index in request.indices) == middle
    assert request.messages == tuple(given.messages[index] for index in middle)


def test_a_strategy_that_asks_nothing_says_so(ask: PromptPageRequest) -> None:
    request = prompt_page(ask, COUNTER, shown(conversation(*talk(40)), TOP_DOWN)).request
    assert (request.parts, bool(request.reason)) == ((), True)
    few = prompt_page(ask, COUNTER, shown(conversation(*talk(4))))
    assert "needs 4" in few.request.reason


def test_a_missing_section_is_inserted_from_the_page(ask: PromptPageRequest) -> None:
    text = insert_section(NAME, "<state_snapshot>\n</state_snapshot>\n", "open_questions")
    page = prompt_page(replace(ask, text=text), COUNTER)
    assert [row.name for row in page.sections if row.present] == ["open_questions"]


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
