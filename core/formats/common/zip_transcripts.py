"""Reads a zip of transcripts: a single one is opened, of several each conversation is listed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from core.common.errors import InputError
from core.formats.common.archives import archive_members, find_member, open_archive
from core.formats.common.conversation_list import check_number
from core.formats.common.document import DocumentContainer, OpenedDocument, open_text
from core.formats.common.format import Format, ReadRequest, ignore_messages
from core.formats.common.import_notes import plain_line
from core.formats.common.open_document import is_zip, settled_document
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
_NAMED = 3  # files of a zip that are no transcripts and are named
_FILE = "file"


@dataclass(frozen=True, slots=True)
class _ZippedConversation:
    """A conversation of the zip: the file that holds it, its number there, its entry in that file's list."""

    file: str
    number: int
    listed: ListedConversation


@dataclass(slots=True)
class _ZipSearch:
    """The results of a search. ``first`` is the wanted conversation if it is the first of its file, which the
    search reads anyway."""

    conversations: list[_ZippedConversation] = field(default_factory=list)
    files: int = 0
    others: list[str] = field(default_factory=list)  # names of files that are no transcripts
    locked: int = 0
    unsupported: UnreadableKindError | None = None  # the first file of a known kind without a reader
    last_reason: str = ""  # why the last of ``others`` is no transcript
    refused: list[str] = field(default_factory=list)  # why files that seemed transcripts were not read
    first: tuple[Conversation, Format, str] | None = None

    def pass_over(self, name: str, error: InputError) -> None:
        """Note a file that is no transcript."""
        self.others.append(plain_line(name))
        self.last_reason = error.message
        if self.unsupported is None and isinstance(error, UnreadableKindError):
            self.unsupported = error

    def miss(self, name: str, error: InputError) -> None:
        """Note a file that is damaged, or that a reader refused."""
        self.pass_over(name, error)
        self.refused.append(f"{name} in the zip was not read: {error.message.rstrip('.')}")


def read_zip(
    opened: OpenedDocument,
    request: ReadRequest,
    choose: ConversationChooser,
    read: ConversationReader,
    is_single: IsSingle,
) -> tuple[Conversation, Format, str]:
    """Read one conversation of a zip, with its reader and the reason. Raises InputError if there is none. A
    file with many conversations adds all of them, in the order of the zip."""
    search = _search(opened, request, choose, read, is_single)
    if not search.conversations:
        raise _no_transcript_error(opened, search)
    check_number(opened.document.name, request.conversation, len(search.conversations))
    entry = search.conversations[request.conversation - 1]
    if search.first is None:
        member = next(item for item in opened.members if item.name == entry.file)
        with open_archive(opened.document) as archive:
            inner = _open(find_member(opened.document, member, archive))
        search.first = read(inner, replace(request, conversation=entry.number))
    conversation, reader, why = search.first
    conversation = replace(conversation, layout={**conversation.layout, "member": entry.file})
    if search.files > 1:
        conversation = replace(
            conversation,
            number=request.conversation,
            siblings=len(search.conversations),
            listed=tuple(
                _listed_in_zip(place, item, entry) for place, item in enumerate(search.conversations, 1)
            ),
        )
    return _with_zip_notes(conversation, search), reader, f"{plain_line(entry.file)} in the zip: {why}"


def _search(
    opened: OpenedDocument,
    request: ReadRequest,
    choose: ConversationChooser,
    read: ConversationReader,
    is_single: IsSingle,
) -> _ZipSearch:
    """Find the transcripts in a zip by content; files with several conversations are read to count them."""
    unlocked = [member for member in opened.members if not member.is_locked]
    search = _ZipSearch(locked=len(opened.members) - len(unlocked))
    with open_archive(opened.document) as archive:
        for place, member in enumerate(unlocked):
            request.progress(place / len(unlocked), f"looking into {plain_line(member.name)}")
            if request.stop():
                break
            progress = _partial_progress(request.progress, place / len(unlocked), 1 / len(unlocked))
            file_request = replace(request, progress=progress)
            try:
                packed = find_member(opened.document, member, archive)
            except InputError as error:
                search.miss(member.name, error)
                continue
            try:
                inner = _open(packed)
                reader, _ = _chosen(inner, choose)
            except InputError as error:
                search.pass_over(member.name, error)
                continue
            if is_single(reader, inner):
                search.files += 1
                search.conversations.append(
                    _ZippedConversation(member.name, 1, ListedConversation(1, "", None, _FILE))
                )
            else:
                _add_file(inner, member.name, file_request, read, search)
    return search


