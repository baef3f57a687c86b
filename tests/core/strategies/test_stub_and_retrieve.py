"""stub-and-retrieve: what becomes a stub, and the three ways to get its result back."""

import json
from typing import Any

import pytest

from core.analysis.analysis_input import AnalysisInput
from core.analysis.replay import replay_tracks
from core.api import Session, compact, expand
from core.common.errors import InputError
from core.engine.compact_tool import run_expand_tool
from core.engine.passes import environment_for
from core.export.export import STUBS_NOTE, export_history
from core.mcp.manual_compaction import ManualCompactions
from core.mcp.tools import run_tool
from core.reports.report_data import export_input
from core.strategies.stub_and_retrieve import NAME
from core.strategies.stubs import result_handle
from core.transcript.compaction import FateKind
from tests.core.strategies.strategy_running import values

PARTS = "\n".join(
    f"src/upload/part_{number}.py: retry_limit_{number} = {number}"
    for number in range(300)
)
FAILURE = (
    "ValueError: quota of fold-43 exceeded\nKeyError: no zeta\nTypeError: gamma_cap wants whole "
    "numbers"
)
LISTING = f"{PARTS[:200]}\n{FAILURE}\nexit code: 1\n{PARTS}"
LOG = "progress " * 2000
SETTINGS = {"compression.stub.keep-results": 1}


def session(*results: str) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Why does the upload fail?"}
    ]
    for number, text in enumerate(results):
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "bash", "arguments": "{}"},
        }
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": text},
        ]
    return [
        *messages,
        {"role": "assistant", "content": "The limit retry_limit_250 is too low."},
    ]


MESSAGES = session(LISTING, "ok", LOG)


@pytest.mark.req("LOSS-4.1", "LOSS-4.2")
def test_large_old_results_become_stubs_and_are_given_back() -> None:
    result = compact(MESSAGES, strategy=NAME, settings=SETTINGS)
    made: Any = result.messages
    texts = [message["content"] for message in made if message["role"] == "tool"]
    handle = result_handle(LISTING)
    assert texts[0].startswith(f"[Stored as {handle}: ")
    assert "It reports: ValueError: quota of fold-43 exceeded" in texts[0]
    assert texts[1:] == ["ok", LOG]  # small; the newest
    fates = [fate.kind for fate in result.fates if fate]
    assert fates.count(FateKind.EDITED) == 1
    assert expand(MESSAGES, handle) == LISTING
    with pytest.raises(InputError, match="There is no stored result 'r-0'"):
        expand(MESSAGES, "r-0")
    assert compact(made, strategy=NAME, settings=SETTINGS).no_op.startswith(
        "None of the 3 results"
    )


def test_a_result_that_the_model_has_not_read_stays() -> None:
    unread = session(LISTING)[:-1]
    assert compact(
        unread, strategy=NAME, settings={"compression.stub.keep-results": 0}
    ).no_op


@pytest.mark.req("LOSS-4.2")
def test_the_engine_gives_a_result_back() -> None:
    effective = values(
        compression__strategy=NAME, context_limit=20_000, stub__keep_results=1
    )
    made = compact(MESSAGES, strategy=NAME, settings=SETTINGS)
    agent = Session(effective, environment_for("gpt-4o"))
    for message in made.preview.messages:
        agent.add(message)
    assert agent.compress().no_op is None
    handle = result_handle(LISTING)
    assert run_expand_tool(agent, {"handle": handle}) == LISTING
    assert "no stored result 'x'" in run_expand_tool(agent, {"handle": "x"})


@pytest.mark.req("LOSS-4.3")
def test_replay_counts_the_results_that_later_turns_needed() -> None:
    messages = session(LISTING, *["ok"] * 4)
    effective = values(context_limit=6_000, stub__keep_results=1)
    made = compact(messages, strategy=NAME, settings=SETTINGS)
    [track] = replay_tracks(
        AnalysisInput(conversation=made.preview.source.conversation, values=effective),
        [NAME],
    )
    assert track.note.endswith("Later turns would have retrieved 1 of 1 stored result.")


@pytest.mark.req("LOSS-4.2")
def test_mcp_gives_a_result_back(tmp_path: Any) -> None:
    sessions, handle = ManualCompactions(), result_handle(LISTING)
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(MESSAGES))
    assert run_tool(sessions, "expand", {"handle": handle}).is_error
    by_path = run_tool(sessions, "expand", {"handle": handle, "path": str(path)})
    assert json.loads(by_path.text)["text"] == LISTING
    run_tool(
        sessions,
        "compact",
        {"messages": MESSAGES, "strategy": NAME, "settings": SETTINGS},
    )
    assert (
        json.loads(run_tool(sessions, "expand", {"handle": handle}).text)["text"]
        == LISTING
    )


def test_an_export_says_once_that_stubs_need_the_tool() -> None:
    for strategy, count in ((NAME, 1), ("none", 0)):
        preview = compact(MESSAGES, strategy=strategy, settings=SETTINGS).preview
        exported = export_history(export_input(preview, result=True), "openai_chat")
        assert exported.warnings.count(STUBS_NOTE) == count
