"""Wording of previews and conversations that window, command line and report share."""

from __future__ import annotations

from collections.abc import Iterable

from core.common import excerpts, number_format
from core.llm.catalog import ContextWindow
from core.preview.options import Preview
from core.transcript.model import Conversation, ConversationBranch, ImportNote, ListedConversation
from core.transcript.scopes import ALL, BEFORE, CURRENT


def limit_text(window: ContextWindow) -> str:
    """Return the limit and its source: "200,000 (claude-sonnet-4-5 in the model table)"."""
    if window.limit is None:
        return f"{number_format.UNKNOWN} ({excerpts.one_line_text(window.source).removeprefix('unknown: ')})"
    return f"{number_format.count(window.limit)} ({window.source})"


def saved_text(preview: Preview) -> str:
    """Return "−84,445 tokens · −57.0 %", or nothing without a change."""
    change = preview.after_tokens - preview.before_tokens
    if not change or not preview.before_tokens:
        return ""
    share = number_format.percent(abs(change) / preview.before_tokens)
    return f"{number_format.signed(change)} tokens · {number_format.MINUS if change < 0 else '+'}{share}"


def scope_label(scope: str) -> str:
    if scope == ALL:
        return "whole session"
    if scope == CURRENT:
        return "current context"
    return f"before compaction {scope.removeprefix(BEFORE)}"


def conversation_hint(listed: ListedConversation) -> str:
    """Return "sub-agent · 12 messages", without unknown parts or a kind that the title names."""
    count = "" if listed.messages is None else number_format.plural(listed.messages, "message")
    kind = "" if listed.kind and listed.title.startswith(f"{listed.kind} ") else listed.kind
    return " · ".join(part for part in (kind, count) if part)


def branch_hint(branch: ConversationBranch) -> str:
    """ "12 messages · leaves at line 214"."""
    leaves = f"leaves at line {number_format.count(branch.line)}" if branch.number > 1 else ""
    parts = (
        "default" if branch.number == 1 else "",
        number_format.plural(branch.messages, "message"),
        leaves,
    )
    return " · ".join(part for part in parts if part)


def warning_texts(conversation: Conversation) -> list[str]:
    return note_texts(conversation.report.warnings)


def note_texts(notes: Iterable[ImportNote]) -> list[str]:
    """Return notes of an import report, each with its line."""
    return [f"line {note.line:,}: {note.text}" if note.line else note.text for note in notes]
