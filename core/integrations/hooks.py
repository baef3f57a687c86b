"""Answers the hooks of Claude Code and Codex around a compaction (agents.md sections 1 and 2).

Before it, the transcript is copied, and where the agent takes text for its summary the facts that must
survive are given. After it, the facts that the summary lacks are given back once, at the first point where
the agent passes text on to its model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.common.errors import InputError
from core.integrations import hook_state

MAX_TOKENS = 800
"""Tokens of facts that are given, before a compaction and after it."""
_GIVEN, _PENDING = "given", "pending"
_KEEP = "The summary must keep these facts of the conversation:"
_LOST = "The summary of the earlier conversation left out these facts of it:"
_ANALYSIS = re.compile(r"<analysis>.*?</analysis>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class HookEvent:
    """One event, as the agent writes it to standard input; unknown fields stay unread."""

    name: str
    session_id: str
    agent_id: str
    transcript: Path | None
    trigger: str
    source: str
    summary: str

    @property
    def state(self) -> hook_state.SessionState:
        return hook_state.session_state(self.session_id, self.agent_id)


def read_event(name: str, data: bytes) -> HookEvent:
    """Read an event. Raises InputError if it is no JSON object or names no session."""
    try:
        fields: Any = json.loads(data)
    except ValueError as error:
        raise InputError(f"The input of the hook is no JSON: {error}.") from error
    if not isinstance(fields, dict) or not isinstance(fields.get("session_id"), str):
        raise InputError("The input of the hook names no session.")

    def text(key: str) -> str:
        value = fields.get(key)
        return value if isinstance(value, str) else ""

    path = text("transcript_path")
    return HookEvent(
        name,
        fields["session_id"],
        text("agent_id"),
        Path(path).expanduser() if path else None,
        text("trigger"),
        text("source"),
        text("compact_summary"),
    )


def answer(agent: str, event: HookEvent, max_tokens: int = MAX_TOKENS) -> str:
    """Return what the hook prints, "" for nothing. Raises what reading a transcript raises."""
    handler = HANDLERS[agent].get(event.name)
    return "" if handler is None else handler(event, max_tokens)


def _keep_copy(event: HookEvent, max_tokens: int) -> str:
    """Codex: its summary takes no text (agents.md section 2)."""
    if event.transcript is not None and event.transcript.is_file():
        event.state.keep_copy(event.transcript)
    return ""


def _facts_for_summary(event: HookEvent, max_tokens: int) -> str:
    """Claude Code: what is printed goes into the prompt of the summary."""
    from core.integrations.surviving_facts import fact_lines, surviving_facts

    if event.transcript is None or not event.transcript.is_file():
        return ""
    copy = event.state.keep_copy(event.transcript)
    text = fact_lines(surviving_facts(_context(copy)), max_tokens).under(_KEEP)
    event.state.put(_GIVEN, text)
    return text


def _remember_losses(event: HookEvent, max_tokens: int) -> str:
    """Claude Code: the transcript has no summary yet, but the event has; nothing printed here is read."""
    from core.integrations.surviving_facts import fact_lines, missing_facts, surviving_facts
    from core.llm.chat_messages import human_text

    given, copies = event.state.take(_GIVEN), event.state.copies()
    if not copies:
        return ""
    messages = _context(copies[-1])
    context = [human_text(_ANALYSIS.sub("", event.summary))]
    if event.trigger == "manual":  # what the first hook printed is then in the next request
        context.append(human_text(given))
    lost = missing_facts(messages, surviving_facts(messages), context)
    event.state.put(_PENDING, fact_lines(lost, max_tokens).under(_LOST))
    return ""


def _deliver_pending(event: HookEvent, max_tokens: int) -> str:
    return _additional_context(event, event.state.take(_PENDING))


def _losses_of_record(event: HookEvent, max_tokens: int) -> str:
    """Codex: when the session starts again after a compaction, its file has the summary."""
    from core.integrations.surviving_facts import fact_lines, missing_facts, surviving_facts

    copies = event.state.copies()
    if event.source != "compact" or not copies or event.transcript is None or not event.transcript.is_file():
        return ""
    messages = _context(copies[-1])
    lost = missing_facts(messages, surviving_facts(messages), _context(event.transcript))
    return _additional_context(event, fact_lines(lost, max_tokens).under(_LOST))


def _additional_context(event: HookEvent, text: str) -> str:
    if not text:
        return ""
    return json.dumps({"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}})


def _context(path: Path) -> tuple[Any, ...]:
    """Return the messages that the model has, after the last compaction of the file."""
    from core.formats.registry import load_conversation
    from core.transcript.scopes import CURRENT, history_of_scope

    return history_of_scope(load_conversation(path), CURRENT).messages


Handler = Callable[[HookEvent, int], str]
HANDLERS: Mapping[str, Mapping[str, Handler]] = {
    "claude-code": {
        "PreCompact": _facts_for_summary,
        "PostCompact": _remember_losses,
        "UserPromptSubmit": _deliver_pending,
        "PostToolUse": _deliver_pending,
    },
    "codex": {"PreCompact": _keep_copy, "SessionStart": _losses_of_record},
}
"""The events that Foldline answers, by agent."""
