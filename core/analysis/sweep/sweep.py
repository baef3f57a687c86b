"""A strategy over one conversation with one setting or two at many values (product.md section 3.5)."""

from __future__ import annotations

import time
from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from core.analysis.compare.row_computation import BASELINE, OptionsFactory, offline_values, with_strategy
from core.analysis.cost.summary_price import paid_for, unpaid_of
from core.analysis.fidelity.evaluate import fidelity_of
from core.analysis.sweep.model import SettingAxis, SweepPoint, SweepResult
from core.common.errors import FoldlineError
from core.preview.options import PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.settings.schema import SettingValue
from core.settings.values import EffectiveValue, SettingLayer, Values
from core.strategies.registry import find_strategy
from core.transcript.model import Conversation, Progress


def sweep_points(
    conversation: Conversation,
    name: str,
    values: Values,
    axes: Sequence[SettingAxis],
    ask: PreviewOptions | None = None,
    stages: StageCache | None = None,
    ask_for: OptionsFactory | None = None,
) -> Iterator[SweepPoint]:
    """A point per value, or per pair of values, each as it is ready, in the order of ``settings_of``.

    Runs are by hand, as the preview makes them. The facts of the source are looked for once. Summaries are
    offline unless ``ask.choose`` is set or ``ask_for`` says otherwise. A run that fails is a point with its
    error. ``ask.progress`` is called between the points and within them; Cancelled comes out of it.
    """
    ask, stages = ask or PreviewOptions(), stages or StageCache()
    own = with_strategy(values if ask.choose or ask_for else offline_values(values), name)
    places = settings_of(axes)
    for number, at in enumerate(places):
        part = replace(ask, progress=_part(ask.progress, number, len(places)), draft=False, checks=False)
        part.progress(0.0, "")
        wanted = ask_for(find_strategy(name), part) if ask_for else part
        yield _point(conversation, at_point(own, axes, at), at, wanted, stages)
    ask.progress(1.0, "Swept.")


def settings_of(axes: Sequence[SettingAxis]) -> tuple[tuple[SettingValue, ...], ...]:
    """The values of every point, the last axis changing fastest."""
    return tuple(product(*(axis.values for axis in axes)))


def at_point(values: Values, axes: Sequence[SettingAxis], at: Sequence[SettingValue]) -> Values:
    """The settings of a point; a window takes them over as they are with "Use this point"."""
    changed = {
        axis.key: EffectiveValue(value, SettingLayer.SESSION) for axis, value in zip(axes, at, strict=True)
    }
    return Values({**values.by_key, **changed})


def sweep_result(
    conversation: Conversation,
    name: str,
    values: Values,
    axes: Sequence[SettingAxis],
    points: Sequence[SweepPoint],
    ask: PreviewOptions | None = None,
    stages: StageCache | None = None,
) -> SweepResult:
    """The points of ``sweep_points`` put together, with the best of them marked."""
    ask, stages = ask or PreviewOptions(), stages or StageCache()
    source = PreviewOptions(ask.scope, ask.model, draft=True, progress=ask.progress)
    made = compute_preview(conversation, with_strategy(offline_values(values), BASELINE), source, stages)
    before = made.before_tokens, len(made.messages)
    return SweepResult(
        find_strategy(name).name,
        tuple(axes),
        best_marked(points),
        before,
        made.history.scope,
        made.method.mark,
        made.window.model,
    )


def best_marked(points: Sequence[SweepPoint]) -> tuple[SweepPoint, ...]:
    """The points with those marked that no other beats; of equal ones each is marked."""
    can = [one for one in points if not one.error and not one.no_op and one.fidelity is not None]
    front = {one.at for one in can if not any(_beats(other, one) for other in can)}
    return tuple(replace(one, on_front=one.at in front) for one in points)


def _beats(other: SweepPoint, one: SweepPoint) -> bool:
    """At least as good in both, and better in one."""
    mine, its = one.fidelity or 0.0, other.fidelity or 0.0
    return other.tokens <= one.tokens and its >= mine and (other.tokens < one.tokens or its > mine)


def _point(
    conversation: Conversation,
    values: Values,
    at: tuple[SettingValue, ...],
    ask: PreviewOptions,
    stages: StageCache,
) -> SweepPoint:
    started = time.perf_counter()
    try:
        made = compute_preview(conversation, values, ask, stages)
    except FoldlineError as error:
        return SweepPoint(at, 0, 0, seconds=time.perf_counter() - started, error=str(error))
    seconds = time.perf_counter() - started
    judged = fidelity_of(made, stages, ask.progress)
    compaction = made.compaction
    return SweepPoint(
        at,
        made.after_tokens,
        len(compaction.messages),
        judged.weighted,
        Tally(fate.kind for fate in compaction.fates),
        len(compaction.calls),
        paid_for(compaction.calls),
        seconds,
        compaction.no_op.reason if compaction.no_op is not None else "",
        unpaid=unpaid_of(compaction.calls),
    )


def _part(progress: Progress, number: int, count: int) -> Progress:
    """Progress of one point of ``count`` as progress of the whole; its stages each begin at 0."""
    far = 0.0

    def tell(fraction: float, text: str) -> None:
        nonlocal far
        far = max(far, min(1.0, fraction))
        progress((number + far) / count, f"point {number + 1:,} of {count:,}")

    return tell
