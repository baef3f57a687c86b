"""Every sample of a store is opened, and counted again from its raw JSON by rules of its own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.formats.registry import load_conversation
from core.transcript.model import tool_calls, tool_responses
from tests.conftest import SHARED

STORES = SHARED / "stores"
Counts = tuple[int, int, int]  # calls, results, compactions


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects in a value, however deep; JSON in texts is not looked into."""
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(item)


def _values(path: Path) -> list[Any]:
    text = path.read_text("utf-8")
    return (
        [json.loads(text)]
        if path.suffix == ".json"
        else [json.loads(line) for line in text.splitlines() if line]
    )


def _by_type(calls: str, results: str, compaction: str = "-") -> Callable[[Path], Counts]:
    """Count objects by their ``type``, of which each argument names several."""

    def count(path: Path) -> Counts:
        kinds = Counter(str(one.get("type")) for value in _values(path) for one in _objects(value))
        first, second, third = (
            sum(kinds[kind] for kind in kinds_of.split()) for kinds_of in (calls, results, compaction)
        )
        return first, second, third

    return count


def _by_key(calls: str, results: str, compaction: str = "-") -> Callable[[Path], Counts]:
    """Count objects that have a field."""

    def count(path: Path) -> Counts:
        keys = Counter(key for value in _values(path) for one in _objects(value) for key in one)
        return keys[calls], keys[results], keys[compaction]

    return count


def _antigravity(path: Path) -> Counts:
    values = _values(path)
    results = [one for one in values if one["source"] not in ("SYSTEM", "USER_EXPLICIT")]
    results = [one for one in results if one["type"] not in ("PLANNER_RESPONSE", "USER_INPUT")]
    calls = sum(len(one.get("tool_calls", ())) for one in values)
    return calls, len(results), sum(one["type"] == "CHECKPOINT" for one in values)


def _openai(path: Path) -> Counts:
    (value,) = _values(path)
    calls = sum(len(one.get("tool_calls", ())) for one in value["messages"])
    return calls, sum(one["role"] == "tool" for one in value["messages"]), 0


def _grok(path: Path) -> Counts:
    values = _values(path)
    return (
        sum(len(one.get("tool_calls", ())) for one in values),
        sum("tool_call_id" in one for one in values),
        0,
    )


def _spans(path: Path) -> Counts:
    text = path.read_text("utf-8")
    return text.count('"execute_tool"'), text.count('"gen_ai.tool.call.result"'), 0


def _opencode(path: Path) -> Counts:
    storage, session = path.parents[2], json.loads(path.read_text("utf-8"))["id"]
    ids = [json.loads(one.read_text("utf-8"))["id"] for one in (storage / "message" / session).iterdir()]
    parts = [json.loads(one.read_text("utf-8")) for id_ in ids for one in (storage / "part" / id_).glob("*")]
    tools = [one for one in parts if one["type"] == "tool"]
    return len(tools), sum(one["state"]["status"] in ("completed", "error") for one in tools), 0


def _chatgpt(path: Path) -> Counts:
    return 0, 0, 0


RULES: dict[str, tuple[str, Callable[[Path], Counts]]] = {
    "cursor/*.jsonl": ("cursor", _by_type("tool_use tool_call", "tool_result tool-result")),
    "opencode/storage_v2/session/*/*.json": ("opencode", _opencode),
    "qwen/*.jsonl": ("qwen_code", _by_key("functionCall", "functionResponse")),
    "kimi/*.jsonl": ("kimi", _by_type("tool.call", "tool.result", "context.apply_compaction")),
    "droid/*.jsonl": ("droid", _by_type("tool_use tool_call", "tool_result", "compaction_state")),
    "antigravity/*.jsonl": ("antigravity", _antigravity),
    "grok/**/chat_history.jsonl": ("grok_build", _grok),
    "hermes/*.json": ("hermes", _openai),
    "kiro/*.json": ("kiro", _by_key("args", "tool_use_results")),
    "vs-copilot/*.jsonl": ("otlp", _spans),
    "chatgpt/*.json": ("chatgpt", _chatgpt),
}


def _samples() -> list[Any]:
    found = [(path, *rule) for pattern, rule in RULES.items() for path in sorted(STORES.glob(pattern))]
    skip = pytest.mark.skip(reason="needs the samples in ../shared")
    return [pytest.param(*one, id="/".join(one[0].parts[-2:])) for one in found] or [
        pytest.param(STORES, "", _chatgpt, marks=skip)
    ]


@pytest.mark.parametrize(("path", "format", "count"), _samples())
def test_a_sample_is_counted_twice(
    path: Path, format: str, count: Callable[[Path], Counts], print_at_end: Callable[[str], None]
) -> None:
    loaded = load_conversation(path)
    calls = sum(1 for message in loaded.messages for _ in tool_calls(message))
    results = sum(1 for message in loaded.messages for _ in tool_responses(message))
    ours = (calls, results, len(loaded.recorded))
    assert (loaded.format, ours) == (format, count(path))
    print_at_end(
        f"{format:12} {path.name:44} messages {len(loaded.messages):4} calls, results, compactions {ours}"
    )


def test_a_cli_store_of_cursor_without_messages_is_empty() -> None:
    if not (path := STORES / "cursor/test-store.db").is_file():
        pytest.skip("needs the samples in ../shared")
    loaded = load_conversation(path)
    assert (loaded.format, loaded.messages, loaded.title) == ("cursor", (), "Test Session")
