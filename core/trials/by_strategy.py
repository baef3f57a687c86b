"""Compares strategies, presets and recorded compactions over one conversation, a row each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.analysis.analysis_input import AnalysisInput, baseline_preview
from core.analysis.model import BASELINE, RECORDED
from core.common.errors import InputError
from core.common.number_format import plural
from core.facts.model import Fact
from core.llm.pricing import RunCostEstimate
from core.losses.evidence import EvidenceStatus
from core.settings.profile import Profile
from core.settings.schema import SettingLayer, Values
from core.strategies.base import calls_model
from core.strategies.registry import COMPACTION_STRATEGIES, find_strategy
from core.transcript.model import Conversation
from core.trials.run import recorded_number, result_of, scope_facts
from core.trials.trial import (
    STATUSES,
    LostFact,
    MustPair,
    PairwiseLosses,
    RecordedComparison,
    Trial,
    TrialResult,
    kept_shares,
    trial_of,
    with_front,
)


@dataclass(frozen=True, slots=True)
class PricesToAgree:
    """The most that the summaries of each profile can cost, before any is called, and how many
    ``secrets`` the messages hold."""

    costs: tuple[tuple[Profile, RunCostEstimate], ...]
    secrets: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A comparison of ``names`` so far, which took ``seconds``: priced rows as ``ranked_rows``
    sorts them.

    ``recorded`` are the known ones of ``recorded_count`` comparisons of recorded compactions with
    presets; ``profile`` writes the summaries of runs. ``aim``: the rows are those of settings that
    should give at most so many tokens; 0 for the present settings. ``offered`` are the profiles
    whose summaries can be compared; ``prices`` are to be agreed to before the comparison goes on.
    """

    source: AnalysisInput
    names: tuple[str, ...]
    rows: tuple[TrialResult, ...]
    profile: str
    recorded: tuple[RecordedComparison, ...] = ()
    recorded_count: int = 0
    seconds: float = 0.0
    aim: int = 0
    offered: tuple[str, ...] = ()
    prices: PricesToAgree | None = None


def compare_strategies(
    source: AnalysisInput, names: Sequence[str]
) -> Iterator[TrialResult]:
    """Yield a row per name as it is computed, in the order of ``row_names``; ``ranked_rows`` sorts
    them.

    A name is a strategy, a preset, one of them with its profile ("excerpt · haiku"), "recorded N",
    or "recorded" for all recorded compactions; no names means all. A failed run yields a row with
    its error. Raises InputError for an unknown name or scope.
    """
    order = row_names(source.conversation, names)
    _prepare_shared(source)
    for index, name in enumerate(order):
        step = source.for_step(
            index, len(order), f"{name} ({index + 1} of {len(order)})"
        )
        yield result_of(step, name)
    source.options.progress(1.0, "Compared.")


def _prepare_shared(source: AnalysisInput) -> None:
    """Compute what all rows need first, so that the time of the first row is its own."""
    baseline = baseline_preview(source)
    source.counter(baseline.sizes.model_limit.model).text(
        "loaded"
    )  # loads the tokenizer; cached counts do not

    def report(fraction: float, text: str) -> None:
        source.options.progress(0.0, "Looking for facts")

    report(0.0, "")
    scope_facts(source, baseline.source.history.scope, report)