def _add_file(
    inner: OpenedDocument, name: str, request: ReadRequest, read: ConversationReader, search: _ZipSearch
) -> None:
    is_wanted = request.conversation == len(search.conversations) + 1 and request.branch == 1
    file_request = replace(
        request, conversation=1, branch=1, on_messages=request.on_messages if is_wanted else ignore_messages
    )
    try:
        loaded = read(inner, file_request)
    except InputError as error:
        search.miss(name, error)
        return
    conversation = loaded[0]
    search.files += 1
    known = {loaded.number: loaded for loaded in conversation.listed}
    alone = ListedConversation(1, "", len(conversation.messages), _FILE)
    for number in range(1, conversation.siblings + 1):
        entry = known.get(number, ListedConversation(number, "")) if conversation.siblings > 1 else alone
        search.conversations.append(_ZippedConversation(name, number, entry))
    if is_wanted:
        search.first = loaded


def _open(packed: SourceDocument) -> OpenedDocument:
    """Open an unpacked file; it may be a log that is itself a zip, but no zip of other files."""
    inner = settled_document(packed)
    if not is_zip(inner):
        return open_text(inner)
    return OpenedDocument(inner, DocumentContainer.ARCHIVE, (), None, archive_members(inner))


def _chosen(inner: OpenedDocument, choose: ConversationChooser) -> tuple[Format, str]:
    try:
        return choose(inner)
    except InputError as error:
        if inner.container is not DocumentContainer.ARCHIVE:
            raise
        raise InputError(f"{inner.document.name} is a zip inside a zip.", error.hint) from error


def _partial_progress(progress: Progress, start: float, share: float) -> Progress:
    def report(fraction: float, text: str) -> None:
        progress(start + share * fraction, text)

    return report


def _listed_in_zip(
    place: int, zipped: _ZippedConversation, opened: _ZippedConversation
) -> ListedConversation:
    """Return the picker's entry. A call links only to sub-agents of its own file."""
    inner_entry = zipped.listed
    name = plain_line(zipped.file)
    title = f"{name}: {inner_entry.title}" if inner_entry.title else name
    call_id = inner_entry.call_id if zipped.file == opened.file else ""
    return ListedConversation(place, title, inner_entry.messages, inner_entry.kind, call_id)


def _no_transcript_error(opened: OpenedDocument, found: _ZipSearch) -> InputError:
    name = opened.document.name
    if not opened.members:
        return InputError(f"{name} is a zip without a file in it.", "Choose a zip that holds a transcript.")
    if found.locked and not found.others:
        return InputError(f"{name} is locked with a password.", "Unpack it, then open a transcript inside.")
    if found.unsupported:
        return InputError(f"{name} holds no transcript: {found.unsupported.message}", found.unsupported.hint)
    if len(found.others) == 1 and found.last_reason:
        return InputError(
            f"{name} holds no transcript: {found.last_reason}", "Unpack it and open a transcript inside."
        )
    return InputError(
        f"{name} holds no transcript among its {len(opened.members):,} files.",
        "Unpack it, then open a file with --format if you know what it is.",
    )


def _with_zip_notes(conversation: Conversation, found: _ZipSearch) -> Conversation:
    if found.others:
        report = conversation.report
        names = ", ".join(found.others[:_NAMED]) + (", …" if len(found.others) > _NAMED else "")
        kind = f"file in the zip that is no transcript: {names}"
        skipped = (*report.skipped, (kind, len(found.others)))
        conversation = replace(conversation, report=replace(report, skipped=skipped))
    for text in reversed(found.refused):
        conversation = _with_warning(conversation, text)
    if found.locked:
        plural = "s of the zip are" if found.locked > 1 else " of the zip is"
        conversation = _with_warning(conversation, f"{found.locked} file{plural} locked with a password")
    return conversation


def _with_warning(conversation: Conversation, text: str) -> Conversation:
    report: ImportReport = conversation.report
    return replace(
        conversation, report=replace(report, warnings=(ImportNote(0, plain_line(text)), *report.warnings))
    )
