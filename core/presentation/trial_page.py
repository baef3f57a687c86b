"""Formats the trial of a prompt on the open conversation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from core.analysis.cost.run_cost import run_cost
from core.analysis.summary_check.preview_summaries import Proportion, SummaryRetention
from core.common import number_format
from core.common.number_format import dollar_text
from core.llm.pricing import is_paid
from core.llm.protocol import SummaryRequest
from core.presentation.model import LabelledFigure
from core.presentation.prompt_model import TrialOffer, TrialPage
from core.preview.options import Preview
from core.preview.pipeline import RunRequests
from core.settings.profile import Profile

_NO_REQUEST = "There is nothing to summarise."
_WORDING = "Offline fills the sections that the text asks for; how it is worded counts for a model only."


@dataclass(frozen=True, slots=True)
class PromptTrial:
    """A trial summary with its tokens and budget. ``retained`` is what it retains, None if the result was
    refused; ``cost`` in US dollars, None if unknown. ``built_in`` is what the built-in text retains, None if
    not tried; ``is_same``: it gave the same summary. ``is_built_in``: this is the built-in text."""

    profile: Profile
    text: str
    tokens: int
    max_tokens: int
    retained: SummaryRetention | None
    cost: float | None = None
    built_in: SummaryRetention | None = None
    is_same: bool = False
    is_built_in: bool = False


def trial_key(preview: Preview, name: str, requests: Sequence[SummaryRequest]) -> str:
    """Identify a trial by its requests and conversation."""
    values = [(one.prompt, one.indices, one.max_tokens, one.focus, one.purpose) for one in requests]
    place, scope = preview.conversation.document.absolute_path, preview.history.scope
    source = repr((place, scope, preview.strategy.name, name, values))
    return blake2b(source.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def no_trial(preview: Preview | None, name: str, requests: Sequence[SummaryRequest]) -> str:
    if preview is None:
        return "Open a transcript to try it."
    if name not in preview.strategy.prompts:
        return f"{preview.strategy.name} does not use this prompt."
    no_op = preview.compaction.no_op
    return "" if requests else no_op.reason if no_op is not None else _NO_REQUEST


def trial_offer(
    preview: Preview | None, name: str, requests: Sequence[SummaryRequest], writer: Profile
) -> TrialOffer:
    is_model = not writer.is_offline
    return TrialOffer(
        trial_key(preview, name, requests) if preview is not None else "",
        "Try offline",
        f"Try with {writer.name}…" if is_model else "Try with a model…",
        no_trial(preview, name, requests),
        "" if is_model else f"The {writer.name} profile calls no model: choose one that does.",
    )


def price_fact(requests: Sequence[SummaryRequest], writer: Profile) -> tuple[LabelledFigure, ...]:
    """Return the most that the requests can cost; nothing for a profile without calls."""
    if writer.is_offline or not requests:
        return ()
    words = run_cost(RunRequests(tuple(requests)), writer).text if is_paid(writer) else "nothing to pay"
    return (LabelledFigure(f"Priced as {writer.name}", words),)


def trial_page(trial: PromptTrial, key: str, mark: str) -> TrialPage:
    """Return the result of a trial; ``mark`` is the counting method."""
    if trial.profile.is_offline:
        title, about = "Offline result", "written without a model"
        note = f"{_WORDING} The built-in text gives this same summary." if trial.is_same else _WORDING
    else:
        title = f"Result of {trial.profile.name}"
        about = "" if trial.cost is None else dollar_text(trial.cost)
        is_compared = trial.retained is None or trial.built_in or trial.is_built_in
        note = "" if is_compared else f"Try the built-in text with {trial.profile.name}, too, to compare."
    return TrialPage(title, about, key, tuple(_facts(trial, mark)), note, trial.text)


def _facts(trial: PromptTrial, mark: str) -> Iterator[LabelledFigure]:
    """Yield the size, then the share of each kind, with that of the built-in text below it."""
    retained, built_in = trial.retained, None if trial.is_same else trial.built_in
    if retained is not None or trial.text:
        size = f"{number_format.tokens(mark, trial.tokens)} of {number_format.count(trial.max_tokens)}"
        yield LabelledFigure("Tokens", size, "warn" if trial.tokens > trial.max_tokens else "")
    if retained is not None:
        other = (built_in.constraints, built_in.errors) if built_in else (None, None)
        yield from _share("Rules, word for word", retained.constraints, other[0])
        yield from _share("Open errors", retained.errors, other[1])


def _share(label: str, share: Proportion, built_in: Proportion | None) -> Iterator[LabelledFigure]:
    if not share.total:
        yield LabelledFigure(label, "none there")
        return
    is_worse = not share.count or (built_in is not None and share.count < built_in.count)
    tone = "ok" if share.count == share.total else "error" if is_worse else "warn"
    yield LabelledFigure(label, f"{share.count} of {share.total}", tone)
    if built_in is not None:
        yield LabelledFigure("– with built in", f"{built_in.count} of {built_in.total}")
