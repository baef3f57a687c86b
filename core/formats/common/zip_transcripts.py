"""Reads a zip of transcripts: a single one is opened, of several each conversation is listed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from core.common.crash_report import item_problem
from core.common.errors import InputError
from core.formats.common.archives import member_document, open_archive
from core.formats.common.document import (
    DocumentContainer,
    OpenedDocument,
    open_container,
)
from core.formats.common.format import Format, ReadRequest, ignore_messages
from core.formats.common.message_lists import check_number
from core.formats.common.messages import plain_line
from core.formats.common.open_document import (
    UnreadableKindError,
    document_lines,
    utf8_document,
)
from core.transcript.model import Conversation, ImportNote, ListedConversation

ConversationChooser: TypeAlias = Callable[[OpenedDocument], tuple[Format, str]]
"""Returns the reader of an opened document and the reason. Raises InputError if none fits."""
ConversationReader: TypeAlias = Callable[
    [OpenedDocument, ReadRequest], tuple[Conversation, Format, str]
]
"""Returns a conversation of an opened document, its reader and the reason. Raises InputError."""
# Counting the conversations of these would mean to read each file whole.
_SINGLE_CONVERSATION = ("codex_rollout", "gemini_cli", "pi_agent")
_SIDE_CHAIN = re.compile(rb'"isSidechain"\s*:\s*true')
"""Marks a sub-agent's line in a Claude Code session."""
_OPENCODE_SESSION = re.compile(r"(^|/)session/[^/]+/ses_[^/]*\.json$")
_OPENCODE_MESSAGE = re.compile(r"(^|/)message/ses_[^/]*/msg_[^/]*\.json$")
_MAX_NAMED_FILES = 3  # files of a zip that are no transcripts and are named
_FILE_KIND = "file"


@dataclass(slots=True)
class _ZipSearch:
    """The results of a search. ``conversations`` are those of the zip, each with the name of its
    file; ``rejected`` are files that are no transcripts or could not be read, with the reason,
    ``refusals`` what to say of the latter. ``first_loaded`` is the wanted conversation if it is the
    first of its file, which the search reads anyway."""

    conversations: list[tuple[str, ListedConversation]] = field(default_factory=list)
    transcript_count: int = 0
    locked_count: int = 0
    rejected: list[tuple[str, InputError]] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    first_loaded: tuple[Conversation, Format, str] | None = None

    def refuse(self, name: str, error: InputError) -> None:
        """Note a file that is damaged, or that a reader refused."""
        self.rejected.append((name, error))
        self.refusals.append(
            f"{name} in the zip was not read: {error.message.rstrip('.')}"
        )


def read_zip(
    file: OpenedDocument,
    request: ReadRequest,
    choose_format: ConversationChooser,
    read_conversation: ConversationReader,
) -> tuple[Conversation, Format, str]:
    """Read one conversation of a zip, with its reader and the reason. Raises InputError if there is
    none. A file with many conversations adds all of them, in the order of the zip."""
    _refuse_store(file)
    search = _search(file, request, choose_format, read_conversation)
    if not search.conversations:
        raise _no_transcript_error(file, search)
    check_number(file.document.name, request.conversation, len(search.conversations))
    member_name, entry = search.conversations[request.conversation - 1]
    if search.first_loaded is None:
        member = next(item for item in file.members if item.name == member_name)
        with open_archive(file.document) as archive:
            inner = open_container(
                utf8_document(member_document(file.document, member, archive))
            )
        search.first_loaded = read_conversation(
            inner, replace(request, conversation=entry.number)
        )
    conversation, reader, reason = search.first_loaded
    conversation = replace(
        conversation, layout={**conversation.layout, "member": member_name}
    )
    if search.transcript_count > 1:
        conversation = replace(
            conversation,
            number=request.conversation,
            siblings=len(search.conversations),
            listed=_zip_entries(search, member_name),
        )
    return (
        _with_zip_notes(conversation, search),
        reader,
        f"{plain_line(member_name)} in the zip: {reason}",
    )


def _refuse_store(file: OpenedDocument) -> None:
    """Raise InputError for a zip of opencode's storage folder, which keeps messages and their parts
    in files beside the session."""
    names = [member.name for member in file.members]
    has_sessions = any(map(_OPENCODE_SESSION.search, names))
    if has_sessions and any(map(_OPENCODE_MESSAGE.search, names)):
        raise InputError(
            f"{file.document.name} is opencode's storage folder, whose sessions are in many files.",
            "Unpack it and open the session's file in storage/session, or choose the file that"
            ' "opencode export" writes.',
        )


def _search(
    file: OpenedDocument,
    request: ReadRequest,
    choose_format: ConversationChooser,
    read_conversation: ConversationReader,
) -> _ZipSearch:
    """Find the transcripts in a zip by content; files with several conversations are read to count
    them."""
    unlocked = [member for member in file.members if not member.is_locked]
    search = _ZipSearch(locked_count=len(file.members) - len(unlocked))
    with open_archive(file.document) as archive:
        for index, member in enumerate(unlocked):
            request.progress(
                index / len(unlocked), f"looking into {plain_line(member.name)}"
            )
            if request.stop():
                break
            try:
                member_source = member_document(file.document, member, archive)
            except InputError as error:
                search.refuse(member.name, error)
                continue
            try:
                inner = open_container(utf8_document(member_source))
                reader, _ = _choose_reader(inner, choose_format)
            except InputError as error:
                search.rejected.append((member.name, error))
                continue
            if _has_single_conversation(reader, inner):
                search.transcript_count += 1
                search.conversations.append(
                    (member.name, ListedConversation(1, "", None, _FILE_KIND))
                )
            else:
                file_request = _partial_request(request, index, len(unlocked))
                _add_file(inner, member.name, file_request, read_conversation, search)
    return search


