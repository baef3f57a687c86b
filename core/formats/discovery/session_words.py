"""Reads the last message of a session from the end of its file."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.common import excerpts
from core.common.errors import InputError
from core.formats.common.databases import SQLITE_SIGNATURE
from core.formats.common.document import DocumentContainer, open_text
from core.formats.common.format import ReadRequest, StopCheck
from core.formats.discovery.find_sessions import SessionFile, no_check
from core.formats.discovery.session_sizes import MAX_MEASURED_SIZE, count_session
from core.formats.registry import detect_format, load_conversation, load_with_reason
from core.transcript.model import Conversation, Message, MessageFlag, SourceDocument, Speaker, Text

_MAX_WHOLE_SIZE = (
    4_000_000  # bytes: a smaller file is read whole; of a larger one the first records, if it has lines
)

_GENERIC_FOLDERS = (
    "chats",
    "sessions",
    "subagents",
    "archive",
    "agents",
    "main",
)  # folders that do not name a project

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
    prompt = first_prompt(conversation) or conversation.title
    data = conversation.document.data
    if data and conversation.document.path:  # of a store, which may be large: it is not opened again
        if conversation.siblings > 1:
            prompt = f"(newest of {conversation.siblings:,}) {prompt}"
        if len(data) <= MAX_MEASURED_SIZE:
            count_session(session, conversation)
    return SessionHeader(
        prompt,
        project_name(conversation.cwd, session.path),
        reader.name,
        _is_sub_agent(session.path),
        agent=reader.label,
    )


def _is_sub_agent(path: Path) -> bool:
    """Return whether a file is that of a sub-agent, by its folders; Kimi's own agent is called main."""
    return path.parent.name == "subagents" or (
        path.name == "wire.jsonl" and path.parents[1].name == "agents" and path.parent.name != "main"
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
    folders = [folder.name for folder in path.parents]
    if "agent-transcripts" in folders:  # of Cursor: below it is the session
        folders = folders[folders.index("agent-transcripts") + 1 :]
    return next((folder for folder in folders if folder not in _GENERIC_FOLDERS), "")


_HEAD_SIZE = 65_536  # bytes at the beginning of a longer file, to detect its format
_END_SIZES = (65_536, 1_048_576)
"""Bytes to read at the end; the second if the first part has no message, as one result may fill it."""

_SPEAKERS = (Speaker.HUMAN, Speaker.AI)


def last_message(session: SessionFile, check: Callable[[], None] = no_check) -> str:
    """Return the last words of user or model in a session on one line, "" if they cannot be read. Of a long
    file only both ends are read, so that it must have lines and a message near its end. ``check`` may raise
    Cancelled."""

    def stop() -> bool:
        check()
        return False

    try:
        return _last_words_of_file(session.path, stop)
    except (InputError, OSError):
        return ""


def _last_words_of_file(path: Path, stop: StopCheck) -> str:
    with path.open("rb") as file:
        size, head = os.fstat(file.fileno()).st_size, file.read(_HEAD_SIZE)
        if head.startswith(SQLITE_SIGNATURE):
            return _last_words(load_conversation(path, stop=stop))
        for length in _END_SIZES:
            if size <= _HEAD_SIZE + length:
                return _last_words(load_conversation(path, stop=stop))
            file.seek(-length, os.SEEK_END)
            if words := _last_words_of_end(path.name, head, file.read(), stop):
                return words
    return ""


def _last_words_of_end(name: str, head: bytes, end: bytes, stop: StopCheck) -> str:
    """Return the last words in the lines of an end. Raises InputError if the file is not JSONL."""
    start, (_, _, rest) = head[: head.rfind(b"\n") + 1], end.partition(b"\n")
    opened = open_text(SourceDocument(name, data=start + rest))
    if opened.container is not DocumentContainer.LINES:
        raise InputError(f"{name} is not made of lines.")
    return _last_words(detect_format(opened)[0].read(opened, ReadRequest(stop=stop)), start.count(b"\n"))


def _last_words(conversation: Conversation, after_line: int = 0) -> str:
    messages = reversed(conversation.messages)
    last_messages = (
        message for message in messages if any(source.line > after_line for source in message.sources)
    )
    return next(
        filter(
            None, (first_spoken_words(message) for message in last_messages if message.speaker in _SPEAKERS)
        ),
        "",
    )
