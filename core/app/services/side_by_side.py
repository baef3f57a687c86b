"""The desk's part of showing what really happened: a recorded compaction, or another file."""

from __future__ import annotations

from core.analysis.compare.side_by_side import SideBySide, of_file, of_recorded, preview_of
from core.app.document import OpenFile
from core.app.loading import ProgressReporter
from core.app.messages import CompareFileCommand, ShowRecordedCommand
from core.common import number_format
from core.common.errors import InputError
from core.formats.registry import load_conversation
from core.presentation.model import Notice, NoticeAction
from core.preview.options import Preview
from core.tokens.counter import count_unreported
from core.transcript.alignment import AlignmentStatus
from core.transcript.compaction import FateKind

TOPIC = "beside"
_BACK = NoticeAction("Back to the preview", "preview")


def side_by_side_view(
    file: OpenFile, made: Preview, command: ShowRecordedCommand | CompareFileCommand, watch: ProgressReporter
) -> tuple[SideBySide, Preview]:
    """What a command wants to see beside the history of ``made``, and the preview of it.

    Raises InputError where there is no such compaction, or the other file cannot be read.
    """
    if isinstance(command, ShowRecordedCommand):
        found = of_recorded(file.conversation, command.number)
    else:
        other = load_conversation(command.path, progress=watch.working)
        if other.document.path == file.conversation.document.path:
            raise InputError(f"{other.document.name} is the file that is open.", "Choose another one.")
        found = of_file(made.history, other)
    return found, preview_of(made, found, file.counter_of(made))


def notice_of(found: SideBySide, made: Preview) -> Notice:
    """What is the same and what is not, and the way back."""
    kinds = [fate.kind for fate in found.compaction.fates]
    same, edited = kinds.count(FateKind.KEPT), kinds.count(FateKind.EDITED)
    gone = len(kinds) - same - edited
    new = sum(match is AlignmentStatus.ALONE for match in found.alignment.second)
    parts = [f"{number_format.plural(same, 'message')} the same"] if same else ["No message stayed as it was"]
    parts += [f"{number_format.count(edited)} with other content"] if edited else []
    parts += [f"{number_format.count(gone)} only before"] if gone else []
    parts += [f"{number_format.count(new)} only after"] if new else []
    parts += [f"{number_format.count(found.alignment.moved)} moved"] if found.alignment.moved else []
    hidden = count_unreported(made.compaction.messages, made.after_counts)
    before = number_format.least(
        number_format.short(made.before_tokens), count_unreported(made.messages, made.counts)
    )
    sizes = f"{before} → {number_format.least(number_format.short(made.after_tokens), hidden)} tokens"
    sizes += f", {number_format.plural(hidden, 'encrypted message')} not counted" if hidden else ""
    what = f"The after side is {found.name}."
    return Notice("info", what, f"{', '.join(parts)}; {sizes}.", (_BACK,), topic=TOPIC)


def pair_notice(a: str, b: str, made: Preview) -> Notice:
    """Which result stands on which side, and the way back."""
    what = f"Before is the result of {a}, after is that of {b}."
    return Notice(
        "info", what, _sizes(made), (_BACK, NoticeAction("Back to Compare", "compare")), topic=TOPIC
    )


def turn_notice(name: str, turn: int, made: Preview) -> Notice:
    """What the sides are, and the way back."""
    what = f"Before is all that was said up to turn {turn}, after what {name} had made of it."
    return Notice("info", what, _sizes(made), (_BACK, NoticeAction("Back to Replay", "replay")), topic=TOPIC)


def _sizes(made: Preview) -> str:
    kept = sum(fate.kind is FateKind.KEPT for fate in made.compaction.fates)
    sizes = f"{number_format.short(made.before_tokens)} → {number_format.short(made.after_tokens)} tokens"
    return f"{number_format.plural(kept, 'message')} the same; {sizes}."
