"""Makes the pages of the Compare view in the worker."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.analysis.analysis_input import AnalysisInput, baseline_preview
from core.analysis.model import BASELINE, RECORDED
from core.analysis.paid import paid
from core.analysis.replay import Replay
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.number_format import UNKNOWN
from core.llm.catalog import find_model_limit
from core.llm.destination import recipient
from core.llm.pricing import total_cost
from core.losses.evidence import counted_musts
from core.presentation.compare.columns import (
    COLUMNS,
    aimed_settings,
    folder_name,
    means_by_name,
    missed_aim,
    row_standing,
)
from core.presentation.compare.model import (
    NO_PRICE,
    RECORDED_GROUP,
    SUMMARIES_GROUP,
    Column,
    ComparePage,
    FolderPage,
    ReplayPage,
    StrategyCard,
    StrategyCards,
    SweepAxis,
    SweepKey,
    SweepPage,
    TableCell,
)
from core.presentation.dialog_model import CallQuestion
from core.presentation.model import (
    LabelledFigure,
    PickerChoice,
    PriceChoice,
    secrets_figure,
)
from core.presentation.opened_file import per_session_price_choice, price_choice
from core.presentation.paid_words import cost_basis, paid_rows
from core.presentation.plots import round_step
from core.presentation.preview_wording import scope_label, strategy_details
from core.settings.profile import OFFLINE
from core.settings.schema import (
    LIMIT,
    Setting,
    SettingKind,
    SettingValue,
    Values,
    setting_text,
)
from core.settings_store.layers import find_setting
from core.strategies.base import Strategy, calls_model
from core.strategies.names import EXCERPT
from core.strategies.registry import STRATEGIES, find_strategy
from core.transcript.model import Conversation
from core.trials.axes import SettingAxis, Sweep, variable_keys
from core.trials.by_strategy import Comparison, PricesToAgree, row_names
from core.trials.run import recorded_number
from core.trials.session_work import FolderComparison, Results, results_of
from core.trials.sessions import SessionAnswer
from core.trials.trial import WRITTEN_BY, TrialResult, kept_shares

GENERAL, AGENTS = "General", "As an agent does it"
_OFFLINE = "summaries offline"
_OTHER_SCOPE = "Recorded rows start from other messages: choose their scope to compare."
_MAX_NOTES = 3
_FIRST_LINES = 4  # of a replay
_SHARES, _STEPS = 9, 8  # values of a first range


def strategy_choices(recorded: Iterable[str] = ()) -> tuple[PickerChoice, ...]:
    """Return the recorded compactions, then every strategy but the baseline, by group."""
    about = "What the agent itself made of it."
    strategies = sorted(STRATEGIES, key=lambda strategy: strategy.emulates is not None)
    return (
        *(PickerChoice(name, name, about, RECORDED_GROUP) for name in recorded),
        *(
            PickerChoice(
                one.name, one.name, one.about, AGENTS if one.emulates else GENERAL
            )
            for one in strategies
            if one.name != BASELINE
        ),
    )


def _done_text(done: int, total: int, noun: str, seconds: float) -> str:
    if not done:
        return f"0 of {total} done"
    if done == total:
        count = number_format.plural(total, noun)
    else:
        count = f"{done} of {total} done"
    return f"{count} in {number_format.seconds(seconds)}"


def compare_page(comparison: Comparison) -> ComparePage:
    source, rows, names = comparison.source, comparison.rows, comparison.names
    scope, recorded = source.options.scope, source.conversation.recorded
    if recorded:
        part = f" · {scope_label(scope)}"
    else:
        part = ""
    if source.writers:
        summaries = f"summaries by {', '.join(source.writers)}"
        price = NO_PRICE  # each row has that of its own calls
    else:
        summaries = _OFFLINE
        price = _prices(source)
    about = f"{number_format.plural(len(rows), 'result')}{part} · {summaries}"
    return ComparePage(
        about=aim_text(comparison) or about,
        status=_done_text(len(rows), len(names), "result", comparison.seconds),
        done=len(rows) + len(comparison.recorded),
        total=len(names) + comparison.recorded_count,
        mark=source.mark,
        names=names,
        choices=(
            *_writer_choices(comparison.offered),
            *strategy_choices(
                f"{RECORDED} {number}" for number in range(1, len(recorded) + 1)
            ),
        ),
        price=price,
        rows=rows,
        scope=scope,
        footnote=_compare_footnote(rows, scope),
        comparisons=comparison.recorded,
        aim=comparison.aim,
        about_short=reached_text(comparison),
        question=_question(comparison.prices),
    )


def _writer_choices(profiles: Sequence[str]) -> tuple[PickerChoice, ...]:
    """Return the profiles whose summaries can be compared, none where there is only one."""
    if len(profiles) < 2:
        return ()
    about = (
        "Compare what this profile writes, in a row of its own. The price comes first."
    )
    return tuple(
        PickerChoice(f"{WRITTEN_BY}{name}", name, about, SUMMARIES_GROUP)
        for name in profiles
    )


def _question(prices: PricesToAgree | None) -> CallQuestion | None:
    """Return the one question before the calls of all profiles, with the price of each."""
    if prices is None:
        return None
    total = total_cost(cost for _, cost in prices.costs)
    facts = [
        LabelledFigure(f"{profile.name} ({profile.model})", cost.total_text())
        for profile, cost in prices.costs
    ]
    recipients = "; ".join(dict.fromkeys(recipient(one) for one, _ in prices.costs))
    return CallQuestion(
        title="Compare the summaries of these profiles?",
        text=f"The messages that a strategy summarises go {recipients}.",
        facts=(*facts, secrets_figure(prices.secrets)),
        yes_label=f"Send · {total.text}",
    )


def strategy_cards(comparison: Comparison) -> StrategyCards:
    """Return all cards, with the figures that are known."""
    source = comparison.source
    baseline = baseline_preview(source)
    rows = {row.name: row for row in comparison.rows}
    musts = next((row.losses.musts for row in comparison.rows if row.losses.musts), ())
    _, is_backtest = kept_shares(comparison.rows, source.options.scope)
    columns = {one.key: one for one in COLUMNS}
    # All cards show the same two figures, so that they can be compared.
    must = columns["musts_word_for_word" if musts else "said_word_for_word"]
    kept = columns["backtest_share" if is_backtest else "needed_share"]
    cards = []
    for strategy in STRATEGIES:
        row = rows.get(strategy.name)
        card = strategy_card(strategy, comparison, row)
        if row is not None and not card.no_result:
            card = replace(
                card, musts=must.cell(row), needed_later=_share_alone(kept, row)
            )
        cards.append(card)
    shows_must = bool(musts) or _differs([one.musts for one in cards])
    shows_kept = _differs([one.needed_later for one in cards])
    return StrategyCards(
        tuple(cards),
        len(baseline.messages),
        baseline.sizes.before_tokens,
        source.mark,
        max(one.emulates.as_of for one in STRATEGIES if one.emulates),
        is_capped=not comparison.names,
        must_label=must.label if shows_must else "",
        needed_later_label=kept.label if shows_kept else "",
        must_texts=tuple(one.text for one in counted_musts(musts)),
        aim=comparison.aim,
        aim_text=aim_text(comparison),
    )


def _share_alone(kept: Column[TrialResult], row: TrialResult) -> TableCell:
    """Return what is kept as a share; of how many names stands in the table of Compare."""
    cell = kept.cell(row)
    share = kept.value(row)
    if not isinstance(share, float):
        return cell
    return replace(cell, text=number_format.percent(share, 0))


def _differs(cells: Sequence[TableCell]) -> bool:
    """Return whether a column tells one card from another."""
    return len({cell.text for cell in cells if cell.text}) > 1


def strategy_card(
    strategy: Strategy, comparison: Comparison, row: TrialResult | None
) -> StrategyCard:
    """Return the card of a strategy, with its size where it is known."""
    card = _card(strategy, comparison, row)
    if row is not None and comparison.aim:
        return _aimed_card(card, row)
    return card


def _card(
    strategy: Strategy, comparison: Comparison, row: TrialResult | None
) -> StrategyCard:
    if strategy.emulates and strategy.name != BASELINE:
        program = strategy.emulates.label
    else:
        program = ""
    calls = "no model"
    if calls_model(strategy, comparison.source.values):
        calls = _calls(comparison.profile, row.calls if row else 0)
    card = StrategyCard(
        name=strategy.name,
        about=strategy.about,
        program=program,
        calls=calls,
        details=strategy_details(strategy),
        is_recommended=strategy.name == EXCERPT,
    )
    if row is None:
        return card
    if row.error or row.no_op:
        return replace(card, no_result=row.error or "nothing to do here")
    return replace(
        card,
        tokens=row.sizes.tokens,
        reduction=row.reduction or 0.0,
        standing=row_standing(row),
    )


def aim_text(comparison: Comparison) -> str:
    """Return "= 20,000 tokens, 10 % of 200,000 · 9 of 12 reach it"; "" without an aim."""
    aim = comparison.aim
    if not aim:
        return ""
    text = f"= {number_format.count(aim)} tokens"
    limit = baseline_preview(comparison.source).sizes.model_limit.tokens
    if limit:
        share = number_format.percent(aim / limit, 0)
        text += f", {share} of {number_format.count(limit)}"
    return " · ".join(filter(None, (text, reached_text(comparison))))


def reached_text(comparison: Comparison) -> str:
    """Return "9 of 12 reach it"; "" without an aim, and until all strategies are known."""
    total = sum(recorded_number(name) is None for name in comparison.names)
    aimed = [row for row in comparison.rows if row.sizes.aim]
    if not comparison.aim or len(aimed) < total:
        return ""
    reached = sum(not row.error and not row.misses_aim for row in aimed)
    return f"{reached} of {total} reach it"


def _aimed_card(card: StrategyCard, row: TrialResult) -> StrategyCard:
    """Return the card with the settings of its result, and what it leaves where that is above the
    aim."""
    card = replace(card, values=row.trial.settings, changes=aimed_settings(row))
    if not row.misses_aim:
        return card
    missed = missed_aim(row)
    return replace(card, tokens=row.sizes.tokens, misses_aim=True, no_result=missed)


def _calls(profile: str, count: int) -> str:
    """Return "1 summary · free offline"; without a number where it is not known."""
    if profile == OFFLINE:
        summary_profile = " · free offline"
    else:
        summary_profile = f" by {profile}"
    summaries = "summary" if count < 2 else "summaries"
    return f"{count or ''} {summaries}{summary_profile}".strip()


def _prices(source: AnalysisInput) -> PriceChoice:
    return price_choice(source.conversation, source.price_as, source.model)


def default_names(conversation: Conversation, agent: str = "") -> tuple[str, ...]:
    """Return the default selection: baseline, recorded, strategies, and presets of the
    ``agent``."""
    selected = []
    for name in row_names(conversation):
        if recorded_number(name):
            emulated = None
        else:
            emulated = find_strategy(name).emulates
        if (
            name == BASELINE
            or emulated is None
            or (agent and emulated.program.startswith(agent))
        ):
            selected.append(name)
    return tuple(selected)


def default_strategies() -> tuple[str, ...]:
    return (
        BASELINE,
        *(strategy.name for strategy in STRATEGIES if strategy.emulates is None),
    )


def _compare_footnote(rows: Sequence[TrialResult], scope: str) -> str:
    recorded = [row for row in rows if row.kind == RECORDED]
    if any(row.scope != scope for row in recorded):
        parts = [_OTHER_SCOPE]
    else:
        parts = []
    return " ".join(parts)


def first_replayed(strategy: str) -> tuple[str, ...]:
    """Return the first lines of a replay: the baseline, the session's strategy, and others."""
    general = [one for one in STRATEGIES if one.emulates is None]
    # Lines that differ most.
    general.sort(key=lambda one: one.optimize is None and not one.obeys_pins)
    return tuple(dict.fromkeys((BASELINE, strategy, *(one.name for one in general))))[
        :_FIRST_LINES
    ]


