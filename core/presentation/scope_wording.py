"""Wording of scopes."""

from __future__ import annotations

from collections.abc import Sequence

from core.common import number_format
from core.presentation.model import PickerChoice
from core.presentation.preview_wording import scope_label
from core.tokens.recorded_compactions import MeasuredCompaction
from core.transcript.model import Conversation
from core.transcript.scopes import BEFORE, CURRENT, incomplete_reason, scopes


def scope_choices(
    conversation: Conversation, measured: Sequence[MeasuredCompaction] = ()
) -> tuple[PickerChoice, ...]:
    """Return the picker's scopes, with sizes once counted: "before compaction 1 · 148k"."""
    sizes = {
        f"{BEFORE}{compaction.number}": f" · {number_format.abbreviated(compaction.tokens_before)}"
        for compaction in measured
    }
    return tuple(
        PickerChoice(
            scope, f"{scope_label(scope)}{sizes.get(scope, '')}", incomplete_reason(conversation, scope)
        )
        for scope in scopes(conversation)
    )


def scope_left(conversation: Conversation, number: int) -> str:
    """Return the scope that begins after recorded compaction ``number`` (from 1)."""
    return CURRENT if number == len(conversation.recorded) else f"{BEFORE}{number + 1}"
