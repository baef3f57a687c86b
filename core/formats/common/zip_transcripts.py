"""A zip whose files are transcripts: one is opened as that, of several each conversation is listed."""

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
"""The reader of an opened document and why it was taken; InputError where none fits."""
ConversationReader: TypeAlias = Callable[[OpenedDocument, ReadRequest], tuple[Conversation, Format, str]]
"""A conversation of an opened document, its reader and why it was taken; InputError where none fits."""
IsSingle: TypeAlias = Callable[[Format, OpenedDocument], bool]
"""True where a file of that format is known to hold one conversation, without reading it."""
_NAMED = 3
"""How many files of a zip that are no transcripts are named."""
_FILE = "file"


@dataclass(frozen=True, slots=True)
class _ZippedConversation:
    """A conversation of the zip: the file that holds it, its number there, what its reader listed."""

    file: str
    number: int
    listed: ListedConversation


@dataclass(slots=True)
class _ZipSearch:
    """What a search gathers. ``first`` is the wanted conversation where the search came upon it: the
    first of a file, which is what a reader reads to say how many there are."""

    talks: list[_ZippedConversation] = field(default_factory=list)
    files: int = 0
    others: list[str] = field(default_factory=list)  # names of files that are no transcripts
    locked: int = 0
    named: UnreadableKindError | None = None  # the first file of a known kind that has no reader
    reason: str = ""  # why the last file that is no transcript is none
    unread: list[str] = field(default_factory=list)  # why a file that seemed a transcript is none
    first: tuple[Conversation, Format, str] | None = None

    def pass_over(self, name: str, error: InputError) -> None:
        """Note a file that is no transcript."""
        self.others.append(plain_line(name))
        self.reason = error.message
        if self.named is None and isinstance(error, UnreadableKindError):
            self.named = error

    def miss(self, name: str, error: InputError) -> None:
        """Note a file that is damaged, or that a reader refused."""
        self.pass_over(name, error)
        self.unread.append(f"{name} in the zip was not read: {error.message.rstrip('.')}")


def read_zip(
    opened: OpenedDocument,
    request: ReadRequest,
    choose: ConversationChooser,
    read: ConversationReader,
    is_single: IsSingle,
) -> tuple[Conversation, Format, str]:
    """Read one conversation of a zip, with its reader and why. Raises InputError where there is none.

    A file with many conversations adds all of them, in the order of the zip.
    """
    found = _search(opened, request, choose, read, is_single)
    if not found.talks:
        raise _nothing(opened, found)
    check_number(opened.document.name, request.conversation, len(found.talks))
    talk = found.talks[request.conversation - 1]
    if found.first is None:
        member = next(one for one in opened.members if one.name == talk.file)
        with open_archive(opened.document) as archive:
            inner = _open(find_member(opened.document, member, archive))
        found.first = read(inner, replace(request, conversation=talk.number))
    conversation, reader, why = found.first
    conversation = replace(conversation, layout={**conversation.layout, "member": talk.file})
    if found.files > 1:
        conversation = replace(
            conversation,
            number=request.conversation,
            siblings=len(found.talks),
            listed=tuple(_listed(place, one, talk) for place, one in enumerate(found.talks, 1)),
        )
    return _reported(conversation, found), reader, f"{plain_line(talk.file)} in the zip: {why}"


def _search(
    opened: OpenedDocument,
    request: ReadRequest,
    choose: ConversationChooser,
    read: ConversationReader,
    is_single: IsSingle,
) -> _ZipSearch:
    """Which files of a zip are transcripts, by content; those that may hold several are read and let go."""
    open_ones = [member for member in opened.members if not member.is_locked]
    found = _ZipSearch(locked=len(opened.members) - len(open_ones))
    with open_archive(opened.document) as archive:
        for place, member in enumerate(open_ones):
            request.progress(place / len(open_ones), f"looking into {plain_line(member.name)}")
            if request.stop():
                break
            progress = _part(request.progress, place / len(open_ones), 1 / len(open_ones))
            asked = replace(request, progress=progress)
            try:
                packed = find_member(opened.document, member, archive)
            except InputError as error:
                found.miss(member.name, error)
                continue
            try:
                inner = _open(packed)
                reader, _ = _chosen(inner, choose)
            except InputError as error:
                found.pass_over(member.name, error)
                continue
            if is_single(reader, inner):
                found.files += 1
                found.talks.append(
                    _ZippedConversation(member.name, 1, ListedConversation(1, "", None, _FILE))
                )
            else:
                _look(inner, member.name, asked, read, found)
    return found


