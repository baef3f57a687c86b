"""Counts of real transcripts against independent counts of their raw JSON."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from core.formats.registry import load_conversation
from core.transcript.model import Conversation, tool_calls, tool_responses
from core.transcript.tool_pairs import find_pairs
from tests.core.formats.small_files import SMALL, written

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus"
Counts = tuple[int, int, int, int, int]


def _files(*folders: str) -> list[Any]:
    files = [path for folder in folders for path in sorted((CORPUS / folder).glob("*.json*"))]
    skip = pytest.mark.skip(reason="no corpus beside the project")
    return [pytest.param(path, id=path.name) for path in files] or [pytest.param(CORPUS, marks=skip)]


def _ours(path: Path) -> Counts:
    messages = load_conversation(path).messages
    pairs = find_pairs(messages)
    calls = sum(1 for message in messages for _ in tool_calls(message))
    responses = sum(1 for message in messages for _ in tool_responses(message))
    return len(messages), calls, responses, len(pairs.unanswered), len(pairs.orphans)


def _summed(messages: int, calls: list[str], results: list[str]) -> Counts:
    unanswered = sum((Counter(calls) - Counter(results)).values())
    orphans = sum(1 for result in results if result not in calls)
    return messages, len(calls), len(results), unanswered, orphans


def _blocks(content: Any) -> list[dict[str, Any]]:
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _claude_lines(path: Path) -> list[dict[str, Any]]:
    values = [json.loads(line) for line in path.read_bytes().splitlines() if line.strip()]
    talk = [
        value for value in values if isinstance(value, dict) and value.get("type") in ("user", "assistant")
    ]
    return [value for value in talk if not value.get("isSidechain") and not value.get("isCompactSummary")]


@pytest.mark.parametrize("path", _files("claude_code"))
def test_claude_code(path: Path) -> None:
    messages, ids, calls, results = 0, set(), [], []
    for line in _claude_lines(path):
        message = line["message"] if isinstance(line["message"], dict) else {}
        blocks = _blocks(message.get("content"))
        calls += [block["id"] for block in blocks if block["type"] == "tool_use"]
        answers = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        results += answers
        if line["type"] == "user":
            messages += 1 + (0 < len(answers) < len(message["content"]))
        else:
            ids.add(message["id"])
    assert _ours(path) == _summed(messages + len(ids), calls, results)


@pytest.mark.parametrize("path", _files("openai_chat"))
def test_openai_chat(path: Path) -> None:
    value = json.loads(path.read_text("utf-8"))
    messages = value if isinstance(value, list) else value["messages"]
    calls = [call["id"] for message in messages for call in message.get("tool_calls") or ()]
    results = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    leading = 1 if messages[0]["role"] == "system" else 0
    assert _ours(path) == _summed(len(messages) - leading, calls, results)


@pytest.mark.parametrize("path", _files("anthropic_messages"))
def test_anthropic_messages(path: Path) -> None:
    value = json.loads(path.read_text("utf-8"))
    count, calls, results = 0, [], []
    for message in value if isinstance(value, list) else value["messages"]:
        kinds = [block["type"] for block in _blocks(message["content"])]
        count += 2 if "tool_result" in kinds and set(kinds) != {"tool_result"} else 1
        calls += [block["id"] for block in _blocks(message["content"]) if block["type"] == "tool_use"]
        results += [b["tool_use_id"] for b in _blocks(message["content"]) if b["type"] == "tool_result"]
    assert _ours(path) == _summed(count, calls, results)


@pytest.mark.parametrize("path", _files("claude_code", "openai_chat", "anthropic_messages"))
def test_format_by_content(path: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "transcript.txt"
    elsewhere.write_bytes(path.read_bytes())
    assert load_conversation(elsewhere).format == path.parent.name


def _used(conversation: Conversation) -> set[tuple[int, int]]:
    """Return the records that became messages, recorded compactions or the system part."""
    summaries = [message for one in conversation.recorded for message in one.summary]
    sources = [source for message in (*conversation.messages, *summaries) for source in message.sources]
    sources += [one.source for one in conversation.recorded if one.source is not None]
    leading = conversation.layout.get("system", ())
    return {(source.start, source.end) for source in sources} | {(start, end) for _, start, end in leading}


def _assert_adds_up(conversation: Conversation) -> None:
    report = conversation.report
    assert report.records == len(_used(conversation)) + sum(count for _, count in report.skipped)
    assert report.skipped_from.keys() == dict(report.skipped).keys()


OTHER_WAYS = ("gemini_cli", "vscode_chat_replay")
"""A record of a log that was taken back, and the logs of a prompt, are counted beside their line."""


@pytest.mark.parametrize("name", [name for name in SMALL if name not in OTHER_WAYS])
def test_what_is_no_message_is_counted(tmp_path: Path, name: str) -> None:
    path = tmp_path / "small"
    path.write_bytes(written(SMALL[name]))
    _assert_adds_up(load_conversation(path))


LOGS = ("claude_code", "codex_rollout", "cline_ui", "copilot_cli", "goose", "openhands", "pi_agent")


@pytest.mark.parametrize("path", _files(*LOGS))
def test_what_is_no_message_of_a_real_file_is_counted(path: Path) -> None:
    _assert_adds_up(load_conversation(path))