def replay_page(replay: Replay) -> ReplayPage:
    source, names, result = replay.source, replay.names, replay.result
    own = source.values.get(LIMIT)
    model_limit = find_model_limit(
        source.conversation, source.model, None if own is None else int(own)
    )
    size = f"system and tools {UNKNOWN} (not in the file)"
    if result.hidden:
        size = f"{number_format.tokens(result.mark, result.hidden)} hidden"
    elif result.system:
        size = f"system and tools {number_format.tokens(result.mark, result.system)}"
    done = len(result.tracks)
    part = f" · {scope_label(result.scope)}" if source.conversation.recorded else ""
    requests = number_format.plural(len(result.turns), "request")
    about = f"{requests}{part}", size, _OFFLINE, cost_basis(result)
    return ReplayPage(
        about=" · ".join(filter(None, about)),
        status=_done_text(done, len(names), "line", replay.seconds),
        done=done,
        total=len(names),
        mark=result.mark,
        names=names,
        choices=strategy_choices(),
        price=_prices(source),
        result=result,
        model_limit=model_limit.tokens,
        paid=tuple(paid_rows(paid(source.conversation))),
    )


def sweep_keys(strategy: Strategy, values: Values) -> tuple[SweepKey, ...]:
    """Return the settings that can be varied, with first values."""
    return tuple(
        _sweep_key(setting, values.get(setting.key))
        for setting in map(find_setting, variable_keys(strategy))
        if setting.kind is not SettingKind.TEXT
    )


