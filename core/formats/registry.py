"""The registry of transcript formats, detection by content, and ``load_conversation``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from math import inf
from operator import itemgetter
from pathlib import Path

from core.common.errors import InputError, did_you_mean
from core.common.json_value import Json
from core.formats.ai_sdk.reader import AI_SDK
from core.formats.anthropic.reader import ANTHROPIC_MESSAGES
from core.formats.atif.reader import ATIF
from core.formats.claude_code.reader import CLAUDE_CODE
from core.formats.cline_session.reader import CLINE_SESSION
from core.formats.cline_ui.reader import CLINE_UI
from core.formats.codex.reader import CODEX_ROLLOUT
from core.formats.common.document import DocumentContainer, OpenedDocument, Shorten, open_transcript
from core.formats.common.format import (
    Format,
    MessageObserver,
    ReadRequest,
    StopCheck,
    ignore_messages,
    never_stop,
)
from core.formats.common.import_notes import plain_line
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.message_lists import check_branch
from core.formats.common.open_document import document_lines, read_source
from core.formats.common.unsupported_formats import UnreadableKindError, record_kind, unsupported_kind
from core.formats.common.zip_transcripts import read_zip
from core.formats.copilot_cli.reader import COPILOT_CLI
from core.formats.gemini.reader import GEMINI
from core.formats.gemini_cli.reader import GEMINI_CLI
from core.formats.goose.reader import GOOSE
from core.formats.inspect_ai.reader import INSPECT_AI
from core.formats.langchain.reader import LANGCHAIN
from core.formats.llxprt.reader import LLXPRT
from core.formats.mini_swe_agent.reader import MINI_SWE_AGENT
from core.formats.openai_chat.reader import OPENAI_CHAT
from core.formats.openai_responses.reader import OPENAI_RESPONSES
from core.formats.opencode.reader import OPENCODE
from core.formats.openhands.reader import OPENHANDS
from core.formats.pi.reader import PI
from core.formats.sharegpt.reader import SHAREGPT
from core.formats.swe_agent.reader import SWE_AGENT
from core.formats.tau_bench.reader import TAU_BENCH
from core.formats.vscode_chat_replay.reader import VSCODE_CHAT_REPLAY
from core.transcript.model import (
    Conversation,
    ImportNote,
    Message,
    Opaque,
    Progress,
    SourceDocument,
    Speaker,
    Text,
    Thinking,
    no_progress,
)

FORMATS: tuple[Format, ...] = (
    CLAUDE_CODE,
    OPENAI_CHAT,
    ANTHROPIC_MESSAGES,
    LLXPRT,
    CODEX_ROLLOUT,
    OPENAI_RESPONSES,
    ATIF,
    SHAREGPT,
    LANGCHAIN,
    VSCODE_CHAT_REPLAY,
    AI_SDK,
    GEMINI_CLI,
    GEMINI,
    PI,
    SWE_AGENT,
    MINI_SWE_AGENT,
    OPENHANDS,
    INSPECT_AI,
    TAU_BENCH,
    CLINE_SESSION,
    CLINE_UI,
    COPILOT_CLI,
    OPENCODE,
    GOOSE,
)
"""Every readable format; of equal scores the first wins."""

FORCED_REASON = "chosen by hand"
"""The reason of a format that the user forced."""

_MIN_SCORE, _CERTAIN_SCORE = 0.3, 1.0
_SINGLE_CONVERSATION = (CODEX_ROLLOUT.name, GEMINI_CLI.name, PI.name)
_SIDE_CHAIN = re.compile(rb'"isSidechain"\s*:\s*true')
"""Marks a sub-agent's line in a Claude Code session."""


def format_by_name(name: str) -> Format:
    """Return the format of that name. Raises InputError that lists the names."""
    for format_ in FORMATS:
        if format_.name == name:
            return format_
    names = [format_.name for format_ in FORMATS]
    hint = f"{did_you_mean(name, names)}Formats: {', '.join(names)}."
    raise InputError(f'There is no format "{name}".', hint)


def detect_format(opened: OpenedDocument) -> tuple[Format, str]:
    """Return the best format by content alone, with the reason. Raises InputError if none fits."""
    return _candidates(opened)[0]


def _formats_by_score(opened: OpenedDocument) -> Iterator[tuple[Format, str]]:
    """Yield the best format, then the others, which are only scored when needed."""
    yield detect_format(opened)
    yield from _candidates(opened, inf)[1:]


