"""Reads a zip of transcripts: a single one is opened, of several each conversation is listed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from core.common.errors import InputError
from core.formats.common.archives import member_document, open_archive
from core.formats.common.document import DocumentContainer, OpenedDocument, open_container
from core.formats.common.format import Format, ReadRequest, ignore_messages
from core.formats.common.import_notes import plain_line
from core.formats.common.message_lists import check_number
from core.formats.common.open_document import utf8_document
from core.formats.common.unsupported_formats import UnreadableKindError
from core.transcript.model import (
    Conversation,
    ImportNote,
    ImportReport,
    ListedConversation,
    Progress,
    SourceDocument,
)

ConversationChooser: TypeAlias = Callable[[OpenedDocument], tuple[Format, str]]
"""Returns the reader of an opened document and the reason. Raises InputError if none fits."""
ConversationReader: TypeAlias = Callable[[OpenedDocument, ReadRequest], tuple[Conversation, Format, str]]
"""Returns a conversation of an opened document, its reader and the reason. Raises InputError."""
IsSingle: TypeAlias = Callable[[Format, OpenedDocument], bool]
"""Returns whether a file of that format surely holds one conversation, without reading it."""
_MAX_NAMED_FILES = 3  # files of a zip that are no transcripts and are named
_FILE_KIND = "file"


@dataclass(frozen=True, slots=True)
class _ZippedConversation:
    """A conversation of the zip: the file that holds it, its number there, its entry in that file's list."""

    file: str
    number: int
    entry: ListedConversation


@dataclass(slots=True)
class _ZipSearch:
    """The results of a search. ``first_loaded`` is the wanted conversation if it is the first of its
    file, which the search reads anyway."""

    conversations: list[_ZippedConversation] = field(default_factory=list)
    transcript_count: int = 0
    other_files: list[str] = field(default_factory=list)  # names of files that are no transcripts
    locked_count: int = 0
    unsupported: UnreadableKindError | None = None  # the first file of a known kind without a reader
    last_reason: str = ""  # why the last of ``others`` is no transcript
    refusals: list[str] = field(default_factory=list)  # why files that seemed transcripts were not read
    first_loaded: tuple[Conversation, Format, str] | None = None

    def add_other_file(self, file_name: str, error: InputError) -> None:
        """Note a file that is no transcript."""
        self.other_files.append(plain_line(file_name))
        self.last_reason = error.message
        if self.unsupported is None and isinstance(error, UnreadableKindError):
            self.unsupported = error

    def add_unreadable_file(self, name: str, error: InputError) -> None:
        """Note a file that is damaged, or that a reader refused."""
        self.add_other_file(name, error)
        self.refusals.append(f"{name} in the zip was not read: {error.message.rstrip('.')}")


def read_zip(
    opened: OpenedDocument,
    request: ReadRequest,
    choose_format: ConversationChooser,
    read_conversation: ConversationReader,
    is_single: IsSingle,
) -> tuple[Conversation, Format, str]:
    """Read one conversation of a zip, with its reader and the reason. Raises InputError if there is none. A
    file with many conversations adds all of them, in the order of the zip."""
    search = _search(opened, request, choose_format, read_conversation, is_single)
    if not search.conversations:
        raise _no_transcript_error(opened, search)
    check_number(opened.document.name, request.conversation, len(search.conversations))
    selected = search.conversations[request.conversation - 1]
    if search.first_loaded is None:
        member = next(item for item in opened.members if item.name == selected.file)
        with open_archive(opened.document) as archive:
            inner = _open_member(member_document(opened.document, member, archive))
        search.first_loaded = read_conversation(inner, replace(request, conversation=selected.number))
    conversation, reader, reason = search.first_loaded
    conversation = replace(conversation, layout={**conversation.layout, "member": selected.file})
    if search.transcript_count > 1:
        conversation = replace(
            conversation,
            number=request.conversation,
            siblings=len(search.conversations),
            listed=tuple(
                _zip_entry(number, item, selected) for number, item in enumerate(search.conversations, 1)
            ),
        )
    return _with_zip_notes(conversation, search), reader, f"{plain_line(selected.file)} in the zip: {reason}"


def _search(
    opened: OpenedDocument,
    request: ReadRequest,
    choose_format: ConversationChooser,
    read_conversation: ConversationReader,
    is_single: IsSingle,
) -> _ZipSearch:
    """Find the transcripts in a zip by content; files with several conversations are read to count them."""
    unlocked = [member for member in opened.members if not member.is_locked]
    search = _ZipSearch(locked_count=len(opened.members) - len(unlocked))
    with open_archive(opened.document) as archive:
        for index, member in enumerate(unlocked):
            request.progress(index / len(unlocked), f"looking into {plain_line(member.name)}")
            if request.stop():
                break
            progress = _partial_progress(request.progress, index / len(unlocked), 1 / len(unlocked))
            file_request = replace(request, progress=progress)
            try:
                member_source = member_document(opened.document, member, archive)
            except InputError as error:
                search.add_unreadable_file(member.name, error)
                continue
            try:
                inner = _open_member(member_source)
                reader, _ = _choose_reader(inner, choose_format)
            except InputError as error:
                search.add_other_file(member.name, error)
                continue
            if is_single(reader, inner):
                search.transcript_count += 1
                search.conversations.append(
                    _ZippedConversation(member.name, 1, ListedConversation(1, "", None, _FILE_KIND))
                )
            else:
                _add_file(inner, member.name, file_request, read_conversation, search)
    return search


