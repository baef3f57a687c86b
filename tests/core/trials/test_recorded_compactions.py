"""Recorded compactions: by our count, and as compactions with fates; other files of a session."""

from collections import Counter as Tally
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.app.services.side_by_side import notice_of
from core.common.paths import SAMPLES
from core.formats.registry import load_conversation
from core.presentation.preview_columns import preview_columns
from core.presentation.ruler.bands import ruler_totals
from core.preview.options import PreviewOptions
from core.preview.preview import compute_preview
from core.settings_store.layers import SettingLayers
from core.tokens.counter import counter_for
from core.tokens.recorded_compactions import context_growth, measure_compactions
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import (
    Conversation,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    ReportedUsage,
    Speaker,
)
from core.transcript.scopes import ALL, history_of_scope
from core.trials.side_by_side import (
    file_side_by_side,
    recorded_side_by_side,
    side_by_side_preview,
)
from tests.support.builders import (
    SURVIVING,
    conversation,
    exchange,
    flagged,
    human,
    talk,
)

SUMMARY = human("what happened so far " * 30)
COUNTER = counter_for("")


def _fold(position: int, *kept: int, **fields: Any) -> RecordedCompaction:
    return replace(
        RecordedCompaction(
            kind="summary", boundary=position, summary=(SUMMARY,), kept=kept
        ),
        **fields,
    )


def _clear(position: int, *ids: str) -> RecordedCompaction:
    return RecordedCompaction(kind="microcompact", boundary=position, cleared=ids)


def _reads(*paths: str) -> tuple[Message, ...]:
    return tuple(
        one
        for number, path in enumerate(paths)
        for one in exchange(
            f"{path}-{number}", "Read", f"text of {path} " * 9, file_path=path
        )
    )


HISTORY = (*_reads("a", "b", "c"), *talk(4), *_reads("a"), *talk(3))
CASES = {
    "one summary": (_fold(4),),
    "kept messages and a second one": (_fold(6, 2, 3), _fold(9, 3)),
    "results cleared, then a summary that keeps some": (
        _clear(6, "a-0", "b-1"),
        _fold(8, 1),
        _clear(11, "a-0"),
    ),
    "an order of its own": (_fold(4), _fold(8, context_after=(1, SUMMARY, 3))),
    "a result inside what was replaced": (
        _clear(6, "c-2"),
        _fold(8, context_after=(HISTORY[5],)),
        _clear(9, "c-2"),
    ),
    "twice at one place": (_fold(6), _clear(6, "a-0")),
}


@pytest.mark.parametrize("name", CASES)
def test_it_counts_what_the_scopes_show(name: str) -> None:
    recorded = CASES[name]
    source = conversation(*HISTORY, recorded=recorded)
    for own in measure_compactions(source, COUNTER):
        before = history_of_scope(source, f"before:{own.number}").messages
        cut = recorded[own.number - 1].boundary
        left = history_of_scope(
            replace(source, messages=HISTORY[:cut], recorded=recorded[: own.number]),
            "current",
        )
        assert (own.messages_before, own.tokens_before) == (
            len(before),
            COUNTER.messages(before),
        )
        assert (own.messages_after, own.tokens_after) == (
            len(left.messages),
            COUNTER.messages(left.messages),
        )


def test_growth_is_as_reported_and_else_by_our_count() -> None:
    small = conversation(*talk(2, "hi"), recorded=(_fold(2),))
    (own,) = measure_compactions(small, COUNTER)
    assert own.tokens_after is not None
    assert own.tokens_before is not None
    assert context_growth(_fold(2), own) == own.tokens_after - own.tokens_before > 0
    assert context_growth(_fold(2, tokens_before=900, tokens_after=100), own) == -800
    assert context_growth(_fold(2), replace(own, tokens_after=None)) is None


def test_the_next_reported_request_stands_for_a_size_after() -> None:
    requests = (ReportedUsage(1, 900), ReportedUsage(3, 400), ReportedUsage(5, 500))
    source = conversation(*talk(3, "hi"), recorded=(_fold(2),))
    source = replace(source, usage=requests)
    (own,) = measure_compactions(source, COUNTER)
    assert own.next_request == 400
    recorded = replace(source, recorded=(_fold(2, tokens_after=100),))
    assert [one.next_request for one in measure_compactions(recorded, COUNTER)] == [
        None
    ]


