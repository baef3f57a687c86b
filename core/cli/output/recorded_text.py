"""What recorded compactions did, under their table in ``foldline inspect``."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from core.analysis.compare.rows import recorded_preview
from core.analysis.losses.losses_of import losses_of
from core.analysis.losses.model import Losses
from core.cli.opened_transcript import OpenedConversation
from core.cli.output.console import WIDTH, aligned_table
from core.common.excerpts import one_line_text
from core.facts.model import FactKind
from core.presentation.losses_page import fact_note
from core.presentation.losses_words import KIND_NAMES, losses_sentences
from core.transcript.scopes import BEFORE, history_of_scope

_EXPLAINED = 3  # the newest ones
_TOP, _MAX_FACT = 5, 80
_KINDS = (FactKind.YOUR_MESSAGE, FactKind.INSTRUCTION, FactKind.OPEN_ERROR, FactKind.TODO)


def explained_compactions(opened: OpenedConversation) -> Iterator[str]:
    """Yield what the newest recorded compactions left out of their summaries word for word, the worst first,
    and what the turns that followed used of it."""
    recorded = opened.conversation.recorded
    for number in range(max(1, len(recorded) - _EXPLAINED + 1), len(recorded) + 1):
        is_known = not recorded[number - 1].is_source_lost
        if is_known and history_of_scope(opened.conversation, f"{BEFORE}{number}").messages:
            yield from _explained(opened, number)


def _explained(opened: OpenedConversation, number: int) -> Iterator[str]:
    source = opened.analysis_input().offline
    preview = recorded_preview(source, number)
    losses = losses_of(preview, source.stages)
    yield ""
    yield f"  What recorded compaction {number} left"
    for sentence in losses_sentences(losses)[1:]:  # the sizes are in the table
        yield from textwrap.wrap(
            sentence, WIDTH, initial_indent="    ", subsequent_indent="      ", break_on_hyphens=False
        )
    yield from aligned_table(_worst(losses), indent="    ")


def _worst(losses: Losses) -> list[tuple[str, str, str]]:
    """Return what is not there word for word of messages, instructions, errors and to-dos."""
    changed = [one for one in losses.worst_first if one.fact.kind in _KINDS]
    return [
        (KIND_NAMES[one.fact.kind][0], fact_note(one), one_line_text(one.fact.text, _MAX_FACT))
        for one in changed[:_TOP]
    ]
