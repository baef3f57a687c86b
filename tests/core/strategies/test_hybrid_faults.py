"""Faults of the original of hybrid's direct mode (ion-and-localharness.md section 2.9), one test each."""

from __future__ import annotations

import pytest

from core.transcript.model import Message, Speaker, Text, ToolResponse, tool_responses
from tests.builders import ai, call, exchange, human, response, tool
from tests.core.histories import loose_ends
from tests.core.strategies.hybrid_running import END, changed_indexes, message_texts, run, tokens
from tests.core.strategies.strategy_running import ScriptedSummariser, result_texts

LONG = "A long line about nothing much. " * 20
OUTPUT = "line of output\n" * 60


@pytest.mark.req("LH-23", "LH-29")
def test_fault_2_tools_are_known_by_their_calls_and_envelopes_are_opened() -> None:
    data = '"data":"def first():\\n    pass\\n"'
    envelope = f'{{"success":true,{data},"error_type":"none","metadata":"{"x" * 400}"}}'
    result = run((human("go"), *exchange("r", "read_file", envelope, path="a.py"), *END))
    assert result_texts(result)[0].startswith("📄 [Compressed] Read a.py (2 lines, hash:")
    extra = '{"status":"success","file_path":"a.py","content":"' + "x\\n" * 99 + '"}'
    assert (
        "Read a.py (99 lines" in result_texts(run((human("go"), tool(ToolResponse("o", "", extra)), *END)))[0]
    )


@pytest.mark.req("LH-41")
def test_fault_3_a_failure_is_no_success_and_keeps_type_and_message() -> None:
    refused = (
        '{"success":false,"data":null,"error_type":"not_found","error_message":"No such file: a.py"'
        + " " * 400
        + "}"
    )
    result = run((human("go"), *exchange("r", "read_file", refused, path="a.py"), *END))
    expected = "🔧 [Compressed] read_file on a.py failed: not_found: No such file: a.py"
    assert result_texts(result) == [expected]


@pytest.mark.req("LH-09", "LH-55")
def test_fault_7_no_model_is_asked_while_tool_results_suffice() -> None:
    writer = ScriptedSummariser("short")
    late = exchange("late", "bash", OUTPUT * 40)
    result = run((human(LONG), ai(LONG), *late, *END), writer, limit=2000)
    assert changed_indexes(result) == [3]
    assert not writer.requests
    assert run(result.messages, writer, limit=2000).no_op is not None


@pytest.mark.req("LH-27")
def test_fault_9_nothing_grows() -> None:
    history = (human("words " * 30), ai("words " * 30), *exchange("b", "bash", "done"), *END)
    result = run(history, ScriptedSummariser("much longer than what it stands for " * 20))
    assert result.messages == history
    assert tokens(result.messages) == tokens(history)


@pytest.mark.req("LH-04")
def test_fault_10_calls_without_text_are_not_asked_about_and_take_no_place() -> None:
    writer = ScriptedSummariser("invented")
    work = tuple(message for n in range(9) for message in exchange(f"c{n}", "bash", OUTPUT))
    request = human(f"the request {LONG}")
    result = run((request, *work), writer)
    assert not writer.requests
    assert result.messages[0] == request
    assert result.protected == (0,)


@pytest.mark.req("LH-28")
def test_fault_11_results_stay_results_and_no_pair_is_cut() -> None:
    history = (human("go"), ai(LONG, call("bash", "b")), tool(response("b", "bash", OUTPUT)), *END)
    result = run(history)
    assert result.messages[2].speaker is Speaker.TOOL
    assert [one.call_id for one in tool_responses(result.messages[2])] == ["b"]
    assert not loose_ends(result.messages)


@pytest.mark.req("LH-80")
def test_fault_12_no_character_is_cut_in_two() -> None:
    result = run((human("x" + "ü" * 300), *END), ScriptedSummariser(None), on_failure="truncate")
    assert message_texts(result)[0] == "💬 [Compressed/Truncated] x" + "ü" * 99 + "…"


@pytest.mark.req("LH-53")
def test_fault_12_protected_messages_are_counted_once() -> None:
    leading = (Message(Speaker.SYSTEM, (Text("prompt"),)), Message(Speaker.SYSTEM, (Text("context"),)))
    result = run((*leading, human(LONG), *END))
    assert result.stats is not None
    assert result.stats.messages_protected == len(result.protected) == 5


@pytest.mark.req("LH-69", "LH-70")
def test_fault_13_several_messages_can_share_a_call() -> None:
    old = tuple(human(f"{n} {LONG}") for n in range(6))
    answer = "\n".join(f"[{n}] short" for n in range(1, 7))
    one_by_one, together = ScriptedSummariser("short"), ScriptedSummariser(answer)
    assert changed_indexes(run((*old, *END), one_by_one)) == changed_indexes(
        run((*old, *END), together, batch=True)
    )
    assert (len(one_by_one.requests), len(together.requests)) == (6, 1)