@pytest.mark.parametrize(
    ("name", "reads"),
    [
        ("14_vscode-copilot-chat", (0, 0)),
        ("32_cipher-box", (1, 1)),
        ("35_packmind-context-evaluator", (2, 2)),
        ("36_entire-cli", (6, 7)),
    ],
)
def test_real_sessions(corpus: Path, name: str, reads: tuple[int, int]) -> None:
    source = load_conversation(corpus / "claude_code" / f"{name}.jsonl")
    (own,) = measure_compactions(source, COUNTER)
    before, current = (
        history_of_scope(source, scope) for scope in ("before:1", "current")
    )
    assert (own.messages_before, own.tokens_before) == (
        len(before.messages),
        COUNTER.messages(before.messages),
    )
    assert (own.messages_after, current.indices[0]) == (1, -1)
    assert (own.repeated_reads, own.reads) == reads


SAMPLE = SAMPLES / "fix-flaky-upload.jsonl"


def _session(summary: Message, kept: tuple[int, ...] = ()) -> Conversation:
    document = load_conversation(SAMPLE).document
    messages = tuple(human(f"message {number}") for number in range(6))
    recorded = RecordedCompaction(
        kind="summary", boundary=4, summary=(summary,), kept=kept
    )
    return Conversation(
        format="claude_code", document=document, messages=messages, recorded=(recorded,)
    )


def _fates(compaction: Compaction) -> list[FateKind]:
    return [fate.kind for fate in compaction.fates]


TOLD = flagged(MessageFlag.RECORDED_SUMMARY, "what happened so far")


def test_a_recorded_summary_stands_for_what_is_gone() -> None:
    found = recorded_side_by_side(_session(TOLD, kept=(3,)), 1)
    assert _fates(found.compaction) == [FateKind.SUMMARISED] * 3 + [FateKind.KEPT]
    assert found.compaction.origins == ((0, 1, 2), (3,))
    assert [one.blocks for one in found.compaction.messages] == [
        TOLD.blocks,
        human("message 3").blocks,
    ]


def test_what_is_encrypted_is_in_no_sum_and_said_to_be() -> None:
    opaque = Message(
        speaker=Speaker.UNKNOWN,
        blocks=(Opaque("compaction", {}),),
        flags=MessageFlag.RECORDED_SUMMARY,
    )
    session = _session(opaque, kept=(1,))
    found = recorded_side_by_side(session, 1)
    made = compute_preview(
        session,
        SettingLayers().resolve(),
        PreviewOptions(scope="before:1", provisional=True),
    )
    shown = side_by_side_preview(made, found)
    assert notice_of(found, shown).text.endswith(
        "+ tokens, 1 unreadable message not counted."
    )
    assert (
        ruler_totals(preview_columns(shown)).after_total
        == f"{made.sizes.count_method.mark}{shown.sizes.after_tokens}+"
    )


def test_another_file_of_the_session() -> None:
    whole = load_conversation(SAMPLE)
    later = replace(whole, messages=(*whole.messages[10:], human("one more")))
    found = file_side_by_side(history_of_scope(whole, ALL), later)
    assert Tally(_fates(found.compaction)) == {FateKind.DROPPED: 10, FateKind.KEPT: 140}
    assert found.compaction.inserted == {140}
    survivors = [fate.kind in SURVIVING for fate in found.compaction.fates]
    told = Tally(index for sources in found.compaction.origins for index in sources)
    assert told == Tally(index for index, survives in enumerate(survivors) if survives)


def test_before_a_compaction_that_begins_a_file_nothing_is_counted() -> None:
    session = conversation(*HISTORY, recorded=(_fold(0),))
    (measured,) = measure_compactions(session, COUNTER)
    assert (measured.messages_before, measured.tokens_before) == (None, None)
    assert context_growth(session.recorded[0], measured) is None