def row_names(conversation: Conversation, names: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names in the order of computation: baseline, recorded compactions, then the
    others. Raises InputError for an unknown name."""
    recorded = tuple(
        f"{RECORDED} {number}" for number in range(1, len(conversation.recorded) + 1)
    )
    if not names:
        return (
            BASELINE,
            *recorded,
            *(name for name in COMPACTION_STRATEGIES if name != BASELINE),
        )
    expanded = dict.fromkeys(
        expanded_name
        for name in names
        for expanded_name in (recorded if name == RECORDED else (name,))
    )
    for name in expanded:
        check_strategy_name(name)
        if recorded_number(name) is not None and name not in recorded:
            if recorded:
                available = plural(len(recorded), "recorded compaction")
            else:
                available = "no recorded compaction"
            raise InputError(
                f"There is no {name}: the file has {available}.",
                "See them with: foldline inspect FILE.",
            )
    return tuple(sorted(expanded, key=row_group))


def by_profile(
    names: Sequence[str], profiles: Sequence[str], values: Values
) -> tuple[str, ...]:
    """Return the names with one for each of the profiles in place of a strategy that asks for a
    summary; without any the same. Raises InputError where none does."""
    if not profiles:
        return tuple(names)
    expanded: list[str] = []
    for name in names:
        if recorded_number(name) is None and calls_model(find_strategy(name), values):
            expanded += [Trial(name, profile=profile).name for profile in profiles]
        else:
            expanded.append(name)
    if tuple(expanded) == tuple(names):
        raise InputError(
            f"No summary is asked for by {', '.join(names)}, so profiles cannot be compared.",
            "Name a strategy that asks for one, such as middle-out.",
        )
    return tuple(expanded)


def summary_switches(names: Sequence[str], values: Values) -> tuple[str, ...]:
    """Return the keys that let these strategies ask for a summary, where nobody has set them:
    profiles differ in their summaries."""
    named = (find_strategy(name) for name in names if not name.startswith(RECORDED))
    keys = dict.fromkeys(one.llm_switch for one in named if one.llm_switch)
    return tuple(
        key
        for key in keys
        if values.by_key[key].layer is SettingLayer.DEFAULT and not values.flag(key)
    )


def check_strategy_name(name: str) -> None:
    """Raise UnknownStrategyError for a name that is neither a strategy nor a recorded
    compaction."""
    if name != RECORDED and recorded_number(name) is None:
        find_strategy(trial_of(name).strategy)


def row_group(name: str) -> int:
    """Return 0 for the baseline, 1 for a recorded compaction, 2 for others."""
    if name == BASELINE:
        return 0
    if recorded_number(name) is not None:
        return 1
    return 2


def ranked_rows(rows: Sequence[TrialResult], scope: str) -> tuple[TrialResult, ...]:
    """Return the rows sorted: baseline, recorded, then by the musts that stand, or without any by
    what they keep of what was needed, then by tokens; with the front marked.

    The front holds rows of ``scope`` that no other row beats in tokens and in what is kept; rows
    that save nothing, those that miss their aim, and those from which a must is gone, are not
    compared. It is empty where nobody knows what was needed.
    """
    shares, _ = kept_shares(rows, scope)  # facts rank nothing
    marked = with_front(rows, shares)
    keys = [_sort_key(row, share) for row, share in zip(rows, shares, strict=True)]
    return tuple(
        marked[index] for index in sorted(range(len(rows)), key=keys.__getitem__)
    )


def _sort_key(row: TrialResult, kept: float | None) -> tuple[float, ...]:
    if row.kind == RECORDED:
        group = 1
    else:
        group = row_group(row.name)
    number = recorded_number(row.name) or 0
    if group < 2:
        return group, number, bool(row.error), kept is None, row.sizes.tokens
    is_last = bool(row.error) or row.misses_aim
    if row.losses.musts:
        return group, number, is_last, *row.must_order
    return (
        group,
        number,
        is_last,
        kept is None,
        -(kept or 0.0),
        row.sizes.tokens,
    )


def pairwise_losses(
    a: TrialResult, b: TrialResult, facts: Sequence[Fact]
) -> PairwiseLosses:
    """Return the facts that are gone from one row only, and from both. ``facts`` are those of the
    scope of both rows (``scope_facts``). Raises InputError if a row has no facts or the rows have
    different scopes."""
    if a.scope != b.scope:
        raise InputError(
            f"{a.name} and {b.name} are results of different messages ({a.scope}, {b.scope}).",
            f"Compare in the scope {a.scope if a.kind == RECORDED else b.scope}.",
        )
    for row in (a, b):
        if len(row.losses.statuses) != len(facts) or (
            row.error and not row.losses.statuses
        ):
            reason = row.error or row.note or "Its facts are not known."
            raise InputError(f"{row.name} cannot be compared by its facts.", reason)
    lost: dict[tuple[bool, bool], list[LostFact]] = {
        (True, False): [],
        (False, True): [],
        (True, True): [],
    }
    for fact, *codes in zip(facts, a.losses.statuses, b.losses.statuses, strict=True):
        in_a, in_b = (STATUSES[code] for code in codes)
        is_lost = in_a is EvidenceStatus.GONE, in_b is EvidenceStatus.GONE
        if any(is_lost):
            lost[is_lost].append(LostFact(fact, in_b if is_lost[0] else in_a))
    only_a, only_b, both = (tuple(found) for found in lost.values())
    return PairwiseLosses(
        a=a.name,
        b=b.name,
        scope=a.scope,
        lost_in_a=only_a,
        lost_in_b=only_b,
        lost_in_both=both,
        musts=_must_pairs(a, b),
    )


def _must_pairs(a: TrialResult, b: TrialResult) -> tuple[MustPair, ...]:
    """Return the musts by which both rows were judged, those that differ first."""
    in_b = {one.text: one for one in b.losses.musts}
    pairs = [
        MustPair(one, in_b[one.text]) for one in a.losses.musts if one.text in in_b
    ]
    return tuple(sorted(pairs, key=lambda pair: not pair.differs))
