"""hybrid's message summaries, and its output on the command line (LH)."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.cli.command_names import DEBUG_VARIABLE
from core.settings.prompts import (
    SectionStyle,
    built_in,
    summary_layout,
    unknown_placeholders,
)
from core.strategies import hybrid
from core.strategies.hybrid import ASSISTANT_PROMPT, NAME, USER_PROMPT
from core.transcript.compaction import FateKind
from core.transcript.model import Code, Media, Message, Speaker, Text, Thinking
from tests.core.cli.running_cli import Cli
from tests.core.strategies.hybrid_running import (
    END,
    changed_indexes,
    hybrid_context,
    message_texts,
    run,
)
from tests.core.strategies.strategy_running import (
    ScriptedSummariser,
    result_texts,
    values,
)
from tests.support.builders import ai, call, exchange, human, response, tool

LONG = "A long line about nothing much. " * 20
OLD = (human(f"Question. {LONG}"), ai(f"Answer. {LONG * 2}"))
OUT_OF_REACH = "The model is out of reach."


# what is asked


@pytest.mark.req("LH-16", "LH-17", "LH-46", "LH-47", "LH-69")
def test_each_message_is_one_request_with_the_limits_of_the_seed() -> None:
    writer = ScriptedSummariser("short")
    run((human(LONG * 4), ai(LONG * 9), *END), writer)
    first, second = writer.requests
    assert (first.max_tokens, first.max_output_tokens, first.temperature) == (
        50,
        60,
        0.3,
    )
    assert (second.max_tokens, second.max_output_tokens, second.temperature) == (
        200,
        250,
        0.3,
    )
    assert (first.purpose, second.purpose) == ("#1", "#2")
    assert [request.indices for request in writer.requests] == [(0,), (1,)]
    assert first.messages == (human(LONG * 4),)


@pytest.mark.req("LH-44", "LH-45", "LH-51")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            USER_PROMPT,
            ("one or two sentences", "topic or the question", "concerns and requests"),
        ),
        (
            ASSISTANT_PROMPT,
            (
                "two or three",
                "explanations",
                "changes",
                "decisions",
                "technical details",
            ),
        ),
    ],
)
def test_the_prompts_ask_for_what_the_seed_asks(
    name: str, words: tuple[str, ...]
) -> None:
    text = built_in(name).text
    assert all(word in text for word in ("{max_tokens}", *words))
    assert not unknown_placeholders(text)
    assert summary_layout(text).style is SectionStyle.DIGEST


@pytest.mark.req("LH-66")
def test_the_compression_profile_writes() -> None:
    writer = ScriptedSummariser("short")
    context = replace(
        hybrid_context((human(LONG), *END), writer),
        values=values(compression__profile="cheap"),
    )
    result = hybrid.compress(context)
    assert writer.profiles == ["cheap"]
    assert [(one.profile, one.model, one.purpose) for one in result.calls] == [
        ("cheap", "small-1", "#1")
    ]
    run((human(LONG), *END), writer)
    assert writer.profiles[-1] is None


@pytest.mark.req("LH-58")
def test_only_text_is_asked_about_and_replaced() -> None:
    writer = ScriptedSummariser("short")
    blocks = (
        Thinking("hm"),
        Text(LONG),
        call("bash", "b"),
        Code("x = 1"),
        Media("image/png", "AAAA"),
    )
    history = (
        human("go"),
        Message(speaker=Speaker.AI, blocks=blocks),
        tool(response("b")),
        *END,
    )
    result = run(history, writer)
    assert writer.requests[0].messages[0].blocks == (Text(LONG), Code("x = 1"))
    kept = (
        Thinking("hm"),
        Text("💬 [Compressed] short"),
        call("bash", "b"),
        Media("image/png", "AAAA"),
    )
    assert result.messages[1].blocks == kept


# failures


@pytest.mark.req("LH-79", "LH-91")
def test_a_message_whose_summary_fails_stays_whole_and_the_run_goes_on() -> None:
    history = (*OLD, *exchange("a", "bash", LONG), human(LONG), *END)
    result = run(history, ScriptedSummariser("short", None, "short"))
    assert changed_indexes(result) == [0, 3, 4]
    assert result.fates[1].last.rule == "summary failed"
    assert (
        result.warnings[0]
        == f"1 summary failed, the messages stay whole. {OUT_OF_REACH}"
    )


@pytest.mark.req("LH-91")
def test_with_the_model_out_of_reach_tool_results_are_compressed_all_the_same() -> None:
    history = (*OLD * 5, *exchange("a", "bash", LONG), *END)
    writer = ScriptedSummariser(None)
    result = run(history, writer)
    assert result_texts(result) == ["🔧 [Compressed] bash: output left out, 1 line"]
    assert changed_indexes(result) == [11]
    assert len(writer.requests) == 5
    expected = "5 summaries failed, the messages stay whole."
    assert result.warnings[0].startswith(expected)
    assert result.warnings[0].endswith(
        "After 5 failures in a row the model was not asked again."
    )


@pytest.mark.req("LH-80")
def test_truncation_keeps_200_and_800_bytes() -> None:
    history = (human("x" + "ü" * 300), ai("ü" * 900), *END)
    result = run(history, ScriptedSummariser(None), on_failure="truncate")
    mark = "💬 [Compressed/Truncated]"
    assert message_texts(result)[:2] == [f"{mark} x{'ü' * 99}…", f"{mark} {'ü' * 400}…"]
    assert result.fates[0].kind is FateKind.EDITED
    assert (
        result.warnings[0]
        == f"2 summaries failed, the start of each message stays. {OUT_OF_REACH}"
    )


# batches


@pytest.mark.req("LH-70")
def test_a_batch_asks_for_several_messages_and_each_gets_its_own_summary() -> None:
    writer = ScriptedSummariser(
        "[1] first\n[2] second\nand more", "[1] third\n[2] fourth"
    )
    result = run((*OLD, *OLD, *END), writer, batch=True)
    words = ("first", "third", "second and more", "fourth")
    assert message_texts(result)[:4] == [f"💬 [Compressed] {one}" for one in words]
    assert [(one.indices, one.purpose) for one in writer.requests] == [
        ((0, 2), "#1, #3"),
        ((1, 3), "#2, #4"),
    ]
    request = writer.requests[0]
    assert [message.blocks[0] for message in request.messages] == [
        Text("[1]"),
        Text("[2]"),
    ]
    assert (request.max_tokens, request.max_output_tokens) == (100, 120)
    assert [one.purpose for one in result.calls] == ["#1, #3", "#2, #4"]


@pytest.fixture
def transcript(tmp_path: Path) -> str:
    call = {
        "id": "r",
        "type": "function",
        "function": {"name": "read_file", "arguments": '{"path": "a.py"}'},
    }
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Please look at the queue. " * 30},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {
            "role": "tool",
            "tool_call_id": "r",
            "content": "def first():\n" + "    pass\n" * 300,
        },
        {"role": "display_only_data", "content": "[ui] spinner"},
        *(
            {"role": "user" if n % 2 else "assistant", "content": f"word {n}"}
            for n in range(6)
        ),
    ]
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(messages))
    return str(path)


@pytest.mark.req("LH-52", "LH-53", "LH-21")
def test_json_holds_the_statistics(cli: Cli, transcript: str) -> None:
    assert (
        cli.run(
            "compact",
            transcript,
            "-s",
            NAME,
            "--set",
            "compression.context-limit=200",
            "--json",
        )
        == 0
    )
    given = json.loads(cli.out)
    stats = given["stats"]
    assert (stats["original_tokens"], stats["compressed_tokens"]) == (
        given["before"]["tokens"],
        given["after"]["tokens"],
    )
    assert (
        stats["compression_ratio"]
        == stats["compressed_tokens"] / stats["original_tokens"]
    )
    assert {key: stats[key] for key in list(stats)[3:]} == {
        "tool_results_compressed": 1,
        "user_messages_compressed": 1,
        "assistant_messages_compressed": 0,
        "display_data_deleted": 1,
        "messages_protected": 5,
    }
    assert [call["profile"] for call in given["calls"]] == ["offline"]


@pytest.mark.req("LH-53")
def test_the_table_shows_them(cli: Cli, transcript: str) -> None:
    cli.run("compact", transcript, "-s", NAME, "--set", "compression.context-limit=200")
    assert "Single messages" in cli.out
    rows = [line.split() for line in cli.out.splitlines()]
    assert ["tool", "results", "compressed", "1"] in rows
    assert ["messages", "protected", "5"] in rows


@pytest.mark.req("LH-56", "LH-60")
def test_verbose_tells_trigger_sizes_reduction_and_counts(
    cli: Cli, transcript: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DEBUG_VARIABLE, "")
    cli.run("compact", transcript, "-s", NAME, "--set", "compression.context-limit=200")
    assert "trigger: 70 % of 200 = 140, reached at " in cli.err
    assert " tokens · −" in cli.err
    counts = "compressed: 1 tool results, 1 human and 0 ai messages; 1 display-only dropped, 5 protected"
    assert counts in cli.err


def test_the_summary_stands_where_the_words_stood_behind_thinking() -> None:
    thought = Thinking("hm", {"signature": "s"})
    blank_first = ai("\n\n", thought, Text(LONG * 9))
    (changed,) = [
        one
        for one in run(
            (human("q"), blank_first, *END), ScriptedSummariser("S")
        ).messages
        if any(isinstance(block, Thinking) for block in one.blocks)
    ]
    assert [type(block) for block in changed.blocks] == [Thinking, Text]
