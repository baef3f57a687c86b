"""``compact --aim``: the settings that bring a result to a size, and what is said where none was
named and the result is too large."""

from __future__ import annotations

from core.cli.opened_transcript import OpenedConversation
from core.cli.output.console import ConsoleProgress, print_note
from core.common.number_format import count
from core.presentation.preview_wording import ABOVE_LIMIT, result_standing
from core.preview.options import Preview
from core.settings.schema import STRATEGY, with_setting
from core.strategies.registry import find_strategy
from core.trials.aimed import aim_tokens, aimed_trial, has_size


def settle_aim(transcript: OpenedConversation) -> None:
    """Give the transcript the settings that reach its ``--aim``, found with offline summaries, and
    say which. Raises InputError for a share of a limit that is not known."""
    options = transcript.options
    if not options.aim:
        return
    source = transcript.analysis_input()
    strategy = find_strategy(transcript.values.text(STRATEGY)).name
    aim = aim_tokens(source, options.aim)
    with ConsoleProgress(options) as progress:
        progress(0.0, f"Settings of {strategy} for {count(aim)} tokens")
        trial = aimed_trial(source, strategy, aim)
    for key, value in trial.settings:
        transcript.values = with_setting(transcript.values, key, value)
    transcript.aim = aim
    words = " ".join(f"--set {key}={value:g}" for key, value in trial.settings)
    if words:
        print_note(options, f"For at most {count(aim)} tokens: {words}")


def size_warning(transcript: OpenedConversation, preview: Preview) -> tuple[str, ...]:
    """Return what to do about a result that is too large, by the aim, the limit or the trigger."""
    tokens, sizes = preview.sizes.after_tokens, preview.sizes
    name = preview.strategy.name
    if transcript.aim:
        if tokens <= transcript.aim:
            return ()
        return (
            f"{name} leaves {count(tokens)} tokens and cannot reach {count(transcript.aim)}. "
            f"{_others(transcript.aim)}",
        )
    standing = result_standing(preview)
    wanted = sizes.trigger_tokens
    if standing.word == ABOVE_LIMIT:
        wanted = sizes.model_limit.tokens
    if not standing.excess or not wanted:
        return ()
    problem = ""
    if preview.missed is None:  # else that is said already
        problem = f"The next request is {standing.text} of {count(wanted)} tokens. "
    if has_size(name):
        return (f"{problem}--aim {wanted} finds settings of {name} that leave less.",)
    return (f"{problem}{name} has no setting of its size. {_others(wanted)}",)


def _others(tokens: int) -> str:
    return f"foldline compare FILE --aim {tokens} names the strategies that do."
