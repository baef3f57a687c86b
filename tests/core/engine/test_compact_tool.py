"""The compact tool: definition, effects and answers (ION)."""

from pathlib import Path
from typing import Any

import pytest

from core.app.events import OpenRequest
from core.app.services.export import ExportService
from core.app.services.preview import OpenService, PreviewService
from core.app.services.settings import ProfileService, SettingsService
from core.common.errors import Cancelled, CompactionFailed
from core.common.number_format import context_compacted, context_share, size_change
from core.engine import compact_tool
from core.engine.compact_tool import (
    DEFINITION,
    MIN_TOKENS,
    UNDER_TARGET,
    run_compact_tool,
)
from core.engine.history_store import (
    CompactionStatus,
    CompressionCause,
    ContextWarning,
    SummaryRequested,
    event_notice,
)
from core.export.export import export_history
from core.facts.sentences import plain_text
from core.formats.registry import load_conversation
from core.formats.writing.exporter import ExportInput
from core.presentation.dialog_model import ExportRequest
from core.settings.schema import LIMIT as LIMIT_KEY
from core.settings.schema import OUTPUT_RESERVE, STRATEGY, TARGET
from core.strategies import hybrid, middle_out, one_shot, tiered
from core.transcript.model import Message, Speaker
from core.transcript.scopes import ALL, history_of_scope
from tests.core.app.recording_workspace import RecordingHandler, save_profile
from tests.core.engine.engine_running import SessionRecorder
from tests.core.strategies.tiered_running import LINES, SEVEN
from tests.support.builders import ai, call, conversation, exchange, human, talk
from tests.support.loopback import Loopback, Reply

LIMIT = 60_000
BIG = (
    human("Fix it."),
    *(m for n in range(40) for m in exchange(f"r{n}", "Read", LINES * 3)),
)
TALKED = talk(300, "word " * 40)
"""Only words: nothing for the first two tiers."""


def loop(
    messages: tuple[Message, ...] = BIG, text: str = SEVEN, **settings: Any
) -> SessionRecorder:
    known: dict[str, Any] = {
        "compression__strategy": tiered.NAME,
        "compaction__output_reserve": 0,
    }
    known |= {"compaction__target": 0.2, "hybrid__target": 0.1, **settings}
    running = SessionRecorder(messages, limit=LIMIT, **known)
    running.summariser.text = text
    assert not running.events_of(CompactionStatus)
    return running


@pytest.mark.req("ION-38", "ION-41")
def test_the_tool_is_named_compact_and_takes_a_focus() -> None:
    parameters = DEFINITION["parameters"]
    assert DEFINITION["name"] == "compact"
    assert list(parameters["properties"]) == ["focus"]
    assert parameters["properties"]["focus"]["type"] == "string"
    assert parameters["required"] == []


@pytest.mark.req("ION-39", "ION-40")
def test_the_description_says_when_to_call_it_and_what_comes_back() -> None:
    words = (
        "new area of work",
        "after a large piece of work",
        "wear",
        "summary of what was kept",
    )
    assert [word for word in words if word not in DEFINITION["description"]] == []


@pytest.mark.req("ION-02", "ION-43", "ION-44")
def test_it_runs_the_tiers_and_answers_with_the_tier_where_there_is_no_summary() -> (
    None
):
    running = loop()
    before = running.session.store.total
    answer = run_compact_tool(running.session)
    after = running.session.store.total
    assert after < before
    assert answer == f"Compacted: {size_change(before, after)} tokens (tier 2)"
    assert running.summariser.requests == []


@pytest.mark.req("ION-44", "ION-43")
def test_it_answers_with_the_summary_where_one_was_written() -> None:
    running = loop(TALKED)
    answer = run_compact_tool(running.session, {"focus": ""})
    assert "keep the lexer, because it is fast" in answer
    assert len(running.summariser.requests) == 1
    assert running.raw[0].speaker is Speaker.SYSTEM


@pytest.mark.req("ION-42")
@pytest.mark.parametrize(
    "name", [tiered.NAME, middle_out.NAME, one_shot.NAME, hybrid.NAME]
)
@pytest.mark.parametrize(
    "arguments", [{"focus": " the parser "}, '{"focus": "the parser"}']
)
def test_the_focus_stands_in_every_request(name: str, arguments: Any) -> None:
    running = loop(TALKED, compression__strategy=name)
    run_compact_tool(running.session, arguments)
    assert {request.focus for request in running.summariser.requests} == {"the parser"}


@pytest.mark.req("ION-45")
def test_listeners_hear_of_it() -> None:
    running = loop()
    before = running.session.store.total
    run_compact_tool(running.session)
    (status,) = running.events_of(CompactionStatus)
    assert status == CompactionStatus(
        before, running.session.store.total, CompressionCause.MANUAL
    )


