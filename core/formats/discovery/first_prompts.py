"""Reads the first prompt and the project of a session from the beginning of its file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.common import excerpts
from core.common.errors import InputError
from core.formats.common.format import ReadRequest
from core.formats.discovery.find_sessions import SessionFile
from core.formats.registry import load_with_reason
from core.transcript.model import Conversation, Message, MessageFlag, Speaker, Text

_MAX_WHOLE_SIZE = (
    4_000_000  # bytes: a smaller file is read whole; of a larger one the first records, if it has lines
)

_GENERIC_FOLDERS = ("chats", "sessions", "subagents", "archive")  # folders that do not name a project

_GENERATED_FLAGS = (
    MessageFlag.META | MessageFlag.COMMAND | MessageFlag.API_ERROR | MessageFlag.RECORDED_SUMMARY
)


@dataclass(frozen=True, slots=True)
class SessionHeader:
    """The beginning of a session: ``format`` is the name of its format, ``agent`` that format's label.
    ``problem`` is one sentence if it is no transcript."""

    prompt: str = ""
    project: str = ""
    format: str = ""
    is_sub_agent: bool = False
    problem: str = ""
    agent: str = ""


def read_session_header(session: SessionFile) -> SessionHeader:
    """Read the first records of a session. Never raises for a file that is broken or missing."""
    call_count = 0

    def stop() -> bool:
        nonlocal call_count
        call_count += 1
        return call_count > 1 and session.size > _MAX_WHOLE_SIZE

    try:
        conversation, reader, _ = load_with_reason(session.path, ReadRequest(stop=stop))
    except InputError as error:
        return SessionHeader(problem=str(error))
    prompt = first_prompt(conversation)
    return SessionHeader(
        prompt or conversation.title,
        project_name(conversation.cwd, session.path),
        reader.name,
        session.path.parent.name == "subagents",
        agent=reader.label,
    )


def first_prompt(conversation: Conversation) -> str:
    """Return the user's first words in a conversation, on one line; "" if there are none."""
    prompts = (
        first_spoken_words(message) for message in conversation.messages if message.speaker is Speaker.HUMAN
    )
    return next(filter(None, prompts), "")


def first_spoken_words(message: Message) -> str:
    """Return the first words of a message, on one line; "" if its agent generated it or it has no text."""
    if message.flags & _GENERATED_FLAGS:
        return ""
    texts = (block.text for block in message.blocks if isinstance(block, Text) and block.text.strip())
    text = excerpts.one_line_start(next(texts, ""))
    return "" if text.startswith("<") else text


def project_name(cwd: str, path: Path) -> str:
    """Return the last two parts of the agent's working folder, else of the session's own folder."""
    parts = [part for part in cwd.replace("\\", "/").split("/") if part]
    if parts:
        return "/".join(parts[-2:])
    return next((folder.name for folder in path.parents if folder.name not in _GENERIC_FOLDERS), "")
