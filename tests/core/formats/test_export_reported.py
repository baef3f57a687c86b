"""Exports report no requests behind the first changed message."""

from __future__ import annotations

import json
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from core.common.json_value import Json
from core.export.checked_saving import expected_messages, first_difference
from core.export.export import export_history, find_exporter
from core.formats.registry import load_conversation
from core.preview.preview import compute_preview
from core.reports.document import export_input
from core.transcript.model import Conversation
from tests.core.formats import codex_lines as codex
from tests.core.formats import pi_files
from tests.core.formats.exporting import compacted_export, edited_export, unchanged_export
from tests.core.strategies.strategy_running import values

TURNS = range(20)
SIZES = [20_000 + 700 * turn for turn in TURNS]


def _claude() -> list[Json]:
    found: list[Json] = []
    for turn, size in enumerate(SIZES):
        usage = {"input_tokens": 3, "cache_read_input_tokens": size - 3, "output_tokens": 9}
        answer = {"id": f"m{turn}", "role": "assistant", "model": "claude-opus-4-6", "usage": usage}
        parts = [{"type": "text", "text": f"answer {turn}"}]
        for kind, own in (("user", {"role": "user", "content": f"question {turn}"}), ("assistant", answer)):
            message = {**own, "content": own.get("content", parts)}
            parent = found[-1]["uuid"] if found else None
            ids = {"uuid": f"{kind}{turn}", "parentUuid": parent, "sessionId": "s"}
            found.append({"type": kind, **ids, "message": message})
    return found


def _codex() -> list[Json]:
    found: list[Json] = [codex.meta()]
    for turn, size in enumerate(SIZES):
        usage = {"input_tokens": size, "output_tokens": 9, "total_tokens": size + 9}
        info = {"last_token_usage": usage, "total_token_usage": {"total_tokens": 100_000 * turn}}
        found += [codex.user(f"question {turn}"), codex.answer(f"answer {turn}")]
        found.append(codex.event("token_count", info=info))
    return found


def _pi() -> list[Json]:
    found: list[Json] = []
    for turn, size in enumerate(SIZES):
        usage = {"input": 3, "cacheRead": size - 3, "output": 9, "totalTokens": size + 9}
        found += [pi_files.user(f"question {turn}"), pi_files.answer(f"answer {turn}", usage=usage)]
    return [pi_files.HEAD, *pi_files.chained(*found)]


def _gemini() -> Json:
    found: list[Json] = []
    for turn, size in enumerate(SIZES):
        tokens = {"input": size, "output": 9, "cached": 5, "total": size + 9}
        found.append({"id": f"u{turn}", "type": "user", "content": f"question {turn}"})
        found.append({"id": f"g{turn}", "type": "gemini", "content": f"answer {turn}", "tokens": tokens})
    return {"sessionId": "s", "projectHash": "h", "messages": found}


def _openhands_0() -> Json:
    found: list[Json] = []
    for turn, size in enumerate(SIZES):
        usage = {"prompt_tokens": size, "completion_tokens": 9, "total_tokens": size + 9}
        answer = {"id": f"r{turn}", "model": "m", "usage": usage, "choices": []}
        for source, text in (("user", f"question {turn}"), ("agent", f"answer {turn}")):
            event = {"id": len(found), "source": source, "action": "message", "message": text}
            told = {"tool_call_metadata": {"model_response": answer}} if source == "agent" else {}
            found.append({**event, "args": {"content": text}, **told})
    return found


def _openhands_1() -> list[Json]:
    found: list[Json] = []
    for turn, asked in enumerate(accumulate(SIZES)):
        usage = {"prompt_tokens": asked, "completion_tokens": 9 * turn + 9, "per_turn_token": SIZES[turn] + 9}
        metrics = {"agent": {"model_name": "m", "accumulated_token_usage": usage}}
        state = {"kind": "ConversationStateUpdateEvent", "id": f"s{turn}", "source": "environment"}
        found.append(_said(f"u{turn}", "user", f"question {turn}"))
        found.append({**state, "key": "stats", "value": {"usage_to_metrics": metrics}})
        found.append(_said(f"a{turn}", "assistant", f"answer {turn}"))
    return found


