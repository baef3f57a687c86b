"""The prompt editor's page: chain, changes, checks, exact request."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.presentation.prompt_page import PromptPageRequest, insert_section, prompt_page
from core.preview.options import Preview
from core.preview.pipeline import first_summary_request
from core.preview.preview import compute_preview
from core.settings.prompts.prompt_files import PromptLevel, built_in
from core.settings.prompts.saving import prompt_signature, save_override
from core.strategies.registry import COMPRESSION_STRATEGIES
from core.tokens.counter import CountMethod, TokenCounter, counter_for
from core.transcript.model import Conversation, SourceDocument
from tests.builders import ai, conversation, exchange, talk
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
