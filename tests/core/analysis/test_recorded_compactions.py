"""Recorded compactions by our count: before, after, growth, repeated reads."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.formats.registry import load_conversation
from core.tokens.counter import counter_for
from core.tokens.recorded_compactions import context_growth, measure_compactions
from core.transcript.model import Message, RecordedCompaction
from core.transcript.scopes import history_of_scope
from tests.builders import conversation, exchange, human, talk

SUMMARY = human("what happened so far " * 30)
COUNTER = counter_for("")


def _fold(position: int, *kept: int, **fields: Any) -> RecordedCompaction:
    return replace(RecordedCompaction("summary", position, summary=(SUMMARY,), kept=kept), **fields)


def _clear(position: int, *ids: str) -> RecordedCompaction:
    return RecordedCompaction("microcompact", position, cleared=ids)


def _reads(*paths: str) -> tuple[Message, ...]:
    return tuple(
        one
        for number, path in enumerate(paths)
        for one in exchange(f"{path}-{number}", "Read", f"text of {path} " * 9, file_path=path)
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
        cut = recorded[own.number - 1].position
        left = history_of_scope(
            replace(source, messages=HISTORY[:cut], recorded=recorded[: own.number]), "current"
        )
        assert (own.messages_before, own.tokens_before) == (len(before), COUNTER.messages(before))
        assert (own.messages_after, own.tokens_after) == (len(left.messages), COUNTER.messages(left.messages))


def test_growth_is_as_reported_and_else_by_our_count() -> None:
    small = conversation(*talk(2, "hi"), recorded=(_fold(2),))
    (own,) = measure_compactions(small, COUNTER)
    assert own.tokens_after is not None
    assert own.tokens_before is not None
    assert context_growth(_fold(2), own) == own.tokens_after - own.tokens_before > 0
    assert context_growth(_fold(2, tokens_before=900, tokens_after=100), own) == -800
    assert context_growth(_fold(2), replace(own, tokens_after=None)) is None


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
    before, current = (history_of_scope(source, scope) for scope in ("before:1", "current"))
    assert (own.messages_before, own.tokens_before) == (
        len(before.messages),
        COUNTER.messages(before.messages),
    )
    assert (own.messages_after, current.positions[0]) == (1, -1)
    assert (own.repeated_reads, own.reads) == reads
