"""OpenAI, Anthropic, llxprt and Markdown: what each holds, converts, and reports as lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.app.services.export import count_secrets
from core.common.errors import InputError
from core.configuration.layers import SettingLayers
from core.export.export import EXPORTERS, export_history, find_exporter
from core.formats.registry import load_conversation
from core.formats.writing.redacted_output import secret_lines, secret_locations_in, secrets_summary
from core.presentation.dialog_model import ExportRequest
from core.preview.preview import compute_preview
from tests.builders import ai, call, conversation, human, response, tool
from tests.core.cli.running_cli import Cli
from tests.core.formats.exporting import ACK, SUMMARY, compacted_export, load_written, unchanged_export


def _value(given: Any, to: str) -> Any:
    return json.loads(export_history(given, to).data)


def _messages(*messages: Any, to: str, format: str = "elsewhere") -> Any:
    value = _value(unchanged_export(conversation(*messages, format=format)), to)
    return value["messages"] if isinstance(value, dict) else value


def test_names_and_short_names_are_found_and_others_named() -> None:
    assert [find_exporter(name).name for name in ("openai", "anthropic", "md")] == [
        "openai_chat",
        "anthropic_messages",
        "markdown",
    ]
    with pytest.raises(InputError, match="docx"):
        find_exporter("docx")
    assert all(e.suffix.startswith(".") and e.label and e.about.endswith(".") for e in EXPORTERS)


def test_a_tool_message_per_response_directly_after_the_calls() -> None:
    calls = ai("", call("read", "a"), call("read", "b"))
    found = _messages(
        human("q"), calls, tool(response("a")), human("note"), tool(response("b")), ai("x"), to="openai"
    )
    assert [record["role"] for record in found] == ["user", "assistant", "tool", "tool", "user", "assistant"]
    assert [record["tool_call_id"] for record in found[2:4]] == ["a", "b"]
    both = _messages(calls, tool(response("a"), response("b")), to="openai")
    assert [record["content"] for record in both] == [None, "ok", "ok"]


OPENAI = {
    "model": "m",
    "seed": 7,
    "messages": [
        {"role": "system", "content": "rules", "name": None},
        {"role": "user", "content": "q", "mine": 1},
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "hm",
            "refusal": None,
            "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{ "x": 1 }'}}
            ],
        },
        {"role": "tool", "tool_call_id": "a", "content": "long result", "mine": 2},
        {"role": "assistant", "content": "done", "annotations": []},
        {"role": "user", "content": "next"},
    ],
}
ANTHROPIC = {
    "system": [{"type": "text", "text": "rules", "cache_control": {"type": "ephemeral"}}],
    "max_tokens": 5,
    "messages": [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}], "x": 1},
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "a",
                    "content": "long",
                    "cache_control": {"type": "x"},
                },
                {"type": "text", "text": "go on"},
            ],
            "mine": 2,
        },
        {"role": "assistant", "content": [{"type": "text", "text": "done", "citations": None}]},
    ],
}
LLXPRT = [
    {"speaker": "human", "blocks": [{"type": "text", "text": "q", "mine": 1}], "metadata": {"id": "1"}},
    {"speaker": "ai", "blocks": [{"type": "tool_call", "id": "a", "name": "f", "parameters": {}}]},
    {
        "speaker": "tool",
        "blocks": [
            {"type": "tool_response", "callId": "a", "toolName": "f", "result": "long", "error": None}
        ],
        "mine": 2,
    },
    {"speaker": "ai", "blocks": [{"type": "text", "text": "done"}]},
]


@pytest.mark.parametrize("value", [OPENAI, ANTHROPIC, LLXPRT], ids=["openai", "anthropic", "llxprt"])
def test_a_compaction_stays_in_its_container(tmp_path: Path, value: Any) -> None:
    source = load_written(tmp_path, value, lines=False)
    found = _value(compacted_export(source), source.format)
    if isinstance(value, dict):
        assert {k: v for k, v in found.items() if k != "messages"} == {
            k: v for k, v in value.items() if k != "messages"
        }
    assert SUMMARY in json.dumps(found)
    assert ACK in json.dumps(found)


def test_a_recording_goes_on_with_its_numbers(tmp_path: Path) -> None:
    start = {"sessionId": "s", "provider": "p", "model": "m"}
    events = [("session_start", start), *(("content", {"content": entry}) for entry in LLXPRT)]
    events.append(("session_metadata", {"title": "T"}))
    lines = [
        {"v": 1, "seq": n, "ts": f"2026-01-01T00:00:0{n}Z", "type": kind, "payload": payload}
        for n, (kind, payload) in enumerate(events, 1)
    ]
    source = load_written(tmp_path, *lines)
    found = [
        json.loads(line) for line in export_history(compacted_export(source), "llxprt").data.splitlines()
    ]
    assert [line["seq"] for line in found] == list(range(1, len(found) + 1))
    path = tmp_path / "again.jsonl"
    path.write_bytes(export_history(compacted_export(source), "llxprt").data)
    assert [m.blocks for m in load_conversation(path).messages] == [
        m.blocks for m in compacted_export(source).messages
    ]


def test_markdown_reads_well_and_marks_the_fold(tmp_path: Path) -> None:
    source = conversation(
        human("question"), ai("", call("read", "a", path="x")), tool(response("a", result="```\ncode\n```")),
        ai("answer"), human("next"), ai("end"), human("bye"), ai("bye"),
    )  # fmt: skip
    text = export_history(compacted_export(source), "markdown").data.decode()
    assert "— context compacted (150k → 105k tokens) —" in text
    assert "## #2 Human (inserted)" in text
    assert "(was #7)" in text
    plain = export_history(unchanged_export(source), "markdown").data.decode()
    assert "````\n```\ncode\n```\n````" in plain
    assert '"path": "x"' in plain


def test_secrets_are_counted_and_written_over_on_request() -> None:
    key = "sk-" + "ant-" + "a1" * 20
    given = unchanged_export(conversation(human(f'key "{key}"'), human("mail jo@" + "acme-tools.net")))
    for to in ("openai", "claude_code", "markdown"):
        plain, clean = export_history(given, to), export_history(given, to, redact=True)
        assert (plain.secrets, clean.secrets) == (2, 2)
        assert key.encode() in plain.data
        assert key.encode() not in clean.data
        assert "redaction is off" in plain.warnings[-1]
        assert b"[redacted:anthropic-key]" in clean.data


TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PASSWORD = "Hunter2" + "!x"
TALK = conversation(
    human("go on"),
    ai("", call("bash", "c", command=f"git push https://{TOKEN}@github.com/x/y")),
    tool(response("c", "bash", f"pushed with {TOKEN}")),
    human(f"DB_PASSWORD={PASSWORD}"),
)


def test_each_kind_is_named_with_its_messages_and_fields() -> None:
    found = secret_locations_in(enumerate(TALK.messages, 1))
    assert secret_lines(found) == (
        "2 × GitHub token ghp_…: #2 call bash command, #3 result",
        "1 × Password: #4 text",
    )
    assert secrets_summary(found) == "GitHub token (#2, #3), Password (#4)"


def test_an_export_says_where_and_never_what() -> None:
    for redact in (True, False):
        told = export_history(unchanged_export(TALK), "openai", redact=redact).warnings[-1]
        assert "GitHub token (#2, #3), Password (#4)" in told
        assert TOKEN[:8] not in told
        assert PASSWORD not in told


def test_the_command_line_lists_them_on_standard_error(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "secret.json"
    path.write_text(json.dumps([{"role": "user", "content": f"DB_PASSWORD={PASSWORD}"}]))
    assert cli.run("convert", str(path), "--to", "markdown") == 0
    assert "The export holds 1 secret; redaction is off: Password (#1)." in cli.err


def test_the_dialog_is_told_where() -> None:
    told = count_secrets(
        compute_preview(TALK, SettingLayers().resolve()), ExportRequest("", "openai_chat", "before")
    )
    assert told.count == 3
    assert told.finding_lines[-1] == "1 × Password: #4 text"
