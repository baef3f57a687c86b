"""Where the saved tokens come from, rule by rule."""

from __future__ import annotations

from collections import Counter

from core.common import number_format
from core.presentation.model import ControlGroup, LabelledFigure
from core.presentation.preview_columns import KEPT, PreviewColumns


def by_rule(shown: PreviewColumns) -> tuple[tuple[str, int, int], ...]:
    """(rule, fate code, tokens saved) of the step that decided each message, most first.

    A result message that stands for several is counted with the first of them, so that the parts
    add up to the whole. The fate is the one through which the rule saves most.
    """
    preview = shown.preview
    saved: Counter[tuple[str, int]] = Counter()
    for index, fate in enumerate(shown.fates):
        if fate == KEPT:
            continue
        place = shown.went[index]
        left = preview.after_counts[place] if place >= 0 and shown.origin[place] == index else 0
        saved[preview.compaction.fates[index].last.rule, fate] += preview.counts[index] - left
    rules: dict[str, tuple[int, int]] = {}
    for (rule, fate), tokens in saved.most_common():
        main, total = rules.get(rule, (fate, 0))
        rules[rule] = (main, total + tokens)
    ordered = sorted(rules.items(), key=lambda item: -item[1][1])
    return tuple((rule, fate, tokens) for rule, (fate, tokens) in ordered if tokens)


def origin_group(shown: PreviewColumns) -> ControlGroup:
    """The parts with bars, and the sum that ruler and lists show."""
    preview = shown.preview
    total = preview.before_tokens - preview.after_tokens
    parts = by_rule(shown)
    most = max((tokens for _, _, tokens in parts), default=1)
    facts = [
        LabelledFigure(rule, number_format.signed(-tokens), "", max(0.0, tokens / max(most, 1)), fate)
        for rule, fate, tokens in parts
    ]
    rest = total - sum(tokens for _, _, tokens in parts)
    if rest:
        facts.append(LabelledFigure("inserted", number_format.signed(-rest)))
    facts.append(LabelledFigure("together", number_format.signed(-total)))
    return ControlGroup(f"Where the {number_format.count(total)} come from", (), facts=tuple(facts))