def _candidates(opened: OpenedDocument, certain_score: float = _CERTAIN_SCORE) -> list[tuple[Format, str]]:
    """Return the formats that fit, best first, with reasons; a score of ``certain_score`` ends the
    search. Raises InputError if none fits or the records are of an unsupported kind."""
    if kind := unsupported_kind(opened.objects):
        raise UnreadableKindError(opened.document.name, kind)
    scored_formats: list[tuple[float, Format, str]] = []
    for format_ in FORMATS:
        score, reason = format_.score(opened)
        if score >= _MIN_SCORE:
            scored_formats.append((score, format_, plain_line(reason)))  # the reason may quote the file
        if score >= certain_score:
            break
    if scored_formats:
        return [
            (format_, reason)
            for _, format_, reason in sorted(scored_formats, key=itemgetter(0), reverse=True)
        ]
    if kind := unsupported_kind(opened.objects, is_majority_needed=False):
        raise UnreadableKindError(opened.document.name, kind)
    kind_name = "" if opened.container is DocumentContainer.OBJECT else record_kind(opened.objects)
    problem = (
        f"holds records of {kind_name}, but no conversation"
        if kind_name
        else "is JSON, but not a transcript of a known format"
    )
    names = ", ".join(format_.name for format_ in FORMATS)
    raise InputError(f"{opened.document.name} {problem}.", f"Force a reader with --format; formats: {names}.")


def load_conversation(
    path: Path | str,
    *,
    format: str = "",
    conversation: int = 1,
    branch: int = 1,
    progress: Progress = no_progress,
    stop: StopCheck | None = None,
    on_messages: MessageObserver = ignore_messages,
    shorten: Shorten | None = None,
) -> Conversation:
    """Read one conversation (numbered from 1) of a transcript; "-" is standard input.

    ``format`` forces a reader. Reading ends early, with a warning, once ``stop()`` is true. ``shorten``
    removes long texts from every line before it is parsed (core.formats.common.document). Raises InputError
    for anything that cannot be read.
    """
    return load_with_reason(
        path,
        format=format,
        conversation=conversation,
        branch=branch,
        progress=progress,
        stop=stop,
        on_messages=on_messages,
        shorten=shorten,
    )[0]


def load_with_reason(
    path: Path | str,
    *,
    format: str = "",
    conversation: int = 1,
    branch: int = 1,
    progress: Progress = no_progress,
    stop: StopCheck | None = None,
    on_messages: MessageObserver = ignore_messages,
    shorten: Shorten | None = None,
) -> tuple[Conversation, Format, str]:
    """Do as ``load_conversation``, and return the format and why it was chosen."""
    request = ReadRequest(conversation, branch, progress, stop or never_stop, on_messages)
    choose_format = partial(_choose_format, format)
    opened = replace(open_transcript(path), shorten=shorten)
    if opened.container is DocumentContainer.ARCHIVE and not _reads_zips(opened, format):
        loaded = read_zip(
            opened, request, choose_format, partial(read_opened, format=format), has_single_conversation
        )
    else:
        loaded = read_opened(opened, request, format=format)
    check_branch(loaded[0].document.name, branch, loaded[0].branch)
    return loaded


def read_opened(
    opened: OpenedDocument, request: ReadRequest, *, format: str = ""
) -> tuple[Conversation, Format, str]:
    """Read an open document with the forced format, else with the first fitting one that understands most of
    it. Returns the format and why it was chosen, too. Raises InputError if no format works."""
    if format:
        return _read_with_format(*_choose_format(format, opened), opened, request)
    attempts: list[tuple[Conversation, Format, str]] = []
    for reader, reason in _formats_by_score(opened):
        try:
            attempt = _read_with_format(reader, reason, opened, request)
        except InputError:
            if not attempts:
                raise
            continue
        if attempt[0].number > 1 or _is_understood(attempt[0]):
            return attempt
        attempts.append(attempt)
    if request.stop() or _is_empty(attempts[0][0]):
        return attempts[0]
    raise _not_understood_error(opened, attempts[0][0], attempts[0][1])


def _read_with_format(
    reader: Format, reason: str, opened: OpenedDocument, request: ReadRequest
) -> tuple[Conversation, Format, str]:
    opened = replace(opened, format=reader.name)
    return reader.read(opened, request), reader, reason


def _is_understood(conversation: Conversation) -> bool:
    """Return whether there is something to show and most of it was understood."""
    if not conversation.messages:
        return _is_empty(conversation) and bool(conversation.system.texts or conversation.recorded)
    return not is_mostly_unreadable(conversation)


def _is_empty(conversation: Conversation) -> bool:
    """Return whether a session has no messages but only valid records; its last line may be cut off."""
    report = conversation.report
    return not conversation.messages and len(report.warnings) <= dict(report.skipped).get("not JSON", 0)


def _not_understood_error(opened: OpenedDocument, conversation: Conversation, reader: Format) -> InputError:
    name = opened.document.name
    if kind := unsupported_kind(opened.objects, is_majority_needed=False):
        return UnreadableKindError(name, kind)
    has_understood_messages = any(
        message.speaker is not Speaker.UNKNOWN and message.blocks for message in conversation.messages
    )
    problem = "most of it was not understood" if has_understood_messages else "nothing in it was understood"
    return InputError(
        f"{name} looks like {reader.label}, but {problem}.",
        f"Choose another file; --format {reader.name} shows what was read.",
    )


