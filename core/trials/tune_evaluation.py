"""Evaluates settings of strategies on one session, as a job for any process."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from core.analysis.analysis_input import AnalysisInput
from core.analysis.replay import replay_input, session_cost
from core.common.errors import FoldlineError, InputError
from core.llm.pricing import no_price_text
from core.losses.evidence import MustStatus, counted_musts
from core.losses.must_keep import NOTHING_TYPED, load_typed_musts, session_musts
from core.settings.schema import (
    FILE_DEDUPE,
    LIMIT,
    READ_WRITE,
    RECENCY,
    RETENTION,
    STRATEGY,
    Setting,
    SettingValue,
    Values,
    with_setting,
)
from core.settings_store.layers import ALL_SETTINGS, find_setting
from core.strategies.base import Strategy
from core.strategies.helpers import trigger_tokens
from core.strategies.registry import STRATEGIES, find_strategy
from core.transcript.model import Conversation
from core.trials.past import POINTS, Past, past_of, past_trial
from core.trials.run import run_trial, trial_values
from core.trials.sessions import TrialSession
from core.trials.trial import NOTHING_NEEDED, Depth, Trial, TrialResult
from core.trials.tune_values import Evaluation, TunedStrategy, TuneResult

_MOST_LIMITS = (
    64  # the limit of a trigger is looked for up to this multiple of the tokens
)


@dataclass(frozen=True, slots=True)
class TuneWork:
    """Evaluates candidates; the session's points are found once for all. ``with_cost``: what the
    session costs is computed, too; ``with_musts``: what stands of the texts that must survive;
    ``needs_price``: a session without prices has none."""

    candidates: tuple[Trial, ...]
    with_cost: bool = False
    with_musts: bool = False
    needs_price: bool = False

    def __call__(
        self, source: AnalysisInput, file: TrialSession
    ) -> tuple[Evaluation, ...]:
        source = source.offline
        past = past_of(source, POINTS)
        if reason := past.reason or _no_figure(
            source, past, needs_price=self.needs_price
        ):
            raise InputError(reason, "")
        if self.with_musts:
            source = replace(source, musts=_musts(source.conversation, file))
        return tuple(
            evaluate(
                source, past, one, with_cost=self.with_cost, with_musts=self.with_musts
            )
            for one in self.candidates
        )


def _musts(conversation: Conversation, file: TrialSession) -> tuple[str, ...]:
    typed = NOTHING_TYPED
    if file.counts_typed:
        typed = load_typed_musts(conversation)
    return session_musts(conversation, typed)


def _no_figure(source: AnalysisInput, past: Past, *, needs_price: bool) -> str:
    if not any(part.needs.names for part in past.parts):
        return "Nothing that was said before was used later."
    if needs_price and replay_input(source).rates is None:
        model = source.model
        if model:
            return no_price_text(model)
        return "The session names no model."
    return ""


def evaluate(
    source: AnalysisInput,
    past: Past,
    candidate: Trial,
    *,
    with_cost: bool = False,
    with_musts: bool = False,
) -> Evaluation:
    """Run a candidate at every point of a session, each at the size at which it would run by
    itself."""
    strategy = find_strategy(candidate.strategy)
    values = trial_values(source.values, candidate)
    nothing = Evaluation(is_priced=with_cost, is_judged=with_musts)
    total = nothing
    for part in past.parts:
        limit = trigger_limit(strategy, values, part.before + past.fixed)
        trial = past_trial(strategy.name, part, limit, candidate.settings)
        result = run_trial(source, trial, Depth.NEEDED, part)
        if result.error:
            return replace(nothing, error=result.error)
        total = _with_result(total, result)
    if not with_cost:
        return total
    try:
        return replace(total, cost=_cost(source, past, strategy, values))
    except FoldlineError as error:
        return replace(nothing, error=str(error))


def _with_result(total: Evaluation, result: TrialResult) -> Evaluation:
    needed = result.losses.needed or NOTHING_NEEDED
    kept = result.losses
    return replace(
        total,
        needed=total.needed + needed.used,
        kept=total.kept + needed.kept,
        before=total.before + result.sizes.before_tokens,
        after=total.after + result.sizes.tokens,
        points=total.points + 1,
        musts=total.musts + len(counted_musts(kept.musts)),
        musts_kept=total.musts_kept + kept.count_musts(MustStatus.WORD_FOR_WORD),
    )


def _cost(
    source: AnalysisInput, past: Past, strategy: Strategy, values: Values
) -> float | None:
    """Replay the session with its own limit, or with the one that triggers the strategy at the
    middle point where that is smaller."""
    middle = past.parts[len(past.parts) // 2]
    limit = trigger_limit(strategy, values, middle.before + past.fixed)
    return session_cost(source, strategy.name, values, min(limit, past.limit or limit))


def trigger_limit(strategy: Strategy, values: Values, tokens: int) -> int:
    """Return the smallest limit in tokens under which a context of this size is what triggers the
    strategy; the size itself where none does."""
    low = tokens
    high = tokens * _MOST_LIMITS
    if (
        reached := trigger_tokens(strategy, values, high)
    ) is None or strategy.trigger.tokens:
        return max(1, tokens)
    if reached < tokens:
        return max(1, tokens)
    while low < high:
        middle = (low + high) // 2
        size = trigger_tokens(
            strategy, with_setting(values, LIMIT, max(1, middle)), max(1, middle)
        )
        low, high = (
            (low, middle) if size is not None and size >= tokens else (middle + 1, high)
        )
    return max(1, low)


def tunable() -> tuple[Setting, ...]:
    """Return the settings that are declared as tunable."""
    return tuple(one for one in ALL_SETTINGS if one.tune is not None)


def tuned_settings(
    strategy: Strategy, held: Collection[str] = ()
) -> tuple[Setting, ...]:
    """Return the tunable settings that a strategy reads, without those that are ``held``."""
    density = (
        (READ_WRITE, FILE_DEDUPE, RECENCY, RETENTION)
        if strategy.optimize is not None
        else ()
    )
    read = {*strategy.options, *density} - {*held}
    return tuple(one for one in tunable() if one.key in read)


def at_defaults(values: Values, held: Collection[str] = ()) -> Values:
    """Return settings in which the strategy and the tunable ones have their defaults, apart from
    those that are ``held``: nothing that a search decides itself."""
    values = with_setting(values, STRATEGY, find_setting(STRATEGY).default)
    for setting in tunable():
        if setting.key not in held:
            values = with_setting(values, setting.key, setting.default)
    return values


def general_strategies() -> tuple[str, ...]:
    """Return the strategies that emulate no agent, which are searched unless others are named."""
    return tuple(one.name for one in STRATEGIES if one.emulates is None)


def settings_of(result: TuneResult, tuned: TunedStrategy) -> dict[str, SettingValue]:
    """Return the strategy and all its tuned and held settings, also those that keep their defaults:
    other settings of the reader's must not show through."""
    chosen = dict(result.request.held) | dict(tuned.best.settings)
    strategy = find_strategy(tuned.best.strategy)
    values = {
        one.key: chosen.get(one.key, one.default) for one in tuned_settings(strategy)
    }
    known = {key: value for key, value in values.items() if value is not None}
    return {STRATEGY: strategy.name} | dict(result.request.held) | known
