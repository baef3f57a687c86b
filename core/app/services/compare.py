"""Compares strategies, presets and recorded compactions, or values of settings, over a
conversation, and replays it request by request."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from core.analysis.analysis_input import baseline_preview
from core.analysis.costs import pricing_model
from core.analysis.model import BASELINE
from core.analysis.replay import (
    Replay,
    limited_input,
    replay_csv,
    replay_input,
    replay_result,
    replay_tracks,
    with_baseline,
)
from core.app.services.service import (
    AnalysisService,
    AnalysisWorkspace,
    ResultCache,
    save_table,
)
from core.common.csv_text import csv_bytes
from core.common.errors import InputError
from core.formats.registry import FORMATS
from core.formats.writing.redacted_output import secret_locations_in
from core.llm.destination import checked_destination
from core.llm.pricing import needs_consent, total_cost
from core.llm.protocol import CallRetrying
from core.losses.must_keep import must_marks
from core.presentation.compare.columns import CSV_COLUMNS, csv_cells
from core.presentation.compare.pages import (
    default_names,
    first_replayed,
    first_vary,
    strategy_card,
)
from core.settings.schema import (
    STRATEGY,
    SettingChanges,
    SettingValue,
    Values,
    with_setting,
)
from core.settings_store.profile_store import ProfileStore
from core.strategies.names import is_program
from core.strategies.registry import STRATEGIES, find_strategy
from core.trials.axes import (
    Sweep,
    aim_tokens,
    aimed_results,
    aimed_trial,
    axis_trials,
    parse_axes,
    run_trials,
    sweep_csv,
)
from core.trials.by_strategy import (
    Comparison,
    PricesToAgree,
    by_profile,
    compare_strategies,
    pairwise_losses,
    ranked_rows,
    row_names,
    summary_switches,
)
from core.trials.past import backtest
from core.trials.preset_check import (
    compare_preset_with_recorded,
    compare_presets_with_file,
    recorded_preset_pairs,
)
from core.trials.run import (
    file_result,
    judged,
    priced,
    recorded_number,
    result_preview,
    scope_facts,
)
from core.trials.trial import Depth, Trial, with_front
from core.trials.trial_costs import compare_costs, writers_of

if TYPE_CHECKING:
    from core.analysis.analysis_input import AnalysisInput
    from core.analysis.model import ReplayTrack
    from core.app.events import FileExportedEvent
    from core.llm.client import CallObserver
    from core.llm.protocol import ModelEvent
    from core.presentation.compare.model import StrategyCard
    from core.settings.profile import Profile
    from core.transcript.model import Conversation
    from core.trials.trial import PairwiseLosses, RecordedComparison, TrialResult


MAX_MESSAGES = 20_000
"""All strategies are compared for longer histories only when the user asks."""
MAX_ALL = 2_000
"""Messages up to which every strategy and preset is compared unasked."""


class CompareWorkspace(AnalysisWorkspace, Protocol):
    """An open conversation where calls of models can be cancelled."""

    def is_cancelled(self) -> bool: ...


def _differences(values: Values, others: Values) -> SettingChanges:
    """Return the values that differ from those of ``others``."""
    return tuple(
        (key, one.value)
        for key, one in values.by_key.items()
        if one.value != others.by_key[key].value
    )


class PaidRows(ResultCache["TrialResult"]):
    """Rows whose summaries models wrote, which are not asked for twice; ``agreed`` are those to
    whose price the person has said yes."""

    def __init__(self) -> None:
        super().__init__()
        self.agreed: set[str] = set()
        self._chosen: tuple[Profile, ...] = ()
        self._known: dict[str, Profile] = {}

    def begin(self, source: AnalysisInput, profiles: tuple[Profile, ...]) -> None:
        """Forget the rows of other settings and of profiles that were edited, and failed ones where
        the person chose profiles anew."""
        if source.key != self.key:
            self.agreed.clear()
            source.written.clear()
            self.switch_to(source.key)
        if profiles == self._chosen:
            return
        edited = {one.name for one in profiles if self._known.get(one.name) != one}
        for name, row in list(self.results.items()):
            if row.error or row.trial.profile in edited:
                del self.results[name]
                source.written.pop(row.trial, None)
                self.agreed.discard(name)
        self._chosen = profiles
        self._known |= {one.name: one for one in profiles}


def _prices_to_agree(
    source: AnalysisInput,
    cache: PaidRows,
    names: Sequence[str],
    profiles: Sequence[Profile],
) -> PricesToAgree | None:
    """Return what the rows that nobody has agreed to would cost; None where no call leaves this
    machine."""
    waiting = [name for name in names if name not in cache.agreed]
    paid = [profile for profile in profiles if needs_consent(profile)]
    costs = [
        (profile, total_cost(compare_costs(source, waiting, profile)))
        for profile in paid
    ]
    if not any(cost.calls for _, cost in costs):
        return None
    messages = enumerate(source.conversation.messages, 1)
    return PricesToAgree(tuple(costs), len(secret_locations_in(messages)))


class CompareService(AnalysisService):
    """``_recorded`` are by number of the recorded compaction and preset; ``_aimed`` are rows of the
    last aim, ``_of_models`` those of several profiles. ``_compared_rows`` are those that the last
    comparison showed. ``_found`` are the values that an aim found, with those it started from."""

    _workspace: CompareWorkspace

    def __init__(self, workspace: CompareWorkspace) -> None:
        super().__init__(workspace)
        self._profiles = ProfileStore()
        self._of_models = PaidRows()
        self._rows: ResultCache[TrialResult] = ResultCache()
        self._aimed: ResultCache[TrialResult] = ResultCache()
        self._found: dict[SettingChanges, Values] = {}
        self._recorded: ResultCache[RecordedComparison] = ResultCache()
        self._compared_rows = self._rows

    def compare(
        self,
        names: tuple[str, ...],
        aim: float = 0.0,
        left: Conversation | None = None,
    ) -> Generator[Comparison, None, None]:
        """Yield the comparison so far: first with the known rows, then after each new one.

        ``names`` are strategies, presets and "recorded N"; without any the default selection.
        ``left`` is what the agent's compaction left in another file; ``aim`` as in ``cards``.
        """
        source = self._source()
        names = self._row_names(source, names)
        self._compared_rows = self._aimed if aim else self._rows
        if aim:
            comparisons = self._all_aimed(source, names, aim)
        else:
            comparisons = self._compared(source, names, left)
        yield from self._while_current(comparisons)

    def compare_profiles(
        self, names: tuple[str, ...], profiles: tuple[str, ...], agreed: bool = False
    ) -> Generator[Comparison, None, None]:
        """Yield the comparison of the summaries of profiles, a row each, as ``compare`` does.

        Before calls that leave this machine only their prices, until the person has ``agreed``.
        InputError for a profile that cannot be called, and where no strategy asks for a summary.
        """
        yield from self._while_current(self._of_profiles(names, profiles, agreed))

    def _of_profiles(
        self, names: tuple[str, ...], profiles: tuple[str, ...], agreed: bool
    ) -> Iterator[Comparison]:
        source = self._source()
        cache = self._of_models
        names = self._row_names(source, names)
        values = source.values
        for switch in summary_switches(names, values):
            values = with_setting(values, switch, True)
        writers = tuple(self._profiles.load(name) for name in profiles)
        for profile in writers:
            checked_destination(profile)
        source = replace(
            source,
            values=values,
            writers=writers_of(
                writers, values, self._watch(source), self._workspace.is_cancelled
            ),
        )
        names = by_profile(names, profiles, values)
        cache.begin(source, writers)
        self._compared_rows = cache
        so_far = partial(self._comparison, source, names, cache=cache)
        if not agreed and (prices := _prices_to_agree(source, cache, names, writers)):
            yield replace(so_far(), prices=prices)
            return
        cache.agreed.update(names)
        yield so_far()
        for _ in self._fill(source, names, cache):
            yield so_far()

    def _watch(self, source: AnalysisInput) -> CallObserver:
        """Return what says that a call is tried again."""

        def watch(event: ModelEvent) -> None:
            if isinstance(event, CallRetrying):
                source.options.progress(
                    0.0, f"Try {event.attempt}: the one before ended with {event.cause}"
                )

        return watch

    def _row_names(
        self, source: AnalysisInput, names: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Return the rows of these names, of the default selection without any."""
        conversation = source.conversation
        agent = next(
            (one.label for one in FORMATS if one.name == conversation.format), ""
        )
        if len(conversation.messages) > MAX_ALL:
            selected = default_names(conversation, agent)
        else:
            selected = ()
        names = row_names(conversation, names or selected)
        used = source.values.text(STRATEGY)
        if is_program(used):  # the choice of strategies does not offer it
            names = tuple(dict.fromkeys((*names, used)))
        return names

    def _compared(
        self,
        source: AnalysisInput,
        names: tuple[str, ...],
        left: Conversation | None,
    ) -> Iterator[Comparison]:

        numbers = {recorded_number(name) for name in names}
        pairs = {
            (number, preset.name): preset
            for number, preset in recorded_preset_pairs(source.conversation)
            if number in numbers
        }
        recorded = self._recorded

        def so_far() -> Comparison:
            known = [recorded.results[key] for key in pairs if key in recorded.results]
            return self._comparison(source, names, known, len(pairs))

        yield so_far()
        for _ in self._fill(source, names, self._rows):
            yield so_far()
        for key, preset in pairs.items():
            if key not in recorded.results:
                recorded.results[key] = compare_preset_with_recorded(
                    source.offline, key[0], preset
                )
                yield so_far()
        if left is not None:
            row = file_result(source, left)
            self._rows.results[row.name] = row
            known = (
                *so_far().recorded,
                *compare_presets_with_file(source.offline, left),
            )
            yield self._comparison(source, (*names, row.name), known, len(known))

    def cards(
        self, is_asked: bool = False, aim: float = 0.0
    ) -> Generator[Comparison, None, None]:
        """Yield the comparison of all strategies, first with the known rows, then after each new
        one; nothing is compared for a long history unless ``is_asked``.

        ``aim``: each at the settings that bring it to this share of the limit, or above 1 to so
        many tokens; 0 for the present settings. InputError for an aim that is no size.
        """
        yield from self._while_current(self._all_compared(is_asked, aim))

    def _all_compared(self, is_asked: bool, aim: float) -> Iterator[Comparison]:

        source = self._source()
        is_capped = len(source.conversation.messages) > MAX_MESSAGES and not is_asked
        names = () if is_capped else tuple(strategy.name for strategy in STRATEGIES)
        if aim:
            yield from self._all_aimed(source, names, aim)
            return
        yield self._comparison(source, names)
        for _ in self._fill(source, names, self._rows):
            yield self._comparison(source, names)

    def _all_aimed(
        self, source: AnalysisInput, names: tuple[str, ...], wanted: float
    ) -> Iterator[Comparison]:

        aim = aim_tokens(source, wanted)
        cache = self._aimed
        start = self._aim_start(source.values)
        cache.switch_to(
            (source.key, source.musts, aim, _differences(start, source.values))
        )

        def so_far() -> Comparison:
            return replace(self._comparison(source, names, cache=cache), aim=aim)

        yield so_far()
        missing = [name for name in names if name not in cache.results]
        rows = aimed_results(source, missing, aim, start)
        for name in missing:
            cache.compute(name, rows)
            self._remember_found(source.values, cache.results[name], start)
            yield so_far()
        for _ in self._backtest_rows(source, names, cache):
            yield so_far()

    def _aim_start(self, values: Values) -> Values:
        """Return the values with those of the person in place of what an aim found: a search must
        not depend on a former aim."""
        before: dict[str, SettingValue | None] = {}
        for found, start in self._found.items():
            if all(values.get(key) == value for key, value in found):
                before |= {key: start.get(key) for key, _ in found}
        for key, value in before.items():
            values = with_setting(values, key, value)
        return values

    def _remember_found(self, values: Values, row: TrialResult, start: Values) -> None:
        """Remember what an aim found, with what the present values hold of a former one."""
        if not row.trial.settings:
            return
        former = dict(_differences(values, start))
        found = tuple({**former, **dict(row.trial.settings)}.items())
        self._found.pop(found, None)  # so that the newest is the last, which decides
        self._found[found] = start

    def aimed(self, aim: float, name: str = "") -> StrategyCard:
        """Return the card of a strategy, else of that in use, with the settings that bring it to an
        aim. InputError for an aim that is no size."""
        source = self._source()
        strategy = find_strategy(name or source.values.text(STRATEGY))
        *_, comparison = self._all_aimed(source, (strategy.name,), aim)
        return strategy_card(strategy, comparison, comparison.rows[0])

    def aimed_trial(self, aim: float, name: str) -> Trial:
        """Return the trial of the same settings, without judging its result."""
        source = self._source()
        start = self._aim_start(source.values)
        trial, _ = aimed_trial(source, name, aim_tokens(source, aim), start)
        return trial

    def _fill(
        self,
        source: AnalysisInput,
        names: Sequence[str],
        cache: ResultCache[TrialResult],
    ) -> Iterator[None]:
        """Compute, judge and backtest the rows; yield after each step."""
        yield from self._compute_rows(source, names, cache)
        yield from self._judge_musts(source, names, cache)
        yield from self._backtest_rows(source, names, cache)

    def _compute_rows(
        self,
        source: AnalysisInput,
        names: Sequence[str],
        cache: ResultCache[TrialResult],
    ) -> Iterator[None]:
        """Compute the rows that are not known, and yield after each."""
        if names:
            ordered = row_names(source.conversation, names)
        else:
            ordered = ()
        missing = [name for name in ordered if name not in cache.results]
        rows = compare_strategies(source, missing)
        for name in missing:
            cache.compute(name, rows)
            yield

    def _judge_musts(
        self,
        source: AnalysisInput,
        names: Sequence[str],
        cache: ResultCache[TrialResult],
    ) -> Iterator[None]:
        """Judge known rows by the texts of now, where they were judged by others; yield after
        each."""
        for name in names:
            row = cache.results[name]
            if row.error or row.sizes.hidden or not _is_judged_by_others(row, source):
                continue
            marks = must_marks(
                result_preview(source, row.trial), source.musts, source.stages
            )
            cache.results[name] = replace(row, losses=replace(row.losses, musts=marks))
            yield

    def _backtest_rows(
        self,
        source: AnalysisInput,
        names: Sequence[str],
        cache: ResultCache[TrialResult],
    ) -> Iterator[None]:
        """Add the backtest to the rows of strategies after which nothing follows; yield after
        each."""
        rows = cache.results
        missing = [
            name
            for name in names
            if recorded_number(name) is None and _lacks_backtest(rows[name])
        ]
        for index, name in enumerate(missing):
            part = source.for_step(
                index,
                len(missing),
                f"backtest of {name} ({index + 1} of {len(missing)})",
            )
            *_, past = backtest(part, name, settings=rows[name].trial.settings)
            rows[name] = replace(
                rows[name], losses=replace(rows[name].losses, past=past)
            )
            yield

    def _comparison(
        self,
        source: AnalysisInput,
        names: tuple[str, ...],
        recorded: Sequence[RecordedComparison] = (),
        recorded_count: int = 0,
        cache: ResultCache[TrialResult] | None = None,
    ) -> Comparison:

        cache = cache or self._rows
        rows = self._ranked(source, names, cache)
        seconds = cache.seconds(names)
        profile = self._workspace.summary_profile_name
        return Comparison(
            source=source,
            names=names,
            rows=rows,
            profile=profile,
            recorded=tuple(recorded),
            recorded_count=recorded_count,
            seconds=seconds,
            offered=self._profiles.names(),
        )

    def _ranked(
        self,
        source: AnalysisInput,
        names: Iterable[str],
        cache: ResultCache[TrialResult],
    ) -> tuple[TrialResult, ...]:

        rows, price = cache.results, source.price
        known = [priced(rows[name], price) for name in names if name in rows]
        for index, row in enumerate(known):
            if _is_judged_by_others(row, source):
                known[index] = replace(row, losses=replace(row.losses, musts=()))
        return ranked_rows(known, source.options.scope)

    def pair(self, a: str, b: str) -> PairwiseLosses | None:
        """Return the facts that two rows lost; None if they are not compared yet.

        Raises InputError where they cannot be compared.
        """
        source = self._source()
        rows = self._compared_rows.results
        if a not in rows or b not in rows:
            return None
        return pairwise_losses(rows[a], rows[b], scope_facts(source, rows[a].scope))

    def price_as(self, model: str) -> None:
        """Price summaries that no model wrote as if ``model`` had, in all tabs.

        "offline" prices them at nothing, "" as the session's model.
        """
        pricing_model(model, self._workspace.analysis_input().model)
        self._workspace.price_as = model

    def save_table(self, path: str) -> FileExportedEvent:
        """Write the known rows as CSV in the order of the table, as the command line does."""
        source = self._source()
        document = source.conversation.document
        rows = self._ranked(source, self._compared_rows.results, self._compared_rows)
        lines = [csv_cells(replace(row, file=document.name)) for row in rows]
        return save_table(path, csv_bytes(CSV_COLUMNS, lines), document.path)

    def _source(self) -> AnalysisInput:
        """Return the input; results of other settings are forgotten."""
        workspace = self._workspace
        source = replace(workspace.analysis_input(), musts=workspace.must_texts())
        self._rows.switch_to(source.key)
        self._recorded.switch_to(source.key)
        return source


