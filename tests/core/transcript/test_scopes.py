"""Scopes: the whole session, the current context, and the context before each compaction."""

from __future__ import annotations

import pytest

from core.common.errors import InputError
from core.formats.writing.base import ExportInput, export_messages
from core.transcript.model import Conversation, Message, RecordedCompaction, SourceDocument, tool_responses
from core.transcript.scopes import CLEARED_RESULT, history_of_scope, scopes
from tests.builders import conversation as file_of
from tests.builders import exchange, human

SUMMARY = human("summary")


def _conversation(*recorded: RecordedCompaction, count: int = 6) -> Conversation:
    messages = tuple(human(f"m{number}") for number in range(count))
    return Conversation("claude_code", SourceDocument("a.jsonl"), messages, recorded=recorded)


def _folding(position: int, *kept: int, summary: Message = SUMMARY) -> RecordedCompaction:
    return RecordedCompaction("summary", position, summary=(summary,), kept=kept)


def test_current_is_summary_kept_and_later() -> None:
    history = history_of_scope(_conversation(_folding(2), _folding(4, 1, 3)), "current")
    assert history.positions == (-1, 1, 3, 4, 5)
    assert history.messages[0] == SUMMARY


def test_before_each_compaction() -> None:
    conversation = _conversation(_folding(2), _folding(4, 3))
    assert history_of_scope(conversation, "before:1").positions == (0, 1)
    assert history_of_scope(conversation, "before:2").positions == (-1, 2, 3)


@pytest.mark.parametrize("scope", ["", "before:0", "before:3", "before:x", "before:01", "later"])
def test_other_scopes_name_those_there_are(scope: str) -> None:
    conversation = _conversation(_folding(2), _folding(4))
    assert scopes(conversation) == ("all", "current", "before:1", "before:2")
    with pytest.raises(InputError, match="2 recorded compactions") as caught:
        history_of_scope(conversation, scope)
    assert caught.value.hint == "Scopes: all, current, before:1, before:2."


def _clearing(position: int, *ids: str) -> RecordedCompaction:
    return RecordedCompaction("microcompact", position, cleared=ids)


def _results(conversation: Conversation, scope: str) -> list[object]:
    history = history_of_scope(conversation, scope).messages
    return [response.result for message in history for response in tool_responses(message)]


def test_cleared_results_are_placeholders_from_there_on() -> None:
    messages = (*exchange("a", "Read", "one"), *exchange("b", "Read", "two"), *exchange("c", "Read", "three"))
    conversation = file_of(*messages, recorded=(_clearing(4, "a"), _clearing(6, "b")))
    assert _results(conversation, "all") == ["one", "two", "three"]
    assert _results(conversation, "before:1") == ["one", "two"]
    assert _results(conversation, "before:2") == [CLEARED_RESULT, "two", "three"]
    history = history_of_scope(conversation, "current")
    assert _results(conversation, "current") == [CLEARED_RESULT, CLEARED_RESULT, "three"]
    assert history.positions == (0, 1, 2, 3, 4, 5)
    assert history.messages[5] is messages[5]


def test_an_export_writes_what_was_cleared_not_what_the_file_has() -> None:
    conversation = file_of(*exchange("a", "Read", "one"), recorded=(_clearing(2, "a"),))
    call, answer = export_messages(ExportInput(conversation, history_of_scope(conversation, "current")))
    assert (call.is_unchanged, answer.is_unchanged) == (True, False)
    assert answer.origin is conversation.messages[1]