def _add_file(
    inner: OpenedDocument,
    name: str,
    request: ReadRequest,
    read_conversation: ConversationReader,
    search: _ZipSearch,
) -> None:
    is_wanted = request.conversation == len(search.conversations) + 1 and request.branch == 1
    file_request = replace(
        request, conversation=1, branch=1, on_messages=request.on_messages if is_wanted else ignore_messages
    )
    try:
        loaded_conversation = read_conversation(inner, file_request)
    except InputError as error:
        search.add_unreadable_file(name, error)
        return
    conversation = loaded_conversation[0]
    search.transcript_count += 1
    entry_by_number = {
        loaded_conversation.number: loaded_conversation for loaded_conversation in conversation.listed
    }
    single_entry = ListedConversation(1, "", len(conversation.messages), _FILE_KIND)
    for number in range(1, conversation.siblings + 1):
        entry = (
            entry_by_number.get(number, ListedConversation(number, ""))
            if conversation.siblings > 1
            else single_entry
        )
        search.conversations.append(_ZippedConversation(name, number, entry))
    if is_wanted:
        search.first_loaded = loaded_conversation


def _open_member(document: SourceDocument) -> OpenedDocument:
    """Open an unpacked file; it may be a log that is itself a zip, but no zip of other files."""
    return open_container(utf8_document(document))


def _choose_reader(inner: OpenedDocument, choose_format: ConversationChooser) -> tuple[Format, str]:
    try:
        return choose_format(inner)
    except InputError as error:
        if inner.container is not DocumentContainer.ARCHIVE:
            raise
        raise InputError(f"{inner.document.name} is a zip inside a zip.", error.hint) from error


def _partial_progress(progress: Progress, start: float, share: float) -> Progress:
    def report(fraction: float, text: str) -> None:
        progress(start + share * fraction, text)

    return report


def _zip_entry(
    number: int, zipped: _ZippedConversation, opened_conversation: _ZippedConversation
) -> ListedConversation:
    """Return the picker's entry. A call links only to sub-agents of its own file."""
    inner_entry = zipped.entry
    name = plain_line(zipped.file)
    title = f"{name}: {inner_entry.title}" if inner_entry.title else name
    call_id = inner_entry.call_id if zipped.file == opened_conversation.file else ""
    return ListedConversation(number, title, inner_entry.messages, inner_entry.kind, call_id)


def _no_transcript_error(opened: OpenedDocument, search: _ZipSearch) -> InputError:
    name = opened.document.name
    if not opened.members:
        return InputError(f"{name} is a zip without a file in it.", "Choose a zip that holds a transcript.")
    if search.locked_count and not search.other_files:
        return InputError(f"{name} is locked with a password.", "Unpack it, then open a transcript inside.")
    if search.unsupported:
        return InputError(
            f"{name} holds no transcript: {search.unsupported.message}", search.unsupported.hint
        )
    if len(search.other_files) == 1 and search.last_reason:
        return InputError(
            f"{name} holds no transcript: {search.last_reason}", "Unpack it and open a transcript inside."
        )
    return InputError(
        f"{name} holds no transcript among its {len(opened.members):,} files.",
        "Unpack it, then open a file with --format if you know what it is.",
    )


def _with_zip_notes(conversation: Conversation, search: _ZipSearch) -> Conversation:
    if search.other_files:
        report = conversation.report
        names = ", ".join(search.other_files[:_MAX_NAMED_FILES]) + (
            ", …" if len(search.other_files) > _MAX_NAMED_FILES else ""
        )
        kind = f"file in the zip that is no transcript: {names}"
        skipped = (*report.skipped, (kind, len(search.other_files)))
        conversation = replace(conversation, report=replace(report, skipped=skipped))
    for text in reversed(search.refusals):
        conversation = _with_warning(conversation, text)
    if search.locked_count:
        plural = "s of the zip are" if search.locked_count > 1 else " of the zip is"
        conversation = _with_warning(
            conversation, f"{search.locked_count} file{plural} locked with a password"
        )
    return conversation


def _with_warning(conversation: Conversation, text: str) -> Conversation:
    report: ImportReport = conversation.report
    return replace(
        conversation, report=replace(report, warnings=(ImportNote(0, plain_line(text)), *report.warnings))
    )
