"""Splits the saved tokens by rule."""

from __future__ import annotations

from collections import Counter

from core.common import number_format
from core.presentation.model import LabelledFigure
from core.presentation.preview_columns import KEPT, PreviewColumns


def savings_by_rule(columns: PreviewColumns) -> tuple[tuple[str, int, int], ...]:
    """Return (rule, fate code, tokens saved) of each message's deciding step, most first. A result message
    counts once, with its first source. The fate is the one that saves most."""
    preview = columns.preview
    saved: Counter[tuple[str, int]] = Counter()
    for index, fate in enumerate(columns.fates):
        if fate == KEPT:
            continue
        result_index = columns.result_index[index]
        tokens_left = (
            preview.after_counts[result_index]
            if result_index >= 0 and columns.origin[result_index] == index
            else 0
        )
        saved[preview.compaction.fates[index].last.rule, fate] += preview.counts[index] - tokens_left
    rules: dict[str, tuple[int, int]] = {}
    for (rule, fate), tokens in saved.most_common():
        main_fate, total = rules.get(rule, (fate, 0))
        rules[rule] = (main_fate, total + tokens)
    ordered = sorted(rules.items(), key=lambda item: -item[1][1])
    return tuple((rule, fate, tokens) for rule, (fate, tokens) in ordered if tokens)


def savings_figures(columns: PreviewColumns) -> tuple[LabelledFigure, ...]:
    """Return the parts with bars, and the total as in ruler and lists."""
    preview = columns.preview
    total = preview.before_tokens - preview.after_tokens
    parts = savings_by_rule(columns)
    most = max((1, *(tokens for _, _, tokens in parts)))
    facts = [
        LabelledFigure(rule, number_format.signed(-tokens), "", max(0.0, tokens / most), fate)
        for rule, fate, tokens in parts
    ]
    if inserted := total - sum(tokens for _, _, tokens in parts):
        facts.append(LabelledFigure("inserted", number_format.signed(-inserted)))
    return (*facts, LabelledFigure("together", number_format.signed(-total)))
