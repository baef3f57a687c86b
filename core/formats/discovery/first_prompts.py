"""What a session is about: its first prompt and project, from the beginning of its file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.common import excerpts
from core.common.errors import InputError
from core.formats.discovery.find_sessions import SessionFile
from core.formats.registry import load_explained
from core.transcript.model import Conversation, Message, MessageFlag, Speaker, Text

_ENOUGH = 4_000_000
"""A file up to this size is read whole; of a larger one the first records, or nothing where it is one
JSON value."""

_PLAIN = ("chats", "sessions", "subagents", "archive")
"""Folders that say nothing of a project."""

_HARNESS = MessageFlag.META | MessageFlag.COMMAND | MessageFlag.API_ERROR | MessageFlag.RECORDED_SUMMARY


@dataclass(frozen=True, slots=True)
class SessionHeader:
    """The beginning of a session: ``format`` is the name of its format, ``agent`` that format's label.
    ``problem`` is one sentence where it is no transcript."""

    prompt: str = ""
    project: str = ""
    format: str = ""
    is_sub_agent: bool = False
    problem: str = ""
    agent: str = ""


def read_head(found: SessionFile) -> SessionHeader:
    """Read the first records of a session. Never raises for a file that is broken or gone."""
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 1 and found.size > _ENOUGH

    try:
        conversation, reader, _ = load_explained(found.path, stop=stop)
    except InputError as error:
        return SessionHeader(problem=str(error))
    prompt = first_prompt(conversation)
    return SessionHeader(
        prompt or conversation.title,
        project_of(conversation.cwd, found.path),
        reader.name,
        found.path.parent.name == "subagents",
        agent=reader.label,
    )


def first_prompt(conversation: Conversation) -> str:
    """The first words of a person in a conversation, on one line; "" where nobody speaks."""
    said = (first_spoken_words(one) for one in conversation.messages if one.speaker is Speaker.HUMAN)
    return next(filter(None, said), "")


def first_spoken_words(message: Message) -> str:
    """The first words of a message, on one line; "" where its agent made it, or nothing is said."""
    if message.flags & _HARNESS:
        return ""
    texts = (block.text for block in message.blocks if isinstance(block, Text) and block.text.strip())
    text = excerpts.flat_beginning(next(texts, ""))
    return "" if text.startswith("<") else text


def project_of(cwd: str, path: Path) -> str:
    """The last two parts of the folder that the agent worked in, else of the session's own folder."""
    parts = [part for part in cwd.replace("\\", "/").split("/") if part]
    if parts:
        return "/".join(parts[-2:])
    return next((folder.name for folder in path.parents if folder.name not in _PLAIN), "")
