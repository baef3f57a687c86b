"""Hybrid's agent mode in the worker and on the command line: confirmed, shown, recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.app.events import CompactionRequest
from core.app.services.preview import PreviewService
from core.presentation.dialog_model import CallQuestion, SummaryProgress
from core.presentation.model import Notice, Screen
from core.settings.keys import HYBRID_MODE, LIMIT, STRATEGY
from core.strategies.hybrid.agent_mode import MAX_ROUNDS
from core.strategies.hybrid.agent_tools import METADATA, RESULT, SEGMENT
from core.strategies.hybrid.strategy import NAME
from tests import loopback
from tests.core.app.recording_session import (
    RecordingHandler,
    last_event,
    save_profile,
)
from tests.core.cli.running_cli import Cli
from tests.loopback import Loopback, Reply, reply_with_calls

RESULTS = [(RESULT, {"message_index": place, "strategy": "generic"}) for place in range(2, 30, 3)]
SCRIPT = (
    reply_with_calls((METADATA, {})),
    reply_with_calls(*RESULTS),
    reply_with_calls((SEGMENT, {"start_index": 0, "end_index": 29, "summary": "S"})),
    Reply("Done."),
)
AGENT = ((STRATEGY, NAME), (HYBRID_MODE, "agent"), (LIMIT, 4000))
WORDS = [word for key, value in AGENT for word in ("--set", f"{key}={value}")]


@pytest.fixture
def handler(transcript: Path, server: Loopback) -> RecordingHandler:
    server.script = list(SCRIPT)
    handler = RecordingHandler(transcript)
    handler(PreviewService.change, AGENT)
    return handler


@pytest.mark.req("LH-77", "LH-72", "LH-89")
def test_the_window_shows_rounds_and_calls_as_they_come(handler: RecordingHandler, server: Loopback) -> None:
    handler.use_profile(server)
    assert server.log == []
    handler(PreviewService.compact, CompactionRequest())
    pictures = [event for event in handler.events if isinstance(event, SummaryProgress)]
    assert pictures[-1].is_over
    titles = [f"local works with tools, round {number} of at most {MAX_ROUNDS}" for number in range(1, 5)]
    assert list(dict.fromkeys(one.title for one in pictures)) == titles
    text = pictures[-1].text
    assert f"Round 1 · {METADATA}: Looked at 30 messages." in text
    assert f"Round 2 · {RESULT}: The result in #3 became a line" in text
    assert f"Round 3 · {SEGMENT}: Refused: Cannot compress: Message at index" in text
    assert [one.fraction for one in pictures] == sorted(one.fraction for one in pictures)
    assert last_event(handler, Screen).run_choices


@pytest.mark.req("LH-92")
@pytest.mark.parametrize("reply", [loopback.UNAUTHORISED, loopback.REFUSED])
def test_a_later_error_changes_nothing(handler: RecordingHandler, server: Loopback, reply: Reply) -> None:
    server.script = [*SCRIPT[:2], reply]
    handler.use_profile(server, stream=False)
    before = last_event(handler, Screen)
    handler(PreviewService.compact, CompactionRequest())
    notice = last_event(handler, Notice)
    assert notice.severity == "error"
    assert "local (tiny-1)" in notice.title
    assert "The conversation is unchanged" in notice.text
    handler(PreviewService.change)
    assert last_event(handler, Screen).after_heading == before.after_heading


@pytest.mark.req("LH-90")
def test_cancel_ends_the_run_and_leaves_the_history(handler: RecordingHandler, server: Loopback) -> None:
    handler.use_profile(server)
    handler.reason = "cancel"
    handler(PreviewService.compact, CompactionRequest())
    assert last_event(handler, Notice).title == "Cancelled."
    assert last_event(handler, Notice).text == "The conversation is unchanged."


def test_a_paid_profile_is_asked_about_with_rounds_and_most_cost(handler: RecordingHandler) -> None:
    handler.use_paid_profile()
    assert "$" in str(last_event(handler, Screen))
    handler(PreviewService.compact, CompactionRequest())
    asked = last_event(handler, CallQuestion)
    assert f"in up to {MAX_ROUNDS} rounds" in asked.text
    assert asked.facts[0].value.startswith("at most $")
    assert asked.facts[0].value.endswith(f"in {MAX_ROUNDS} rounds")


@pytest.mark.req("LH-85")
def test_the_command_line_records_each_call(cli: Cli, transcript: Path, server: Loopback) -> None:
    save_profile(server, *SCRIPT)
    made = cli.json("compact", str(transcript), *WORDS, "--profile", "local")
    assert [call["purpose"] for call in made["calls"]] == [f"round {number}" for number in range(1, 5)]
    steps = [step for call in made["calls"] for step in call["agent_steps"]]
    assert [step["round"] for step in steps] == [1, *[2] * len(RESULTS), 3]
    assert steps[1]["tool"] == RESULT
    assert steps[-1]["refused"]
    assert made["after"]["tokens"] == steps[-1]["tokens"] < made["before"]["tokens"]
    assert made["stats"]["tool_results_compressed"] == len(RESULTS)


@pytest.mark.req("LH-77")
def test_offline_runs_directly_and_says_so(cli: Cli, transcript: Path) -> None:
    made = cli.json("compact", str(transcript), *WORDS)
    assert any("direct ran instead" in warning for warning in made["warnings"])
