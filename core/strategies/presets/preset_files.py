"""Loads presets from TOML files, one each: the keys of a table are the fields of its rule."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.common.errors import InputError
from core.common.typed_values import typed_value
from core.llm.chat_messages import human_text
from core.strategies.base import EmulatedProgram, StrategyContext, Trigger
from core.strategies.draft import DraftEntry, HistoryDraft, with_edited, with_removed
from core.strategies.presets.clear_tool_results import ClearToolResults
from core.strategies.presets.keep_typed import DropOldestWork
from core.strategies.presets.offload_results import OffloadResults
from core.strategies.presets.preset import PassResult, Preset, PresetPass
from core.strategies.presets.preset_summary import SummaryRule
from core.strategies.presets.reinjection import ReinjectRule, retained_messages
from core.strategies.presets.split import SplitRule
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Speaker, Thinking

RULE = "old thinking"
_UNREADABLE = FateStep(
    "opaque",
    FateKind.DROPPED,
    "What stands for it is encrypted; only the server reads it.",
)


@dataclass(frozen=True, slots=True)
class ClearThinking:
    """Removes thinking from all but the newest ``keep_turns`` model messages that have some."""

    keep_turns: int

    def apply(self, context: StrategyContext, draft: HistoryDraft) -> PassResult:
        with_thinking = [
            index
            for index, entry in enumerate(draft.entries)
            if entry.message.speaker is Speaker.AI
            and any(isinstance(b, Thinking) for b in entry.message.blocks)
        ]
        if self.keep_turns > 1:
            turns = f"the newest {self.keep_turns} turns"
        else:
            turns = "the newest turn"
        step = FateStep(
            RULE, FateKind.EDITED, f"Thinking goes beyond {turns} with any."
        )
        changes = {}
        for index in with_thinking[: max(0, len(with_thinking) - self.keep_turns)]:
            message = draft.entries[index].message
            blocks = tuple(
                block for block in message.blocks if not isinstance(block, Thinking)
            )
            if blocks:
                changes[index] = replace(message, blocks=blocks), step
        return PassResult(
            with_edited(draft, changes),
            note="" if changes else f"No thinking lies beyond {turns}.",
        )


@dataclass(frozen=True, slots=True)
class KeepSpoken:
    """Keeps the user's newest messages within ``human_tokens`` and the first context; everything
    else goes. ``note`` is the message that stands for it."""

    human_tokens: int
    note: str

    def apply(self, context: StrategyContext, draft: HistoryDraft) -> PassResult:
        rule = ReinjectRule(human_tokens=self.human_tokens, initial=True)
        by_index = dict(enumerate(draft.messages))
        retained = retained_messages(
            rule, by_index, context.estimate_tokens, context.source_index
        )
        removed = dict.fromkeys(
            (index for index in by_index if index not in retained), _UNREADABLE
        )
        if not removed:
            return PassResult(
                draft,
                note="Every message is the person's own, and those stay as they are.",
            )
        edited = {
            index: kept
            for index, kept in retained.items()
            if kept[1].kind is FateKind.EDITED
        }
        kept_steps = {
            origin: step
            for index, (_, step) in retained.items()
            if index not in edited
            for origin in draft.entries[index].origins
        }
        result = with_removed(with_edited(draft, edited), removed)
        note = DraftEntry(human_text(self.note), (), True)
        return PassResult(replace(result, entries=(*result.entries, note)), kept_steps)


PASSES: Mapping[str, type[PresetPass]] = {
    "clear-results": ClearToolResults,
    "clear-thinking": ClearThinking,
    "keep-spoken": KeepSpoken,
    "keep-typed": DropOldestWork,
    "offload-results": OffloadResults,
}
"""By ``kind`` in a table of [[passes]]; the other keys are the fields of the rule."""


FOLDER = Path(__file__).resolve().parent
"""The folder of the built-in presets, in the repository and in the wheel."""

_PARTS: Mapping[str, Any] = {
    "emulates": EmulatedProgram,
    "split": SplitRule,
    "summary": SummaryRule,
    "reinject": ReinjectRule,
}


def load_preset(path: Path) -> Preset:
    """Return the preset of a file, named after the file. Raises InputError for a faulty file."""
    try:
        table: Any = tomllib.loads(path.read_text("utf-8"))
        trigger = table.pop("trigger")
        trigger = {
            "mode": "threshold",
            "threshold": trigger.pop("share", 1.0),
            **trigger,
            "is_fixed": True,
        }
        passes = [
            typed_value(PASSES[rule.pop("kind")], rule)
            for rule in table.pop("passes", ())
        ]
        parts = {
            key: typed_value(kind, table.pop(key))
            for key, kind in _PARTS.items()
            if key in table
        }
        preset = Preset(
            name=path.stem,
            trigger=typed_value(Trigger, trigger),
            passes=tuple(passes),
            **parts,
            **table,
        )
        if (preset.split is None) is not (preset.summary is None):
            raise ValueError("split and summary go together")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path.name} is not a preset: {error!r}.", "Correct the preset's file."
        ) from error
    return preset
