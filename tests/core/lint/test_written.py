"""One verdict for what an export writes: in previews, beside "Wrote", and of the file opened
again."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from core.export.export import export_history
from core.formats.registry import load_conversation
from core.formats.writing.format_capabilities import expected_messages
from core.lint.common_rules import ERROR
from core.lint.lint import file_verdict, lint_history, lint_verdict, lint_written
from core.preview.options import Preview, PreviewOptions
from core.preview.preview import compute_preview, with_restored
from core.reports.report_data import export_input
from core.strategies.registry import STRATEGIES
from core.transcript.model import (
    Conversation,
    Message,
    MessageFlag,
    Opaque,
    Speaker,
    Text,
    ToolCall,
)
from core.transcript.scopes import CURRENT, history_of_scope
from tests.core.cli.running_cli import Cli
from tests.core.formats import codex_lines
from tests.core.formats.exporting import edited_export, load_written
from tests.core.strategies.strategy_running import values
from tests.support.builders import ai, call, conversation, human, talk
from tests.support.sampling import pairwise

SAMPLES = sorted(Path("resources/samples").glob("*.json*"))
TARGETS = {
    "anthropic": "anthropic_messages",
    "openai": "openai_chat",
    "responses": "openai_responses",
    "gemini": "gemini",
}
OWN = [one.name for one in STRATEGIES if one.emulates is None]


@cache
def _sample(path: Path) -> Conversation:
    return load_conversation(path)


def _has_blocks(message: Message) -> bool:
    return bool(message.blocks)


# Each strategy meets each file and each target, and each file each target.
@pytest.mark.parametrize(
    ("path", "strategy", "target"), pairwise(SAMPLES, OWN, [*TARGETS])
)
def test_the_verdict_is_that_of_the_file_and_own_strategies_break_nothing(
    path: Path, strategy: str, target: str, tmp_path: Path
) -> None:
    source = _sample(path)
    effective = values(compression__strategy=strategy, context_limit=60_000)
    made = compute_preview(
        source, effective, PreviewOptions(target_format=TARGETS[target])
    )
    written = export_history(export_input(made, result=True), target)
    out = tmp_path / "out.json"
    out.write_bytes(written.data)
    found = lint_written(written.source, target, written.exporter.name)
    of_file = file_verdict(load_conversation(out), target)
    (lint,) = [one for one in made.checks.lint if one.provider == target]
    assert lint_verdict(found, target) == lint_verdict(lint.after, target) == of_file
    sent = expected_messages(written.source, written.exporter.name)
    shown = made.written_compaction.messages
    assert [*filter(_has_blocks, shown)] == [*filter(_has_blocks, sent)]
    assert not [
        one for one in lint.after if one.severity == ERROR and one not in lint.before
    ]
    assert not any(
        "answer as the first message" in warning for warning in written.warnings
    )


def _cut(talked: Conversation) -> Preview:
    """Return a preview of a strategy that drops the oldest messages one by one."""
    cut = values(
        compression__strategy="top-down-truncation",
        compression__mode="reference",
        context_limit=1_000,
    )
    return compute_preview(talked, cut)


def _rules(made: Preview) -> list[tuple[str, int]]:
    (lint,) = [one for one in made.checks.lint if one.provider == "anthropic"]
    return [(one.rule, one.index) for one in lint.after]


@pytest.mark.parametrize("format", ["anthropic_messages", "openai_chat"])
def test_a_result_is_judged_with_what_the_export_puts_before_it(format: str) -> None:
    open_call = ai("", call("bash"))
    made = _cut(conversation(*talk(40), human("go"), open_call, format=format))
    result = made.result.compaction.messages
    assert result[0].speaker is Speaker.AI  # a message of the user is put before it
    assert _rules(made) == [("anthropic.open-call", result.index(open_call))]


def test_what_is_put_back_is_judged_again() -> None:
    made = _cut(conversation(human("go"), ai("", call("bash")), *talk(40)))
    assert _rules(made) == []
    back = with_restored(made, frozenset({1}))
    assert _rules(back) == [("anthropic.unanswered-call", 0)]


def test_an_error_of_the_api_takes_no_room_in_another_format() -> None:
    error = ai("API Error: 529 overloaded", flags=MessageFlag.API_ERROR)
    talked = conversation(human("go"), error, *talk(40), format="claude_code")
    settings = values(compression__strategy="middle-out", context_limit=4_000)
    made = compute_preview(
        talked, settings, PreviewOptions(target_format="openai_chat")
    )
    assert len(made.result.after_counts) == len(made.result.compaction.messages)
    assert made.result.written_messages[1] == replace(error, blocks=())


def test_a_block_that_a_format_cannot_hold_takes_no_room() -> None:
    answer = ai("kept", Opaque("odd", {"k": 1}))
    talked = conversation(human("go"), answer, *talk(40), format="openai_responses")
    settings = values(compression__strategy="middle-out", context_limit=4_000)
    made = compute_preview(talked, settings, PreviewOptions(target_format="gemini"))
    assert made.result.written_messages[1] == ai("kept")


def _saved_and_linted(cli: Cli, out: Path, *command: str) -> tuple[str, str]:
    """Return what a command said of the file that it wrote, and what lint says of it."""
    cli.run(*command, "-o", str(out), "--yes")
    (wrote,) = [line for line in cli.err.splitlines() if line.startswith("Wrote ")]
    cli.run("lint", str(out))
    head = cli.out.splitlines()[0]
    _, messages, verdict = head.split(" · ")
    return wrote, f"{messages}|{verdict}"


@pytest.mark.parametrize(
    "command",
    [("convert", "--to", "anthropic"), ("compact", "-s", "none"), ("repair",)],
)
def test_a_command_says_of_its_file_what_lint_says(
    command: tuple[str, ...], cli: Cli, tmp_path: Path
) -> None:
    records = [
        {"role": "user", "content": "a"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "a b", "name": "", "input": 1}],
        },
        {"role": "user", "content": [{"type": "text", "text": ""}]},
        {"role": "assistant", "content": []},
        {"role": "user", "content": "c"},
    ]
    source = tmp_path / "source.json"
    source.write_text(json.dumps({"system": "s", "messages": records}))
    wrote, found = _saved_and_linted(
        cli, tmp_path / "out.json", command[0], str(source), *command[1:]
    )
    messages, verdict = found.split("|")
    assert f": {messages}, " in wrote
    assert wrote.endswith(f". {verdict[0].upper()}{verdict[1:]}.")


def test_a_file_without_messages_is_not_called_in_order(
    cli: Cli, tmp_path: Path
) -> None:
    source = tmp_path / "source.json"
    source.write_text(
        json.dumps([{"role": "assistant", "content": "", "reasoning": "hm"}])
    )
    wrote, _ = _saved_and_linted(
        cli,
        tmp_path / "out.json",
        "convert",
        str(source),
        "--to",
        "anthropic",
        "--force",
    )
    assert "0 messages" in wrote
    assert "1 error for Anthropic" in wrote


def _line(
    kind: str, uuid: str, parent: str | None, content: object, **more: object
) -> object:
    message = {"role": kind, "content": content}
    ids = {"uuid": uuid, "parentUuid": parent, "sessionId": "s"}
    return {"type": kind, **ids, "message": message, **more}


CLAUDE = (
    _line("user", "u1", None, "sort the pears"),
    _line("assistant", "u2", "u1", "sorted"),
)


@pytest.mark.parametrize(
    "damage", ["a cut last line", "a byte that is not UTF-8", "words between"]
)
@pytest.mark.parametrize(
    "command", [("compact", "-s", "none"), ("repair",), ("convert",)]
)
def test_a_copy_is_strict_json_lines(
    damage: str, command: tuple[str, ...], cli: Cli, tmp_path: Path
) -> None:
    first, second = (json.dumps(line).encode() for line in CLAUDE)
    lines = {
        "a cut last line": [first, second, first[:40]],
        "a byte that is not UTF-8": [first.replace(b"pears", b"p\xe9ars"), second, b""],
        "words between": [first, b"not json", second, b""],
    }[damage]
    source = tmp_path / "source.jsonl"
    source.write_bytes(b"\n".join(lines))
    out = tmp_path / "out.jsonl"
    to = ("--to", "claude") if command[0] == "convert" else ()
    cli.run(command[0], str(source), *command[1:], *to, "-o", str(out))
    written = out.read_bytes()
    assert written.endswith(b"\n")
    assert len([json.loads(line) for line in written.decode("utf-8").splitlines()]) == 2
    assert "mended" in cli.err or "Left out" in cli.err


def test_whole_lines_are_copied_byte_for_byte(cli: Cli, tmp_path: Path) -> None:
    source = tmp_path / "source.jsonl"
    source.write_bytes(
        b"".join(json.dumps(line).encode() + b"  \n\n" for line in CLAUDE)
    )
    cli.run("compact", str(source), "-s", "none", "-o", str(tmp_path / "out.jsonl"))
    assert (tmp_path / "out.jsonl").read_bytes() == source.read_bytes()


def test_a_session_that_begins_with_a_compaction_is_in_order(
    cli: Cli, tmp_path: Path
) -> None:
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "b1",
        "sessionId": "s",
    }
    lines = (
        {**boundary, "parentUuid": None, "compactMetadata": {"trigger": "auto"}},
        _line("user", "s1", "b1", "The pears are half sorted.", isCompactSummary=True),
        _line("assistant", "u2", "s1", "sorted"),
        _line("user", "u3", "u2", "go on"),
    )
    source = tmp_path / "source.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    out = tmp_path / "out.jsonl"
    assert (
        "in order"
        in _saved_and_linted(cli, out, "compact", str(source), "-s", "none")[1]
    )
    cli.run("repair", str(source))
    assert "nothing to mend" in cli.out


def test_opencode_sends_a_question_in_front_of_its_summary(tmp_path: Path) -> None:
    def record(id_: str, role: str, *parts: object, **more: object) -> object:
        info = {
            "id": id_,
            "sessionID": "s",
            "role": role,
            "time": {"created": 1, "completed": 2},
        }
        return {"info": {**info, "finish": "stop", **more}, "parts": list(parts)}

    text = {"type": "text", "text": "The pears are half sorted."}
    records = [
        record("m1", "user", {"type": "text", "text": "sort the pears"}),
        record("m2", "assistant", {"type": "text", "text": "sorted"}),
        record("m3", "user", {"type": "compaction", "auto": True}),
        record("m4", "assistant", text, summary=True, mode="compaction", parentID="m3"),
        record("m5", "user", {"type": "text", "text": "go on"}),
    ]
    info = {"id": "s", "projectID": "p", "directory": "/pear", "version": "1"}
    source = tmp_path / "source.json"
    source.write_text(json.dumps({"info": info, "messages": records}))
    current = history_of_scope(load_conversation(source), CURRENT)
    words = [
        block.text
        for one in current.messages
        for block in one.blocks
        if isinstance(block, Text)
    ]
    assert words == ["What did we do so far?", "The pears are half sorted.", "go on"]
    assert "in order" in file_verdict(load_conversation(source))


def test_an_answer_may_begin_with_the_compaction_block_of_anthropic(
    tmp_path: Path,
) -> None:
    block = {"type": "compaction", "content": "The pears are half sorted."}
    answer = {"role": "assistant", "content": [block, {"type": "text", "text": "next"}]}
    source = tmp_path / "source.json"
    messages = [answer, {"role": "user", "content": "go on"}]
    source.write_text(
        json.dumps({"model": "claude-opus-4-8", "system": "s", "messages": messages})
    )
    assert "in order" in file_verdict(load_conversation(source))


def test_the_repair_says_what_of_the_file_it_mends(cli: Cli, tmp_path: Path) -> None:
    first, second = (json.dumps(line).encode() for line in CLAUDE)
    source, out = tmp_path / "source.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(
        b"\n".join([first.replace(b"pears", b"p\xe9ars"), second, first[:40]])
    )
    cli.run("repair", str(source), "-o", str(out))
    assert cli.out.count("[whole-records]") == 2
    cli.run("repair", str(out))
    assert "nothing to mend" in cli.out


def test_a_message_that_only_a_compaction_of_codex_holds_is_looked_at(
    tmp_path: Path,
) -> None:
    kept = {**codex_lines.user("Keep the log."), "id": "no id of a message"}
    compacted = {"message": "", "replacement_history": [kept]}
    lines = (
        codex_lines.meta(),
        codex_lines.item(codex_lines.user("Fix it.")),
        codex_lines.line("compacted", compacted),
        codex_lines.item(codex_lines.answer("Done.")),
    )
    path = tmp_path / "rollout.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    session = load_conversation(path)
    current = history_of_scope(session, CURRENT)
    rules = [one.rule for one in lint_history(session, current, "responses")]
    assert rules == ["responses.item-id"]


def test_a_call_whose_reasoning_went_has_no_id_by_which_the_api_knows_it(
    tmp_path: Path,
) -> None:
    items = [
        {"type": "message", "role": "user", "content": "go"},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "read",
            "arguments": "{}",
        },
        {"type": "function_call_output", "call_id": "call_1", "output": "ok"},
    ]
    request = {"model": "gpt-5", "input": items}
    source = load_written(tmp_path, request, lines=False)
    calls = [one for one in source.messages[1].blocks if isinstance(one, ToolCall)]
    without = replace(source.messages[1], blocks=tuple(calls))
    given = edited_export(source, {1: without})
    written = json.loads(export_history(given, "openai_responses").data)["input"]
    kinds = ["message", "function_call", "function_call_output"]
    assert [one["type"] for one in written] == kinds
    assert "id" not in written[1]
