"""Recorded compactions and other files of a session as compactions with fates."""

from collections import Counter as Tally
from dataclasses import replace

from core.analysis.compare.side_by_side import file_side_by_side, recorded_side_by_side, side_by_side_preview
from core.app.services.side_by_side import notice_of
from core.common.paths import SAMPLES
from core.configuration.layers import SettingLayers
from core.formats.registry import load_conversation
from core.presentation.preview_columns import preview_columns
from core.presentation.ruler.bands import ruler_marks
from core.preview.options import PreviewOptions
from core.preview.preview import compute_preview
from core.tokens.counter import counter_for
from core.transcript.compaction import SURVIVING, Compaction, FateKind
from core.transcript.model import Conversation, Message, MessageFlag, Opaque, RecordedCompaction, Speaker
from core.transcript.scopes import ALL, history_of_scope
from tests.builders import flagged, human

SAMPLE = SAMPLES / "fix-flaky-upload.jsonl"


def _session(summary: Message, kept: tuple[int, ...] = ()) -> Conversation:
    document = load_conversation(SAMPLE).document
    messages = tuple(human(f"message {number}") for number in range(6))
    recorded = RecordedCompaction("summary", 4, summary=(summary,), kept=kept)
    return Conversation("claude_code", document, messages, recorded=(recorded,))


def _fates(compaction: Compaction) -> list[FateKind]:
    return [fate.kind for fate in compaction.fates]


SUMMARY = flagged(MessageFlag.RECORDED_SUMMARY, "what happened so far")


def test_a_recorded_summary_stands_for_what_is_gone() -> None:
    found = recorded_side_by_side(_session(SUMMARY, kept=(3,)), 1)
    assert _fates(found.compaction) == [FateKind.SUMMARISED] * 3 + [FateKind.KEPT]
    assert found.compaction.origins == ((0, 1, 2), (3,))
    assert [one.blocks for one in found.compaction.messages] == [SUMMARY.blocks, human("message 3").blocks]


def test_what_is_encrypted_is_in_no_sum_and_said_to_be() -> None:
    opaque = Message(Speaker.UNKNOWN, (Opaque("compaction", {}),), flags=MessageFlag.RECORDED_SUMMARY)
    conversation = _session(opaque, kept=(1,))
    found = recorded_side_by_side(conversation, 1)
    made = compute_preview(conversation, SettingLayers().resolve(), PreviewOptions("before:1", draft=True))
    shown = side_by_side_preview(made, found, counter_for(made.window.model))
    assert notice_of(found, shown).text.endswith("+ tokens, 1 encrypted message not counted.")
    assert ruler_marks(preview_columns(shown)).after_total == f"{made.count_method.mark}{shown.after_tokens}+"


def test_another_file_of_the_session() -> None:
    conversation = load_conversation(SAMPLE)
    later = replace(conversation, messages=(*conversation.messages[10:], human("one more")))
    found = file_side_by_side(history_of_scope(conversation, ALL), later)
    assert Tally(_fates(found.compaction)) == {FateKind.DROPPED: 10, FateKind.KEPT: 140}
    assert found.compaction.inserted == {140}
    survivors = [fate.kind in SURVIVING for fate in found.compaction.fates]
    told = Tally(index for sources in found.compaction.origins for index in sources)
    assert told == Tally(index for index, survives in enumerate(survivors) if survives)
