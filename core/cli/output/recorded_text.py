"""What recorded compactions did, under their table in ``foldline inspect``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.cli.opened_transcript import OpenedConversation
from core.cli.output.tables import aligned_table, paragraph
from core.presentation.recorded_page import explained_rows, explained_sentences
from core.transcript.scopes import BEFORE
from core.trials.side_by_side import ExplainedCompaction, explain_compaction

_EXPLAINED = 3  # the newest ones: each costs as much as the Losses of a result


def explained_compactions(
    transcript: OpenedConversation,
) -> tuple[ExplainedCompaction, ...]:
    """Return the explanations of the newest recorded compactions, and of the one that ends the
    scope."""
    count, scope = len(transcript.conversation.recorded), transcript.scope
    numbers = set(range(max(1, count - _EXPLAINED + 1), count + 1))
    if scope.startswith(BEFORE):
        numbers.add(int(scope.removeprefix(BEFORE)))
    source = transcript.analysis_input()
    return tuple(explain_compaction(source, number) for number in sorted(numbers))


def explained_lines(
    explained: Sequence[ExplainedCompaction], count: int
) -> Iterator[str]:
    """Yield what is not in each result, the worst first, and what the turns that followed used of
    it."""
    for one in explained:
        yield ""
        yield f"  What recorded compaction {one.number} left"
        for sentence in explained_sentences(one):
            yield from paragraph(sentence, "    ", "  ")
        yield from aligned_table(explained_rows(one), indent="    ")
    if len(explained) < count:
        yield ""
        yield f"  The others are explained with --scope {BEFORE}N."
