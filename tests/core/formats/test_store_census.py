"""Every sample of a store is opened, and counted again from its raw JSON by rules of its own."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.formats.registry import load_conversation
from core.transcript.model import tool_calls, tool_responses
from tests.conftest import SHARED
from tests.core.formats.test_stores import database

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


def _claude(path: Path) -> Counts:
    calls, results, _ = _by_type("tool_use", "tool_result")(path)
    catalogue = path.name == "schema_drift.jsonl"  # its calls are lines of their own, which no version wrote
    return (0, 0, 0) if catalogue else (calls, results, 0)


def _codex(path: Path) -> Counts:
    kinds = Counter(str(value.get("payload", value).get("type")) for value in _values(path))
    return kinds["function_call"], kinds["function_call_output"], 0


def _copilot(path: Path) -> Counts:
    values = _values(path)
    kinds = Counter(value["type"] for value in values)
    ids = {
        one["toolCallId"]
        for value in values
        for one in (value["data"].get("toolRequests") or [value["data"]])
        if "toolCallId" in one
    }
    return len(ids), kinds["tool.execution_complete"], kinds["session.truncation"]


def _gemini(path: Path) -> Counts:
    found = [one for value in _values(path) for one in value.get("messages", [value])]
    calls = [call for one in found for call in one.get("toolCalls") or ()]
    return len(calls), sum("result" in call for call in calls), 0


def _pi(path: Path) -> Counts:
    results = sum(value.get("message", {}).get("role") == "toolResult" for value in _values(path))
    calls, _, compactions = _by_type("toolCall", "-", "compaction")(path)
    return calls, results, compactions


def _none(path: Path) -> Counts:
    """Count a file of words alone."""
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
    "chatgpt/*.json": ("chatgpt", _none),
    "claude/[!s]*.jsonl": ("claude_code", _claude),
    "claude/s[!m]*/**/*.jsonl": ("claude_code", _claude),
    "claude/schema_drift.jsonl": ("claude_code", _claude),
    "codex/f*.jsonl": ("codex_rollout", _codex),
    "codex/large.jsonl": ("codex_rollout", _codex),
    "codex/schema_drift.jsonl": ("openai_responses", _codex),
    "copilot/sch*.jsonl": ("copilot_cli", _copilot),
    "copilot/*/*/events.jsonl": ("copilot_cli", _copilot),
    "gemini/[!s]*.json*": ("gemini_cli", _gemini),
    "gemini/small.json": ("gemini_cli", _gemini),
    "gemini/schema_drift.json": ("gemini", _gemini),
    "gemini/s[ty]*.json": ("gemini_cli", _gemini),
    "openclaw/*.jsonl": ("pi_agent", _pi),
    "pi/*.jsonl": ("pi_agent", _pi),
    "vibe/*/messages.jsonl": ("openai_chat", _none),
}


def _samples() -> list[Any]:
    found = [(path, *rule) for pattern, rule in RULES.items() for path in sorted(STORES.glob(pattern))]
    skip = pytest.mark.skip(reason="needs the samples in ../shared")
    return [pytest.param(*one, id="/".join(one[0].parts[-2:])) for one in found] or [
        pytest.param(STORES, "", _none, marks=skip)
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


CATALOGUES = {
    "claude_code": "claude/small.jsonl",
    "codex_rollout": "codex/small.jsonl",
    "copilot_cli": "copilot/small.jsonl",
}
"""One record of every kind under one id, "[trimmed for fixture]": no session that can be counted."""
REFUSED = {
    "posit-assistant/**/*": "Posit Assistant|not a transcript",
    "qwenpaw/**/*.json": "QwenPaw",
    "opencode/**/m*_*/*.json": "storage folder|not a transcript",
    "opencode/**/msg_*.json": "storage folder|not a transcript",
    "omnigent/*.json": "not a transcript|no conversation",
    "*/**/*s.json": "not a transcript",
    "*/**/*[aey].json": "not a transcript",
    "*/**/*.meta.json": "not a transcript",
}
"""What is no session alone: parts of one, files beside one, and agents that Foldline does not read."""
NOT_OPENED = {"origins.tsv", "README.md", "sketches.sql", "migration", "small.md", "zed-legacy-threads.sql"}


def test_every_sample_is_counted_or_refused_by_name() -> None:
    if not STORES.is_dir():
        pytest.skip("needs the samples in ../shared")
    counted = {path for pattern in RULES for path in STORES.glob(pattern)}
    for format_, name in CATALOGUES.items():
        assert load_conversation(STORES / name).format == format_
    counted |= {STORES / name for name in (*CATALOGUES.values(), "cursor/test-store.db")}
    left = {path for path in STORES.rglob("*") if path.is_file() and path.name not in NOT_OPENED} - counted
    for pattern, words in REFUSED.items():
        for path in left.intersection(STORES.glob(pattern)):
            with pytest.raises(InputError, match=words):
                load_conversation(path)
            left.discard(path)
    assert not left


def test_the_oldest_table_of_zed_is_read(tmp_path: Path) -> None:
    if not (schema := STORES / "zed/zed-legacy-threads.sql").is_file():
        pytest.skip("needs the samples in ../shared")
    document = {"messages": [{"User": {"content": [{"Text": "Hi"}]}}]}
    rows = [("a", "T", "2026-08-01", "json", document)]
    assert len(load_conversation(database(tmp_path, schema.read_text("utf-8"), threads=rows)).messages) == 1


def test_the_sketch_of_each_database_is_read(tmp_path: Path) -> None:
    """The sketches have every schema with example rows."""
    if not (sketches := STORES / "sketches.sql").is_file():
        pytest.skip("needs the samples in ../shared")
    _, *parts = re.split(r"^-- @db (\S+).*$", sketches.read_text("utf-8"), flags=re.MULTILINE)
    found: dict[str, tuple[str, int]] = {}
    for name, script in zip(parts[::2], parts[1::2], strict=True):
        (tmp_path / name).mkdir()
        loaded = load_conversation(database(tmp_path / name, script))
        found[name] = loaded.format, loaded.siblings
    assert found == {
        "cursor_vscdb": ("cursor", 2),
        "cursor_cli": ("cursor", 1),
        "opencode_v1": ("opencode", 2),
        "opencode_v2": ("opencode", 2),
        "goose": ("goose", 2),
        "hermes": ("hermes", 2),
        "crush": ("crush", 2),
        "zed": ("zed", 2),
        "kiro_cli_v1": ("kiro", 2),
    }


def test_a_cli_store_of_cursor_without_messages_is_empty() -> None:
    if not (path := STORES / "cursor/test-store.db").is_file():
        pytest.skip("needs the samples in ../shared")
    loaded = load_conversation(path)
    assert (loaded.format, loaded.messages, loaded.title) == ("cursor", (), "Test Session")
