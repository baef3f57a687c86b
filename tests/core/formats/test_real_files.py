"""Real transcripts of every format: their counts, their records, and what their agents compacted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.formats.registry import load_conversation
from core.transcript.model import Conversation, Message, tool_calls, tool_responses
from core.transcript.tool_pairs import find_pairs
from tests.core.formats.exporting import corpus_files
from tests.core.formats.small_files import SMALL, load_conversations, saved

COUNTS = json.loads(Path(__file__).with_name("recorded").joinpath("files", "corpus_counts.json").read_text())
"""By file: format, conversations (the first 30); in all of them messages, calls, results, unanswered calls,
results without a call, recorded compactions; reported requests of the first. They agreed with independent
counts of the raw JSON."""
LOGS = ("claude_code", "codex_rollout", "cline_ui", "copilot_cli", "goose", "openhands", "pi_agent")
OTHER_WAYS = ("gemini_cli", "vscode_chat_replay")
"""A record of a log that was taken back, and the logs of a prompt, are counted beside their line."""


def counts(conversation: Conversation) -> tuple[int, int, int, int, int]:
    """Return the numbers of messages, calls, results, unanswered calls, and results of no call."""
    messages = conversation.messages
    pairs = find_pairs(messages)
    calls = sum(1 for message in messages for _ in tool_calls(message))
    results = sum(1 for message in messages for _ in tool_responses(message))
    return len(messages), calls, results, len(pairs.unanswered), len(pairs.orphans)


@pytest.mark.parametrize("name", COUNTS)
def test_a_real_file_has_the_counts_of_its_raw_json(name: str, corpus: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "something.txt"  # the format is found by content
    elsewhere.write_bytes((corpus / name).read_bytes())
    found = load_conversations(elsewhere, 30)
    totals = map(sum, zip(*map(counts, found), strict=True))
    recorded, usage = sum(len(one.recorded) for one in found), found[0].usage
    assert [found[0].format, len(found), *totals, recorded, len(usage)] == COUNTS[name]
    assert [one.message_index for one in usage] == sorted({one.message_index for one in usage})


def _assert_adds_up(conversation: Conversation) -> None:
    """Every record became a message, a recorded compaction, the system part, or was counted as skipped."""
    report = conversation.report
    summaries = [message for one in conversation.recorded for message in one.summary]
    sources = [source for message in (*conversation.messages, *summaries) for source in message.sources]
    sources += [one.source for one in conversation.recorded if one.source is not None]
    used = {(source.start, source.end) for source in sources}
    used |= {(start, end) for _, start, end in conversation.layout.get("system", ())}
    assert report.records == len(used) + sum(count for _, count in report.skipped)
    assert report.skipped_from.keys() == dict(report.skipped).keys()


@pytest.mark.parametrize("name", [name for name in SMALL if name not in OTHER_WAYS])
def test_what_is_no_message_is_counted(tmp_path: Path, name: str) -> None:
    _assert_adds_up(load_conversation(saved(tmp_path, SMALL[name])))


@pytest.mark.parametrize("path", corpus_files(*LOGS))
def test_what_is_no_message_of_a_real_file_is_counted(path: Path) -> None:
    _assert_adds_up(load_conversation(path))


def test_every_golden_history_opens(golden: Path) -> None:
    for path in sorted((golden / "llxprt").glob("*.json")):
        expected = json.loads(path.read_text("utf-8"))["history"]
        conversation = load_conversation(path)
        assert (conversation.format, len(conversation.messages)) == ("llxprt", len(expected))


def _sent_texts(records: list[Any]) -> list[str]:
    contents = [record["content"] for record in records]
    return [one if isinstance(one, str) else "\n".join(part["text"] for part in one) for one in contents]


@pytest.mark.parametrize("path", corpus_files("swe_agent"))
def test_what_the_history_processors_of_swe_agent_took_out(path: Path) -> None:
    value = json.loads(path.read_text("utf-8"))
    sent = [_sent_texts(step.get("query") or step.get("messages") or []) for step in value["trajectory"]]
    whole = _sent_texts(value["history"])
    elided = [{i for i, text in enumerate(one) if text != whole[i]} for one in sent]
    growing = [now for before, now in zip([set(), *elided], elided, strict=False) if now - before]
    recorded = load_conversation(path).recorded
    new = [{i + 1 for i, one in enumerate(one.context_after) if isinstance(one, Message)} for one in recorded]
    assert new == growing