def _has_single_conversation(reader: Format, file: OpenedDocument) -> bool:
    """Return whether a file surely holds one conversation, by its format or for lack of side
    chains."""
    # Only side chains make a second conversation, and they are found without parsing.
    if reader.name == "claude_code":
        return not any(
            _SIDE_CHAIN.search(line.data) for line in document_lines(file.document)
        )
    return reader.name in _SINGLE_CONVERSATION


def _add_file(
    inner: OpenedDocument,
    name: str,
    request: ReadRequest,
    read_conversation: ConversationReader,
    search: _ZipSearch,
) -> None:
    # The search reads the file anyway, so the wanted conversation is kept.
    is_wanted = (
        request.conversation == len(search.conversations) + 1 and request.branch == 1
    )
    on_messages = request.on_messages if is_wanted else ignore_messages
    try:
        loaded = read_conversation(
            inner, replace(request, conversation=1, branch=1, on_messages=on_messages)
        )
    except InputError as error:
        search.refuse(name, error)
        return
    except Exception as error:  # one file does not end the list
        search.refuse(name, InputError(item_problem(error)))
        return
    conversation = loaded[0]
    search.transcript_count += 1
    entries = {entry.number: entry for entry in conversation.listed}
    if conversation.siblings == 1:
        entries = {1: ListedConversation(1, "", len(conversation.messages), _FILE_KIND)}
    for number in range(1, conversation.siblings + 1):
        search.conversations.append(
            (name, entries.get(number, ListedConversation(number, "")))
        )
    if is_wanted:
        search.first_loaded = loaded


def _choose_reader(
    inner: OpenedDocument, choose_format: ConversationChooser
) -> tuple[Format, str]:
    """Return the reader; a file that is itself a zip must be a log, not a zip of other files."""
    try:
        # An .eval log is a zip by itself and may be inside of one.
        return choose_format(inner)
    except InputError as error:
        if inner.container is not DocumentContainer.ARCHIVE:
            raise
        raise InputError(
            f"{inner.document.name} is a zip inside a zip.", error.hint
        ) from error


def _partial_request(request: ReadRequest, index: int, count: int) -> ReadRequest:
    def report(fraction: float, text: str) -> None:
        request.progress((index + fraction) / count, text)

    return replace(request, progress=report)


def _zip_entries(
    search: _ZipSearch, opened_file: str
) -> tuple[ListedConversation, ...]:
    """Return the picker's entries. A call links only to sub-agents of its own file."""
    return tuple(
        replace(
            entry,
            number=number,
            title=f"{plain_line(member_name)}: {entry.title}"
            if entry.title
            else plain_line(member_name),
            # Ids of calls are unique in their own file only.
            call_id=entry.call_id if member_name == opened_file else "",
        )
        for number, (member_name, entry) in enumerate(search.conversations, 1)
    )


def _no_transcript_error(file: OpenedDocument, search: _ZipSearch) -> InputError:
    name, errors = file.document.name, [error for _, error in search.rejected]
    if not file.members:
        return InputError(
            f"{name} is a zip without a file in it.",
            "Choose a zip that holds a transcript.",
        )
    if search.locked_count and not errors:
        return InputError(
            f"{name} is locked with a password.",
            "Unpack it, then open a transcript inside.",
        )
    unsupported = next(
        (error for error in errors if isinstance(error, UnreadableKindError)), None
    )
    if unsupported:
        return InputError(
            f"{name} holds no transcript: {unsupported.message}", unsupported.hint
        )
    if len(errors) == 1:
        return InputError(
            f"{name} holds no transcript: {errors[0].message}",
            "Unpack it and open a transcript inside.",
        )
    return InputError(
        f"{name} holds no transcript among its {len(file.members):,} files.",
        "Unpack it, then open a file with --format if you know what it is.",
    )


def _with_zip_notes(conversation: Conversation, search: _ZipSearch) -> Conversation:
    report = conversation.report
    count = len(search.rejected)
    if count:
        names = ", ".join(
            plain_line(name) for name, _ in search.rejected[:_MAX_NAMED_FILES]
        )
        kind = (
            f"file in the zip that is not a transcript: "
            f"{names}{', …' if count > _MAX_NAMED_FILES else ''}"
        )
        report = replace(report, skipped=(*report.skipped, (kind, count)))
    texts = list(search.refusals)
    if search.locked_count:
        plural = "s of the zip are" if search.locked_count > 1 else " of the zip is"
        texts.insert(0, f"{search.locked_count} file{plural} locked with a password")
    notes = (ImportNote(0, plain_line(text)) for text in texts)
    return replace(
        conversation, report=replace(report, warnings=(*notes, *report.warnings))
    )
