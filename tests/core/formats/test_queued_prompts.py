"""Prompts typed while Claude Code worked are the person's messages, wherever it stored them."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from core.export.export import export_history
from core.formats.registry import load_conversation
from core.transcript.model import Message, Speaker, joined_text
from tests.core.formats.exporting import (
    edited_export,
    unchanged_export,
    with_inserted,
    with_text,
)
from tests.core.formats.session_lines import (
    Line,
    claude_line,
    queue_line,
    read_lines,
    said,
    tool_call,
    tool_result,
)
from tests.support.builders import human

WORDS = "Never touch the file legacy.cfg!"


def worked(*while_it_worked: Line) -> list[Line]:
    """Return a turn with a call; lines come between its result and the answer."""
    return [
        claude_line("u1", None, "Rename the fields."),
        claude_line("a1", "u1", tool_call("c1")),
        queue_line("enqueue", WORDS),
        claude_line("u2", "a1", tool_result("c1", "three files")),
        *while_it_worked,
        claude_line("a2", "u2", [{"type": "text", "text": "It stays."}]),
    ]


def test_a_removed_prompt_stands_before_the_answer(tmp_path: Path) -> None:
    conversation = read_lines(tmp_path, worked(queue_line("remove")))
    texts = [joined_text(one) for one in conversation.messages]
    assert texts[-2:] == [WORDS, "It stays."]
    assert said(conversation) == ["Rename the fields.", WORDS]


def test_a_prompt_that_was_taken_back_is_not_said(tmp_path: Path) -> None:
    conversation = read_lines(tmp_path, worked(queue_line("popAll")))
    assert said(conversation) == ["Rename the fields."]


def test_a_prompt_that_stays_in_the_queue_is_counted(tmp_path: Path) -> None:
    conversation = read_lines(tmp_path, worked())
    assert said(conversation) == ["Rename the fields."]
    assert dict(conversation.report.skipped)["queued prompt that was not sent"] == 1


def test_a_queued_prompt_with_its_own_row_counts_once(tmp_path: Path) -> None:
    row = claude_line("u3", "u2", WORDS)
    for lines in (
        worked(queue_line("dequeue"), row),
        worked(queue_line("remove"), row),
        worked(row, queue_line("remove")),
    ):
        assert said(read_lines(tmp_path, lines)) == ["Rename the fields.", WORDS]


def test_a_queued_prompt_with_an_attachment_counts_once(tmp_path: Path) -> None:
    queued = {"type": "queued_command", "prompt": WORDS, "commandMode": "prompt"}
    line = {"type": "attachment", "uuid": "t1", "parentUuid": "u2", "sessionId": "s"}
    lines = worked(queue_line("remove"), {**line, "attachment": queued})
    assert said(read_lines(tmp_path, lines)) == ["Rename the fields.", WORDS]


def test_a_queued_notification_is_the_harness(tmp_path: Path) -> None:
    lines = worked(queue_line("remove"), queue_line("remove"))
    lines.insert(
        2, queue_line("enqueue", "<task-notification>q77 ended</task-notification>")
    )
    conversation = read_lines(tmp_path, lines)
    assert said(conversation) == ["Rename the fields.", WORDS]
    assert [one.speaker for one in conversation.messages[-3:-1]] == [Speaker.HUMAN] * 2


def test_a_queued_prompt_is_written_and_read_again(tmp_path: Path) -> None:
    conversation = read_lines(tmp_path, worked(queue_line("remove")))
    edits = {
        0: with_text(conversation.messages[0], 0, "Rename them."),
        3: with_text(conversation.messages[3], 0, "Never touch it."),
    }
    path = tmp_path / "again.jsonl"
    path.write_bytes(
        export_history(edited_export(conversation, edits), "claude_code").data
    )
    assert said(load_conversation(path)) == ["Rename them.", "Never touch it."]


@pytest.mark.parametrize(
    "behind", [human("Keep in mind: it is old."), human(f"> {WORDS}\n{WORDS}")]
)
def test_a_queued_prompt_stays_in_front_of_an_inserted_message(
    behind: Message, tmp_path: Path
) -> None:
    conversation = read_lines(tmp_path, worked(queue_line("remove")))
    path = tmp_path / "again.jsonl"
    given = with_inserted(unchanged_export(conversation), 4, behind)
    path.write_bytes(export_history(given, "claude_code").data)
    expected = [*conversation.messages[:4], behind, conversation.messages[4]]
    assert texts_of(load_conversation(path).messages) == texts_of(expected)


def test_a_queued_prompt_stays_in_front_of_a_later_prompt(tmp_path: Path) -> None:
    lines = [*worked(queue_line("remove")), claude_line("u9", "a2", "And test it.")]
    conversation = read_lines(tmp_path, lines)
    path = tmp_path / "again.jsonl"
    path.write_bytes(
        export_history(edited_export(conversation, {4: None}), "claude_code").data
    )
    assert said(load_conversation(path)) == [
        "Rename the fields.",
        WORDS,
        "And test it.",
    ]


def test_what_took_one_prompt_out_of_the_queue_takes_no_other(tmp_path: Path) -> None:
    others = queue_line("enqueue", "And test it."), queue_line("dequeue")
    conversation = read_lines(tmp_path, worked(*others, queue_line("remove")))
    path = tmp_path / "again.jsonl"
    edits = {0: with_text(conversation.messages[0], 0, "Rename them.")}
    path.write_bytes(
        export_history(edited_export(conversation, edits), "claude_code").data
    )
    assert said(load_conversation(path)) == ["Rename them.", *said(conversation)[1:]]


def test_the_first_message_stays_the_first_without_its_answer(tmp_path: Path) -> None:
    lines = [
        claude_line("u1", None, "Rename the fields."),
        claude_line("a1", "u1", [{"type": "text", "text": "Which?"}]),
        claude_line("a2", "a1", [{"type": "text", "text": "All."}]),
        queue_line("dequeue"),
        {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {}},
    ]
    conversation = read_lines(tmp_path, lines)
    path = tmp_path / "again.jsonl"
    path.write_bytes(
        export_history(edited_export(conversation, {1: None}), "claude_code").data
    )
    expected = [conversation.messages[0], conversation.messages[2]]
    assert texts_of(load_conversation(path).messages) == texts_of(expected)


def texts_of(messages: Sequence[Message]) -> list[str]:
    return [joined_text(message) for message in messages]


def test_a_notification_is_the_harness_with_what_stands_behind_it(
    tmp_path: Path,
) -> None:
    text = "<task-notification>q77 ended</task-notification>\nRead the file /tmp/q77."
    marked = {"origin": {"kind": "task-notification"}}
    lines = [
        claude_line("u1", None, "Build it."),
        claude_line("a1", "u1", "It runs."),
        claude_line("u2", "a1", text),
        claude_line("u3", "u2", "Read the file /tmp/q78.", **marked),
    ]
    assert said(read_lines(tmp_path, lines)) == ["Build it."]


def test_a_queued_prompt_is_nothing_that_a_compaction_kept(tmp_path: Path) -> None:
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "b",
        "parentUuid": None,
    }
    summary = claude_line("u9", "b", "So far …", isCompactSummary=True)
    lines = [
        *worked(queue_line("remove")),
        {**boundary, "compactMetadata": {}},
        summary,
    ]
    (recorded,) = read_lines(tmp_path, lines).recorded
    assert recorded.kept == ()


def test_a_removal_that_names_its_words_takes_these(tmp_path: Path) -> None:
    later = "And test it."
    taken = {**queue_line("remove", later), "reason": "absorbed_mid_turn"}
    lines = worked(queue_line("enqueue", later), taken)
    assert said(read_lines(tmp_path, lines)) == ["Rename the fields.", later]


def test_a_removal_for_another_reason_is_not_said(tmp_path: Path) -> None:
    cancelled = {**queue_line("remove", WORDS), "reason": "cancelled"}
    assert said(read_lines(tmp_path, worked(cancelled))) == ["Rename the fields."]


def test_the_words_of_another_session_are_not_the_persons(tmp_path: Path) -> None:
    words = (
        '<cross-session-message from-name="alice">Delete it.</cross-session-message>'
    )
    lines = [*worked(queue_line("remove")), claude_line("u9", "a2", words)]
    assert said(read_lines(tmp_path, lines)) == ["Rename the fields.", WORDS]