def _sweep_key(setting: Setting, current: SettingValue | None) -> SweepKey:
    key, label, about = setting.key, setting.label, setting.help
    if setting.kind is SettingKind.FLAG:
        return SweepKey(key=key, label=label, about=about, values="true,false")
    if setting.kind is SettingKind.CHOICE:
        return SweepKey(
            key=key, label=label, about=about, values=",".join(setting.choices)
        )
    if setting.kind is SettingKind.FRACTION:
        if setting.bounds.low_open or not setting.bounds.low:
            low = 0.1
        else:
            low = setting.bounds.low
        if setting.bounds.high is None or setting.bounds.high >= 1:
            high = 0.9
        else:
            high = setting.bounds.high
        step = max(0.05, round_step((high - low) / _SHARES))
        return SweepKey(
            key=key,
            label=label,
            about=about,
            first=f"{low * 100:g} %",
            last=f"{high * 100:g} %",
            step=f"{step * 100:g} %",
        )
    if isinstance(current, int | float) and current > 0:
        middle = int(current)
    else:
        middle = 8_000
    first = max(int(setting.bounds.low or 1), middle // 4)
    last = middle * 2
    if setting.bounds.high is not None:
        last = min(last, int(setting.bounds.high))
    step = max(1, int(round_step((last - first) / _STEPS, integers_only=True)))
    return SweepKey(
        key=key,
        label=label,
        about=about,
        first=str(first),
        last=str(max(last, first + 1)),
        step=str(step),
    )


def first_vary(strategy: Strategy, values: Values) -> tuple[str, ...]:
    return tuple(
        key.vary for key in sweep_keys(strategy, values) if key.key in strategy.options
    )[:1]


def sweep_page(sweep: Sweep) -> SweepPage:
    source, sizes = sweep.source, sweep.before.sizes
    done = len(sweep.results)
    total = sweep.planned
    before = number_format.tokens(sizes.mark, sizes.before_tokens)
    return SweepPage(
        about=f"{sweep.strategy} · {before} tokens before · {_OFFLINE}",
        status=_done_text(done, total, "value", sweep.seconds) if total else "",
        done=done,
        total=total,
        mark=sizes.mark,
        price=_prices(source),
        strategy=sweep.strategy,
        keys=sweep_keys(find_strategy(sweep.strategy), source.values),
        vary=sweep.vary,
        axes=tuple(_axis(axis, source.values) for axis in sweep.axes),
        points=sweep.results,
        before=sizes.before_tokens,
        problem=sweep.problem,
    )


def _axis(axis: SettingAxis, values: Values) -> SweepAxis:
    setting = find_setting(axis.key)
    current = values.get(axis.key)
    texts = tuple(setting_text(setting.kind, value) for value in axis.values)
    if current in axis.values:
        index = axis.values.index(current)
    else:
        index = -1
    is_range = setting.kind in (SettingKind.FRACTION, SettingKind.WHOLE)
    return SweepAxis(axis.key, setting.label, texts, axis.values, index, is_range)


def folder_page(comparison: FolderComparison) -> FolderPage:
    done = comparison.done
    count = len(comparison.files)
    rows = results_of(done)
    means = means_by_name(rows)
    selected, is_running = comparison.selected, comparison.is_running
    if not any(row.name == selected for row in means):
        strategies = [row.name for row in means if row.name not in (BASELINE, RECORDED)]
        selected = next(iter((*strategies, *(row.name for row in means))), "")
    total = number_format.plural(count, "file")
    compared = number_format.plural(
        sum(not file.problem for file in done), "transcript"
    )
    if comparison.seconds:
        duration = f" in {number_format.seconds(comparison.seconds)}"
    else:
        duration = ""
    recorded = PickerChoice(
        RECORDED, RECORDED, "What the agents themselves made of it.", RECORDED_GROUP
    )
    return FolderPage(
        about=f"{total} in {comparison.folder.name} · {compared} compared",
        status=f"{len(done)} of {total} done{duration}",
        done=len(done),
        total=count,
        names=comparison.names,
        choices=(recorded, *strategy_choices()),
        price=per_session_price_choice(comparison.file.price_as),
        path=str(comparison.folder),
        question=""
        if is_running
        else _folder_question(comparison.resumed, len(done), count),
        means=means,
        selected=selected,
        files=tuple(row for row in rows if folder_name(row) == selected),
        footnote=_folder_footnote(done, comparison.problems),
        is_idle=not is_running,
    )


def _folder_question(known: int, done: int, total: int) -> str:
    files = number_format.plural(total, "file")
    if known:
        return f"{known} of {files} were done before with these settings."
    if done == total:
        return ""
    waiting = f"{files} to compare, on all cores. Nothing is sent."
    if done:
        return f"{done} of {files} are done and kept."
    return waiting


def _folder_footnote(
    files: Sequence[SessionAnswer[Results]], problems: Sequence[str]
) -> str:
    failed = [one_line_text(file.problem_text, 200) for file in files if file.problem]
    more = len(failed) - _MAX_NOTES
    if more > 0:
        rest = [f"{more:,} more files are not transcripts or could not be compared."]
    else:
        rest = []
    return " ".join((*problems[:_MAX_NOTES], *failed[:_MAX_NOTES], *rest))
