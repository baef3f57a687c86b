"""Answers the hooks of Claude Code and Codex around a compaction.

Before it, the transcript is copied, and where the agent takes text for its summary the facts that
must survive are given. After it, what the summary lacks is given back once as excerpts, at the
first point where the agent passes text on to its model.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from core.common.atomic_file import write_atomic
from core.common.errors import InputError
from core.common.json_value import json_fault_and_place
from core.common.paths import state_dir
from core.integrations import late

MAX_TOKENS = 1_500
"""Tokens that are given: of facts before a compaction, of excerpts after it."""
_GIVEN, _PENDING = "given", "pending"
_KEEP = "The summary must keep these facts of the conversation:"
_LOST = "The summary of the earlier conversation left out these lines of it."
_ANALYSIS = re.compile(r"<analysis>.*?</analysis>", re.DOTALL)
_STAMP = "%Y-%m-%dT%H:%M:%SZ"
_MAX_COPIES = 5
"""Copies kept of one session, the newest."""
_RETENTION_DAYS = 30
"""Days for which copies, texts and lines of the log are kept."""
_PRIVATE_FILE, _PRIVATE_FOLDER = 0o600, 0o700


@dataclass(frozen=True, slots=True)
class SessionState:
    """The folder of one session. A text is a small file; taking it removes it."""

    folder: Path

    def keep_copy(self, transcript: Path) -> Path:
        """Copy the transcript, readable by its owner alone, and drop all but the newest copies."""
        _make_folder(self.folder)
        name = datetime.now(UTC).strftime(f"before-%Y%m%dT%H%M%S%f{transcript.suffix}")
        copy = self.folder / name
        handle = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE_FILE)
        with open(handle, "wb") as target, transcript.open("rb") as source:
            shutil.copyfileobj(source, target)
        for old in self.copies()[:-_MAX_COPIES]:
            old.unlink(missing_ok=True)
        return copy

    def copies(self) -> list[Path]:
        """Return the copies, oldest first."""
        return sorted(self.folder.glob("before-*"))

    def put(self, name: str, text: str) -> None:
        """Keep a text, "" removes it."""
        path = self.folder / name
        if not text:
            path.unlink(missing_ok=True)
            return
        _make_folder(self.folder)
        write_atomic(path, text.encode(), overwrite=True)
        path.chmod(_PRIVATE_FILE)

    def take(self, name: str) -> str:
        """Return a text and remove it; "" without one. Of two takers only one gets it."""
        taken = self.folder / f"{name}.{os.getpid()}.taken"
        try:
            (self.folder / name).rename(taken)
            return taken.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""
        finally:
            taken.unlink(missing_ok=True)


def session_state(session_id: str, agent_id: str = "") -> SessionState:
    """Return the state of a session, or of a sub-agent of it."""
    key = hashlib.sha256(
        f"{session_id}\0{agent_id}".encode("utf-8", "surrogatepass")
    ).hexdigest()[:24]
    return SessionState(hooks_folder() / key)


def hooks_folder() -> Path:
    return state_dir() / "hooks"


def log_path() -> Path:
    return hooks_folder() / "hooks.log"


def remove_old_state(now: datetime) -> None:
    """Remove folders of sessions that no hook wrote to for 30 days, and lines of the log that are
    older."""
    oldest = now - timedelta(days=_RETENTION_DAYS)
    for folder in hooks_folder().iterdir() if hooks_folder().is_dir() else ():
        if folder.is_dir() and not folder.is_symlink():
            times = [path.lstat().st_mtime for path in (folder, *folder.iterdir())]
            if max(times) < oldest.timestamp():
                shutil.rmtree(folder, ignore_errors=True)
    if log_path().is_file():
        lines = log_path().read_bytes().splitlines(keepends=True)
        recent = [line for line in lines if line >= oldest.strftime(_STAMP).encode()]
        if len(recent) < len(lines):
            write_atomic(log_path(), b"".join(recent), overwrite=True)


def log(text: str) -> None:
    """Append a line to the log of hooks; never raises, as a hook must not fail its agent."""
    try:
        _make_folder(hooks_folder())
        now = datetime.now(UTC)
        remove_old_state(now)
        stamp = now.strftime(_STAMP)
        with log_path().open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{stamp} {text}\n")
        log_path().chmod(_PRIVATE_FILE)
    except (OSError, InputError):
        return


def _make_folder(folder: Path) -> None:
    folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)


@dataclass(frozen=True, slots=True, kw_only=True)
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
    def state(self) -> SessionState:
        return session_state(self.session_id, self.agent_id)


def read_event(name: str, data: bytes) -> HookEvent:
    """Read an event. Raises InputError if it is no JSON object or names no session."""
    try:
        fields: Any = json.loads(data)
    except ValueError as error:
        raise InputError(
            f"The input of the hook is not JSON: {json_fault_and_place(error)}."
        ) from error
    if not isinstance(fields, dict) or not isinstance(fields.get("session_id"), str):
        raise InputError(
            "The input of the hook names no session.",
            "An agent starts this command; the help page hooks says how.",
        )

    def text(key: str) -> str:
        value = fields.get(key)
        return value if isinstance(value, str) else ""

    path = text("transcript_path")
    return HookEvent(
        name=name,
        session_id=fields["session_id"],
        agent_id=text("agent_id"),
        transcript=Path(path).expanduser() if path else None,
        trigger=text("trigger"),
        source=text("source"),
        summary=text("compact_summary"),
    )


def answer(agent: str, event: HookEvent, max_tokens: int = MAX_TOKENS) -> str:
    """Return what the hook prints, "" for nothing. Raises what reading a transcript raises."""
    handler = HANDLERS[agent].get(event.name)
    if handler is None:
        return ""
    return handler(event, max_tokens)


def _keep_copy(event: HookEvent, max_tokens: int) -> str:
    """Codex: its summary takes no text."""
    if event.transcript is not None and event.transcript.is_file():
        event.state.keep_copy(event.transcript)
    return ""


def _facts_for_summary(event: HookEvent, max_tokens: int) -> str:
    """Claude Code: what is printed goes into the prompt of the summary."""
    if event.transcript is None or not event.transcript.is_file():
        return ""
    copy = event.state.keep_copy(event.transcript)
    text = late.facts_text(_KEEP, late.surviving_facts(_context(copy)), max_tokens)
    event.state.put(_GIVEN, text)
    return text


def _remember_losses(event: HookEvent, max_tokens: int) -> str:
    """Claude Code: the transcript has no summary yet, but the event has; nothing printed here is
    read."""
    facts = event.state.take(_GIVEN)
    copies = event.state.copies()
    if not copies:
        return ""
    messages = _context(copies[-1])
    context = [late.human_text(_ANALYSIS.sub("", event.summary))]
    if (
        event.trigger == "manual"
    ):  # what the first hook printed is then in the next request
        context.append(late.human_text(facts))
    event.state.put(_PENDING, _lost_lines(messages, context, max_tokens))
    return ""


def _deliver_pending(event: HookEvent, max_tokens: int) -> str:
    return _additional_context(event, event.state.take(_PENDING))


def _losses_of_record(event: HookEvent, max_tokens: int) -> str:
    """Codex: when the session starts again after a compaction, its file has the summary."""
    copies = event.state.copies()
    if (
        event.source != "compact"
        or not copies
        or event.transcript is None
        or not event.transcript.is_file()
    ):
        return ""
    messages = _context(copies[-1])
    lost = _lost_lines(messages, _context(event.transcript), max_tokens)
    return _additional_context(event, lost)


def _lost_lines(
    messages: Sequence[Any], context: Sequence[Any], max_tokens: int
) -> str:
    """Return excerpts of what the context lacks of the messages, "" where it lacks nothing."""
    found = late.supplement(
        messages,
        context,
        lambda message: -(-len(late.plain_text(message)) // late.CHARACTERS_PER_TOKEN),
        max_tokens=min(max_tokens, late.MAX_CHARACTERS // late.CHARACTERS_PER_TOKEN),
    )
    if found.text:
        return f"{_LOST}\n{found.text}"
    return ""


def _additional_context(event: HookEvent, text: str) -> str:
    if not text:
        return ""
    return json.dumps(
        {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}}
    )


def _context(path: Path) -> tuple[Any, ...]:
    """Return the messages that the model has, after the last compaction of the file."""
    return late.history_of_scope(late.load_conversation(path), late.CURRENT).messages


Handler = Callable[[HookEvent, int], str]
HANDLERS: Mapping[str, Mapping[str, Handler]] = {
    "claude-code": {
        "PreCompact": _facts_for_summary,
        "PostCompact": _remember_losses,
        "UserPromptSubmit": _deliver_pending,
        "PostToolUse": _deliver_pending,
        "SessionStart": _deliver_pending,
    },
    "codex": {"PreCompact": _keep_copy, "SessionStart": _losses_of_record},
}
"""The events that Foldline answers, by agent."""