def _choose_format(format: str, opened: OpenedDocument) -> tuple[Format, str]:
    if not format:
        return detect_format(opened)
    forced = format_by_name(format)
    if forced.score(opened)[0] >= _MIN_SCORE:
        return forced, FORCED_REASON
    return replace(forced, read=partial(_read_with_warning, forced)), FORCED_REASON


def _read_with_warning(forced: Format, opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read with a forced reader a file that looks different; warn, or refuse if nothing is read."""
    conversation = forced.read(opened, request)
    name, likely_format = opened.document.name, _likely_format(opened)
    if not any(type(block) is not Opaque for message in conversation.messages for block in message.blocks):
        hint = f"By content it is {likely_format}." if likely_format else "Choose another format."
        raise InputError(f"Nothing in {name} can be read as {forced.label}.", hint)
    by_content = f"by content it is {likely_format}" if likely_format else "no known format fits it"
    note = ImportNote(0, f"it does not look like {forced.label}, which was chosen by hand; {by_content}")
    report = replace(conversation.report, warnings=(note, *conversation.report.warnings))
    return replace(conversation, report=report)


def _likely_format(opened: OpenedDocument) -> str:
    """Return label and name of the format that fits, "" if none does."""
    try:
        reader = detect_format(opened)[0]
    except InputError:
        return ""
    return f"{reader.label} ({reader.name})"


def has_single_conversation(reader: Format, opened: OpenedDocument) -> bool:
    """Return whether a file surely holds one conversation, by its format or for lack of side chains."""
    if reader.name == CLAUDE_CODE.name:
        return not any(_SIDE_CHAIN.search(line.data) for line in document_lines(opened.document))
    return reader.name in _SINGLE_CONVERSATION


def _reads_zips(opened: OpenedDocument, format: str) -> bool:
    """Return whether a reader accepts this zip itself."""
    readers = (format_by_name(format),) if format else FORMATS
    return any(reader.score(opened)[0] >= _MIN_SCORE for reader in readers)


_METADATA_FIELDS = (
    *("role", "type", "model", "name", "cwd", "version"),
    *("status", "from", "speaker", "source", "kind"),
)
"""Fields whose texts are no content."""
_MAX_REREAD_MESSAGES = 20  # empty messages whose records are read again
_READABLE_KINDS = ("search_result", "document")  # kinds of opaque block whose words exporters know
_ENCRYPTED_WORDS = ("encrypted", "redacted", "signature", "compaction")
"""Words in the kind or fields of content that its provider encrypted or redacted."""


def is_mostly_unreadable(conversation: Conversation) -> bool:
    """Return whether most messages have no known speaker, or no content although their record has words.
    Content closed by its provider is content. Records are read again only if that may decide."""
    messages, document = conversation.messages, conversation.document
    unknown_messages = [
        message for message in messages if message.speaker is Speaker.UNKNOWN or _is_opaque(message)
    ]
    if 2 * len(unknown_messages) > len(messages):
        return True
    empty_messages = [
        m for m in messages if m.speaker is not Speaker.UNKNOWN and not any(map(_has_content, m.blocks))
    ]
    empty_messages = [message for message in empty_messages if not _is_opaque(message)]
    if 2 * (len(unknown_messages) + len(empty_messages)) <= len(messages):
        return False
    return any(_has_text(message, document) for message in empty_messages[:_MAX_REREAD_MESSAGES])


def _is_opaque(message: Message) -> bool:
    """Return whether a message holds only words that were not understood."""
    if any(map(_has_content, message.blocks)):
        return False
    return any(isinstance(block, Opaque) and _has_words(block.raw) for block in message.blocks)


def _has_content(block: Json) -> bool:
    if isinstance(block, Text):
        return bool(block.text.strip())
    if isinstance(block, Thinking):
        return bool(block.text.strip() or block.extra)
    if type(block) is Opaque:
        return block.tokens is not None or block.kind in _READABLE_KINDS or _is_encrypted(block)
    return True


def _is_encrypted(block: Opaque) -> bool:
    names = (block.kind, *block.raw) if isinstance(block.raw, dict) else (block.kind,)
    return any(word in name for name in names for word in _ENCRYPTED_WORDS)


def _has_text(message: Message, document: SourceDocument) -> bool:
    """Return whether the record of a message without content holds words."""
    try:
        records = (parse_bytes(read_source(document, source)) for source in message.sources)
        return any(_has_words(record.value) for record in records if not record.error)
    except InputError:
        return False


def _is_metadata_field(name: str) -> bool:
    return name in _METADATA_FIELDS or name.lower().endswith(
        ("id", "_at", "time", "timestamp", "type", "agent")
    )


def _has_words(value: Json) -> bool:
    if isinstance(value, dict):
        return any(_has_words(item) for name, item in value.items() if not _is_metadata_field(name))
    if isinstance(value, list):
        return any(map(_has_words, value))
    return isinstance(value, str) and bool(value.strip())
