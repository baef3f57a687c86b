"""Reader for the chat history of aider (.aider.chat.history.md): each start of aider is a
conversation.

Lines of the user begin with ``####``, those of aider itself with ``>``; all others are the answer,
so that such lines in an answer are mistaken for them. Commands are not sent to the model, but what
follows one that asks in another mode is; one that clears the chat is a compaction that keeps
nothing. Summaries that aider makes of a chat are not in the file.
"""

from __future__ import annotations

import re
from itertools import groupby

from core.common.errors import InputError
from core.formats.common.document import DocumentContainer, OpenedDocument
from core.formats.common.format import Format, FormatScore, ReaderEvidence, ReadRequest
from core.formats.common.json_parsing import JsonRecord, number_of
from core.formats.common.message_lists import check_number, first_words, numbered
from core.formats.common.open_document import read_all
from core.formats.common.session_log import SessionLog
from core.transcript.model import (
    Conversation,
    ListedConversation,
    Speaker,
    Text,
)

_START = "# aider chat started at "
_TOKENS = re.compile(r"^> Tokens: ([\d.,]+)(k?) sent.*?, ([\d.,]+)(k?) received")
_COMMAND = re.compile(r"[/!]\w*")
_ASKING = re.compile(r"/(?:ask|code|architect|context|help)\s+(?=\S)")
"""Commands whose words are sent."""
_CLEARED = (
    "> All chat history cleared.",
    "> All files dropped and chat history cleared.",
)
_MODEL = re.compile(r"^> (?:Main model|Model|Models): (\S+)")


def _score_aider(file: OpenedDocument) -> FormatScore:
    is_history = (
        file.container is DocumentContainer.TEXT and file.first_line.startswith(_START)
    )
    if is_history:
        return (1.0, "a line that starts a chat of aider")
    return (0.0, "")


def _read_aider(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one chat; the newest, which is the last one in the file, is number 1."""
    chats: list[tuple[str, list[JsonRecord]]] = []
    before: list[int] = []  # lines before the first chat
    at = 0
    for number, data in enumerate(read_all(file.document).split(b"\n"), 1):
        line = data.decode("utf-8", "replace").rstrip("\r")
        if line.startswith(_START):
            chats.append((line.removeprefix(_START), []))
        elif chats:
            chats[-1][1].append(JsonRecord(number, at, at + len(data), line))
        elif line.strip():
            before.append(number)
        at += len(data) + 1
    if not chats:
        raise InputError(
            f"{file.document.name} has no line that starts a chat of aider ({_START.strip()} …).",
            "Choose another file.",
        )
    # A project has one file, to which each new chat is added.
    chats.reverse()
    check_number(file.document.name, request.conversation, len(chats))
    started_at, lines = chats[request.conversation - 1]
    log = SessionLog(title=started_at)
    if before:
        log.notes.skip("line before the first chat", len(before), line=before[0])
        log.notes.records += len(before)
    for kind, run in groupby(lines, key=lambda record: _kind(record.value)):
        _add_said(kind, [*run], log)
    if file.document.path:
        # aider writes its history into the folder of the project.
        log.cwd = str(file.document.path.absolute().parent)
    else:
        log.cwd = ""
    listed = [
        ListedConversation(n, first_words(title))
        for n, (title, _) in enumerate(chats, 1)
    ]
    return numbered(log.conversation("aider", file), request.conversation, listed)


def _kind(line: str) -> str:
    return next(
        (
            mark
            for mark in ("#### ", "> ")
            if line.startswith(mark) or line == mark.strip()
        ),
        "",
    )


def _add_said(kind: str, lines: list[JsonRecord], log: SessionLog) -> None:
    """Add consecutive lines of one kind."""
    text = "\n".join(line.value.removeprefix(kind) for line in lines).strip()
    if not text:
        return
    log.notes.records += 1
    first, last = lines[0], lines[-1]
    whole = JsonRecord(first.line, first.start, last.end, None)
    if kind == "> ":
        log.notes.skip("notice of aider", line=first.line)
        for line in lines:
            _read_notice(line, log)
    elif not kind:
        log.add(whole, Speaker.AI, [Text(text)])
    # Commands such as /add are said to aider, not to the model.
    elif (command := _COMMAND.match(text)) and not _ASKING.match(text):
        log.notes.skip(f"command {command[0]}", line=first.line)
    else:
        log.add(whole, Speaker.HUMAN, [Text(_ASKING.sub("", text, count=1))])


def _read_notice(record: JsonRecord, log: SessionLog) -> None:
    line = record.value
    if model := _MODEL.match(line):
        log.model = model[1]
    # A notice is the only trace of what was cleared.
    if line.startswith(_CLEARED):
        log.clear(record)
    tokens = _TOKENS.match(line)
    if tokens and log.messages:
        log.report(_count(tokens[1], tokens[2]), _count(tokens[3], tokens[4]))


def _count(digits: str, unit: str) -> int:
    try:
        return (
            number_of(
                float(digits.replace(",", "").rstrip(".")) * (1000 if unit else 1)
            )
            or 0
        )
    except ValueError:
        return 0


AIDER = Format(
    name="aider",
    label="aider",
    about="The chat history of aider (.aider.chat.history.md).",
    score=_score_aider,
    read=_read_aider,
    evidence=ReaderEvidence.DESCRIPTION,
)