def _said(id_: str, role: str, text: str) -> Json:
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    source = "user" if role == "user" else "agent"
    return {"kind": "MessageEvent", "id": id_, "source": source, "llm_message": message}


FILES: dict[str, tuple[str, Json]] = {
    "Claude Code": ("claude_code", _claude()),
    "Codex": ("codex_rollout", _codex()),
    "Pi": ("pi_agent", _pi()),
    "Gemini CLI": ("gemini_cli", _gemini()),
    "OpenHands 0": ("openhands", _openhands_0()),
    "OpenHands 1": ("openhands", _openhands_1()),
}


@pytest.fixture(params=FILES)
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Conversation:
    """Twenty turns, each with a report, in one of the formats."""
    name, value = FILES[request.param]
    is_lines = name in ("claude_code", "codex_rollout", "pi_agent") or request.param == "OpenHands 1"
    path = tmp_path / ("source.jsonl" if is_lines else "source.json")
    path.write_text("\n".join(map(json.dumps, value)) if is_lines else json.dumps(value))
    return load_conversation(path, format=name)


def written(given: Any, folder: Path, **options: bool) -> Conversation:
    name = given.conversation.format
    path = folder / "written"
    path.write_bytes(export_history(given, name, **options).data)
    return load_conversation(path, format=name)


def sizes(conversation: Conversation) -> list[int]:
    return [one.context for one in conversation.usage]


def test_a_compacted_export_reports_what_stands_before_the_change(
    session: Conversation, tmp_path: Path
) -> None:
    assert sizes(session) == SIZES
    asked = values(compression__strategy="middle-out", context_limit=10)
    given = export_input(compute_preview(session, asked), result=True)
    assert given.compaction is not None
    changed = next(at for at, origins in enumerate(given.compaction.origins) if origins != (at,))
    assert 4 < changed < len(given.messages) - 4
    again = written(given, tmp_path)
    assert not first_difference(
        expected_messages(given, session.format), again.messages, session.format, redacted=False
    )
    expected = [] if session.format == "codex_rollout" else SIZES[: changed // 2]
    assert sizes(again) == expected
    if find_exporter(session.format).has_boundary:
        assert sizes(written(given, tmp_path, append_boundary=True)) == SIZES


@pytest.mark.parametrize(
    ("usage", "name"),
    [({"prompt_tokens": 900}, "openai_chat"), ({"input_tokens": 900}, "anthropic_messages")],
)
def test_a_compacted_dump_says_no_more_what_its_request_took(usage: Json, name: str, tmp_path: Path) -> None:
    turns = [{"role": "assistant" if at % 2 else "user", "content": f"words {at}"} for at in range(8)]
    path = tmp_path / "dump.json"
    path.write_text(json.dumps({"model": "m", "messages": turns, "usage": usage}))
    source = load_conversation(path, format=name)
    assert source.reported_context == 900
    assert written(compacted_export(source), tmp_path).reported_context is None


def test_an_answer_that_said_nothing_was_in_no_request(tmp_path: Path) -> None:
    turns = [_pi()[1], pi_files.answer("", usage={}), *_pi()[2:]]
    source = load_conversation(pi_files.session(tmp_path, *pi_files.chained(*turns)))
    assert sizes(written(edited_export(source, {1: None, 11: None}), tmp_path)) == SIZES[:5]


def test_reports_of_another_side_of_a_recorded_compaction_do_not_hold(tmp_path: Path) -> None:
    turns = _pi()[1:]
    folding = pi_files.entry("compaction", summary="Short.", firstKeptEntryId="e19", tokensBefore=9_000)
    turns.insert(20, folding)
    source = load_conversation(pi_files.session(tmp_path, *pi_files.chained(*turns)))
    assert [one.position for one in source.recorded] == [20]
    assert sizes(written(edited_export(source, {39: None}), tmp_path)) == SIZES[:10]
    assert sizes(written(unchanged_export(source, "current"), tmp_path)) == SIZES[10:]
    assert sizes(written(unchanged_export(source, "before:1"), tmp_path)) == SIZES[:10]