@pytest.mark.req("ION-62")
def test_under_the_target_nothing_is_needed() -> None:
    running = loop(compaction__target=0.75)
    assert running.session.store.total < 0.75 * LIMIT
    assert run_compact_tool(running.session) == UNDER_TARGET == "No compaction needed"
    assert running.raw == BIG


@pytest.mark.req("ION-70")
def test_a_small_conversation_is_left_alone() -> None:
    running = loop(talk(20))
    running.session.store.base = MIN_TOKENS  # a long system prompt is no conversation
    answer = run_compact_tool(running.session)
    assert answer.startswith("Nothing was compacted: the conversation has ")
    assert "10,000" in answer
    assert running.raw == talk(20)
    assert running.events == []


@pytest.mark.req("ION-60", "ION-63")
def test_a_summary_that_fails_leaves_the_result_of_tier_2_and_a_warning() -> None:
    running = loop(compaction__target=0.01)
    running.summariser.during_request = _raise(CompactionFailed("no route"))
    lines = run_compact_tool(running.session).split("\n")
    assert lines[0].startswith("Compacted: ")
    assert lines[0].endswith("(tier 2)")
    assert any("no route" in line for line in lines[1:])


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            CompactionFailed("pen (ink) refused.", "Take another."),
            "refused. Take another.",
        ),
        (ConnectionError("no route"), "ConnectionError: no route"),
        (Cancelled(), "cancelled"),
    ],
)
def test_errors_are_told_and_never_raised(error: Exception, said: str) -> None:
    running = loop(TALKED, compression__strategy=middle_out.NAME)
    running.summariser.during_request = _raise(error)
    assert said in run_compact_tool(running.session)
    assert running.raw == TALKED


@pytest.mark.parametrize(
    "arguments",
    ["{", "[1]", {"focus": 3}, {"reason": "tired"}, '{"focus": "a", "target": 3}'],
)
def test_arguments_that_it_does_not_take_are_answered(arguments: Any) -> None:
    running = loop()
    assert run_compact_tool(running.session, arguments).startswith(
        "Nothing was compacted: "
    )
    assert running.raw == BIG


@pytest.mark.req("ION-66")
def test_the_call_itself_stays_so_that_its_answer_finds_it() -> None:
    asking = ai("", call(compact_tool.NAME, "c"))
    running = loop((*BIG, asking))
    run_compact_tool(running.session)
    assert running.raw[-1] == asking


def _raise(error: Exception) -> Any:
    def fail() -> None:
        raise error

    return fail


# The words


@pytest.mark.req("ION-64")
def test_the_share_of_the_context_is_always_there() -> None:
    assert (context_share(90_000, 200_000), context_share(5, None)) == (
        "[ctx: 45%]",
        "[ctx: –]",
    )


@pytest.mark.req("ION-65")
def test_the_line_of_a_compaction() -> None:
    assert context_compacted() == "— context compacted —"
    notice = event_notice(
        CompactionStatus(150_400, 105_900, CompressionCause.THRESHOLD)
    )
    assert notice == "— context compacted (150k → 105k tokens) —"
    assert event_notice(ContextWarning(144_000, 200_000)) == "[ctx: 72%]"
    assert event_notice(SummaryRequested("a", "b")) == ""


@pytest.mark.req("ION-67")
def test_the_command_does_what_the_tool_does(
    handler: RecordingHandler, server: Loopback, tmp_path: Path
) -> None:
    source, result = tmp_path / "talk.json", tmp_path / "compacted.json"
    given = conversation(*TALKED)
    source.write_bytes(
        export_history(
            ExportInput(conversation=given, history=history_of_scope(given, ALL)),
            "openai_chat",
        ).data
    )
    by_tool = loop(TALKED)
    run_compact_tool(by_tool.session, {"focus": "the parser"})
    save_profile(server, Reply(text=SEVEN))
    handler(OpenService.open, OpenRequest(str(source)))
    handler(ProfileService.use, "local")
    values = (
        (STRATEGY, tiered.NAME),
        (LIMIT_KEY, LIMIT),
        (TARGET, 0.2),
        (OUTPUT_RESERVE, 0),
    )
    handler(PreviewService.change, values)
    handler(SettingsService.run_line, "/compact the parser")
    handler.call(ExportService.export, ExportRequest(path=str(result), format="llxprt"))
    assert {request.focus for request in by_tool.summariser.requests} == {"the parser"}
    assert "the parser" in server.log[-1].text
    assert list(map(plain_text, load_conversation(result).messages)) == list(
        map(plain_text, by_tool.raw)
    )
    assert len(by_tool.raw) < len(TALKED)