def _is_judged_by_others(row: TrialResult, source: AnalysisInput) -> bool:
    """Return whether the texts that must survive have changed since a row was computed."""
    return tuple(one.text for one in row.losses.musts) != source.musts


def _lacks_backtest(row: TrialResult) -> bool:
    """Return whether nothing judges what a row keeps; the past is judged offline, alike for all
    profiles."""
    if row.error or row.trial.profile:
        return False
    return row.needed_share is None and row.losses.past is None


_SECONDS = 0.15
"""Work between two updates; one point may take longer."""


class SweepService(AnalysisService):
    """``_results`` are by trial, ``_last`` is the sweep that they are of."""

    def __init__(self, workspace: AnalysisWorkspace) -> None:
        super().__init__(workspace)
        self._results: ResultCache[TrialResult] = ResultCache()
        self._last: Sweep | None = None

    def sweep(self, vary: tuple[str, ...]) -> Generator[Sweep, None, None]:
        """Yield the sweep so far, several times a second.

        ``vary`` are one or two settings ("KEY=FROM:TO:STEP", "KEY=A,B"); without any the first of
        the strategy.
        """
        yield from self._while_current(self._swept(vary))

    def _swept(self, vary: tuple[str, ...]) -> Iterator[Sweep]:

        workspace, known = self._workspace, self._results
        source = replace(workspace.analysis_input(), musts=workspace.must_texts())
        strategy = find_strategy(source.values.text(STRATEGY))
        vary = vary or first_vary(strategy, source.values)
        problem = ""
        try:
            if vary:
                axes = parse_axes(vary, strategy)
            else:
                axes = ()
        except InputError as error:
            axes = ()
            problem = str(error)
        known.switch_to((source.key, source.musts, strategy.name))
        trials = axis_trials(strategy.name, axes)
        baseline = baseline_preview(source, checks=False)
        head = Sweep(
            source=source,
            strategy=strategy.name,
            axes=axes,
            before=judged(source, Trial(BASELINE), baseline, Depth.NEEDED),
            vary=vary,
            problem=problem,
        )

        def so_far() -> Sweep:
            done = [known.results[trial] for trial in trials if trial in known.results]
            results = self._marked(source, done)
            self._last = replace(head, results=results, seconds=known.seconds(trials))
            return self._last

        yield so_far()
        waiting = [trial for trial in trials if trial not in known.results]
        new = run_trials(source, waiting)
        started = time.monotonic()
        for trial in waiting:
            known.compute(trial, new)
            if time.monotonic() - started > _SECONDS or trial is waiting[-1]:
                yield so_far()
                started = time.monotonic()

    @staticmethod
    def _marked(
        source: AnalysisInput, results: Sequence[TrialResult]
    ) -> tuple[TrialResult, ...]:

        price = source.price
        made = [priced(one, price) for one in results]
        return with_front(made, [one.needed_share for one in made])

    def save_table(self, path: str) -> FileExportedEvent:
        """Write the known points as CSV."""
        if self._last is None or not self._last.results:
            raise InputError("No value was tried yet.", "Open One setting first.")
        source = self._last.source.conversation.document.path
        return save_table(path, sweep_csv(self._last), source)


