"""``compact --aim``: the settings that bring a result to a size, and what is said where none was
named and the result is too large."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.cli.opened_transcript import OpenedConversation
from core.cli.output.console import ConsoleProgress, print_note
from core.common.number_format import count
from core.presentation.compare.columns import out_of_reach, set_options
from core.presentation.preview_wording import ABOVE_LIMIT, result_standing
from core.preview.options import Preview
from core.settings.schema import STRATEGY, with_setting
from core.strategies.registry import find_strategy
from core.trials.axes import aim_tokens, aimed_trial, has_size
from core.trials.trial import Trial


@dataclass(frozen=True, slots=True)
class SettledAim:
    """An aim in tokens, and the trial that reaches it or comes nearest."""

    tokens: int
    trial: Trial


def settle_aim(transcript: OpenedConversation) -> SettledAim | None:
    """Give the transcript the settings that reach its ``--aim`` or come nearest, found with its pins,
    focus and musts and offline summaries; say those that reach it. None without an aim. Raises
    InputError for a share of a limit that is not known."""
    options = transcript.options
    if not options.aim:
        return None
    source = transcript.analysis_input()
    asked = replace(
        source.options,
        pins=transcript.pins,
        focus=options.focus,
        musts=transcript.musts,
    )
    source = replace(source, options=asked)
    strategy = find_strategy(transcript.values.text(STRATEGY)).name
    aim = aim_tokens(source, options.aim)
    with ConsoleProgress(options) as progress:
        progress(0.0, f"Settings of {strategy} for {count(aim)} tokens")
        trial, tokens = aimed_trial(source, strategy, aim)
    for key, value in trial.settings:
        transcript.values = with_setting(transcript.values, key, value)
    if trial.settings and tokens <= aim:
        print_note(
            options,
            f"These settings leave at most {count(aim)} tokens: {set_options(trial)}",
        )
    return SettledAim(aim, trial)


def size_warning(preview: Preview, aimed: SettledAim | None) -> tuple[str, ...]:
    """Return what to do about a result that is too large, by the aim, the limit or the trigger."""
    if aimed is not None:
        return _aim_warning(preview, aimed.tokens, aimed.trial)
    sizes, name = preview.sizes, preview.strategy.name
    standing = result_standing(preview)
    wanted = sizes.trigger_tokens
    if standing.word == ABOVE_LIMIT:
        wanted = sizes.model_limit.tokens
    if not standing.excess or not wanted:
        return ()
    problem = ""
    if preview.missed is None:  # else that is said already
        problem = (
            f"The next request would be {standing.text} of {count(wanted)} tokens. "
        )
    if has_size(name):
        return (
            f"{problem}--aim {wanted} looks for settings of {name} that leave less.",
        )
    return (f"{problem}No setting of {name} makes it smaller. {_others(wanted)}",)


def _aim_warning(preview: Preview, aim: int, aimed: Trial) -> tuple[str, ...]:
    tokens = preview.sizes.after_tokens
    if tokens <= aim:
        return ()
    problem = f"{preview.strategy.name} {out_of_reach(aim, tokens)}"
    if aimed.settings:
        problem += f" with {set_options(aimed)}"
    return (f"{problem}. {_others(aim)}",)


def _others(tokens: int) -> str:
    return f"See which strategies can: foldline compare FILE --aim {tokens}."