def _look(
    inner: OpenedDocument, name: str, request: ReadRequest, read: ConversationReader, found: _ZipSearch
) -> None:
    """Add what one file of a zip holds to what was found."""
    is_wanted = request.conversation == len(found.talks) + 1 and request.branch == 1
    asked = replace(request, conversation=1, branch=1, seen=request.seen if is_wanted else ignore_messages)
    try:
        one = read(inner, asked)
    except InputError as error:
        found.miss(name, error)
        return
    conversation = one[0]
    found.files += 1
    known = {one.number: one for one in conversation.listed}
    alone = ListedConversation(1, "", len(conversation.messages), _FILE)
    for number in range(1, conversation.siblings + 1):
        own = known.get(number, ListedConversation(number, "")) if conversation.siblings > 1 else alone
        found.talks.append(_ZippedConversation(name, number, own))
    if is_wanted:
        found.first = one


def _open(packed: SourceDocument) -> OpenedDocument:
    """A file of a zip as it was unpacked; a log that is itself a zip, too, but no zip of any other files."""
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


def _part(progress: Progress, start: float, share: float) -> Progress:
    """The progress of one file of several."""

    def told(fraction: float, text: str) -> None:
        progress(start + share * fraction, text)

    return told


def _listed(place: int, talk: _ZippedConversation, opened: _ZippedConversation) -> ListedConversation:
    """A conversation of the zip as the picker lists it. A call leads to sub-agents of its own file only."""
    own = talk.listed
    name = plain_line(talk.file)
    title = f"{name}: {own.title}" if own.title else name
    call_id = own.call_id if talk.file == opened.file else ""
    return ListedConversation(place, title, own.messages, own.kind, call_id)


def _nothing(opened: OpenedDocument, found: _ZipSearch) -> InputError:
    name = opened.document.name
    if not opened.members:
        return InputError(f"{name} is a zip without a file in it.", "Choose a zip that holds a transcript.")
    if found.locked and not found.others:
        return InputError(f"{name} is locked with a password.", "Unpack it, then open a transcript inside.")
    if found.named:
        return InputError(f"{name} holds no transcript: {found.named.message}", found.named.hint)
    if len(found.others) == 1 and found.reason:
        return InputError(
            f"{name} holds no transcript: {found.reason}", "Unpack it and open a transcript inside."
        )
    return InputError(
        f"{name} holds no transcript among its {len(opened.members):,} files.",
        "Unpack it, then open a file with --format if you know what it is.",
    )


def _reported(conversation: Conversation, found: _ZipSearch) -> Conversation:
    """The conversation with what else the zip holds in its import report."""
    if found.others:
        report = conversation.report
        names = ", ".join(found.others[:_NAMED]) + (", …" if len(found.others) > _NAMED else "")
        kind = f"file in the zip that is no transcript: {names}"
        skipped = (*report.skipped, (kind, len(found.others)))
        conversation = replace(conversation, report=replace(report, skipped=skipped))
    for text in reversed(found.unread):
        conversation = _warned(conversation, text)
    if found.locked:
        plural = "s of the zip are" if found.locked > 1 else " of the zip is"
        conversation = _warned(conversation, f"{found.locked} file{plural} locked with a password")
    return conversation


def _warned(conversation: Conversation, text: str) -> Conversation:
    report: ImportReport = conversation.report
    return replace(
        conversation, report=replace(report, warnings=(ImportNote(0, plain_line(text)), *report.warnings))
    )