class ReplayService(AnalysisService):
    def __init__(self, workspace: AnalysisWorkspace) -> None:
        super().__init__(workspace)
        self._tracks: ResultCache[ReplayTrack] = ResultCache()
        self._last: Replay | None = None

    def replay(
        self, names: tuple[str, ...], limit: int = 0
    ) -> Generator[Replay, None, None]:
        """Yield the replay so far: first with the known strategies, then after each new one;
        without ``names`` of the first few. ``limit`` replaces the model's, in tokens."""
        yield from self._while_current(self._replayed(names, limit))

    def _replayed(self, names: tuple[str, ...], limit: int) -> Iterator[Replay]:

        source = self._workspace.whole_input()
        tracks = self._tracks
        limited = limited_input(source, limit)
        inputs = replay_input(limited)
        tracks.switch_to(limited.key)
        names = with_baseline(names or first_replayed(source.values.text(STRATEGY)))

        def so_far() -> Replay:
            known = [tracks.results[name] for name in names if name in tracks.results]
            result = replay_result(limited, inputs, known)
            self._last = Replay(source, names, inputs, result, tracks.seconds(names))
            return self._last

        yield so_far()
        missing = [name for name in names if name not in tracks.results]
        new = replay_tracks(limited, missing)
        for name in missing:
            tracks.compute(name, new)
            yield so_far()

    def save_table(self, path: str) -> FileExportedEvent:
        """Write the known tracks as CSV."""
        if self._last is None or not self._last.result.tracks:
            raise InputError("Nothing was replayed yet.", "Open Over time first.")
        source = self._last.source.conversation.document.path
        return save_table(path, replay_csv(self._last.result), source)
