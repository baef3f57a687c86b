"""A prompt that is tried on the open conversation, in words and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from core.analysis.cost.run_cost import run_cost
from core.analysis.summary_check.kept_constraints import Proportion, SummaryRetention
from core.common import number_format
from core.common.number_format import dollar_text
from core.llm.pricing import is_paid
from core.llm.protocol import SummaryRequest
from core.presentation.model import LabelledFigure
from core.presentation.prompts.trial_model import TrialOffer, TrialPage
from core.preview.options import Preview
from core.preview.run_requests import RunRequests
from core.settings.profile import Profile

_NO_FILE = "Open a transcript to try it."
_NO_REQUEST = "There is nothing to summarise."
_WORDING = "Offline fills the sections that the text asks for; how it is worded counts for a model only."
_SAME = (
    "Offline fills the sections that the text asks for; how it is worded counts for a model only. "
    "The built-in text gives this same summary."
)


@dataclass(frozen=True, slots=True)
class PromptTrial:
    """A summary that was tried: its text and tokens, the most it may have, what it holds (None where the
    result was refused and with it what became of each message), and what it cost in US dollars (None: not
    known). ``built_in`` is what the same try with the built-in text holds, None where nobody tried;
    ``is_same``: that gave the same summary. ``is_built_in``: this is that text."""

    profile: Profile
    text: str
    tokens: int
    most: int
    held: SummaryRetention | None
    cost: float | None = None
    built_in: SummaryRetention | None = None
    is_same: bool = False
    is_built_in: bool = False


def trial_key(shown: Preview, name: str, requests: Sequence[SummaryRequest]) -> str:
    """Tells the tries of prompts apart: by what would be asked, and of which conversation."""
    asked = [(one.prompt, one.indices, one.max_tokens, one.focus, one.purpose) for one in requests]
    said = repr((shown.conversation.document.place, shown.history.scope, shown.strategy.name, name, asked))
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def no_trial(shown: Preview | None, name: str, requests: Sequence[SummaryRequest]) -> str:
    """Why a prompt cannot be tried, as a sentence; empty where it can."""
    if shown is None:
        return _NO_FILE
    if name not in shown.strategy.prompts:
        return f"{shown.strategy.name} does not use this prompt."
    if requests:
        return ""
    return shown.compaction.no_op.reason if shown.compaction.no_op is not None else _NO_REQUEST


def trial_offer(
    shown: Preview | None, name: str, requests: Sequence[SummaryRequest], writer: Profile
) -> TrialOffer:
    """What can be tried with a text that would ask these requests."""
    is_model = not writer.is_offline
    return TrialOffer(
        trial_key(shown, name, requests) if shown is not None else "",
        "Try offline",
        f"Try with {writer.name}…" if is_model else "Try with a model…",
        no_trial(shown, name, requests),
        "" if is_model else f"The {writer.name} profile calls no model: choose one that does.",
    )


def price_fact(requests: Sequence[SummaryRequest], writer: Profile) -> tuple[LabelledFigure, ...]:
    """What the requests cost at most with the profile that writes; nothing for one that calls no model."""
    if writer.is_offline or not requests:
        return ()
    words = run_cost(RunRequests(tuple(requests)), writer).words if is_paid(writer) else "nothing to pay"
    return (LabelledFigure(f"Priced as {writer.name}", words),)


def trial_page(tried: PromptTrial, key: str, mark: str) -> TrialPage:
    """The result of a try; ``mark`` says how tokens are counted."""
    if tried.profile.is_offline:
        title, about = "Offline result", "deterministic preview"
        note = _SAME if tried.is_same else _WORDING
    else:
        title = f"Result of {tried.profile.name}"
        about = "" if tried.cost is None else dollar_text(tried.cost)
        is_compared = tried.held is None or tried.built_in or tried.is_built_in
        note = "" if is_compared else _untried(tried.profile)
    return TrialPage(title, about, key, _facts(tried, mark), note, tried.text)


def _untried(profile: Profile) -> str:
    return f"Try the built-in text with {profile.name}, too, to compare."


def _facts(tried: PromptTrial, mark: str) -> tuple[LabelledFigure, ...]:
    held, other = tried.held, None if tried.is_same else tried.built_in
    size = f"{number_format.tokens(mark, tried.tokens)} of {number_format.count(tried.most)}"
    tokens = LabelledFigure("Tokens", size, "warn" if tried.tokens > tried.most else "")
    if held is None:
        return (tokens,) if tried.text else ()
    return (
        tokens,
        *_share("Constraints, word for word", held.constraints, other.constraints if other else None),
        *_share("Open errors", held.errors, other.errors if other else None),
    )


def _share(label: str, share: Proportion, built_in: Proportion | None) -> tuple[LabelledFigure, ...]:
    """How much of a kind is there, and below it how much there is with the built-in text."""
    if not share.whole:
        return (LabelledFigure(label, "none there"),)
    is_worse = not share.held or (built_in is not None and share.held < built_in.held)
    tone = "ok" if share.held == share.whole else "error" if is_worse else "warn"
    own = LabelledFigure(label, _words(share), tone)
    return (own,) if built_in is None else (own, LabelledFigure("– with built in", _words(built_in)))


def _words(share: Proportion) -> str:
    return f"{share.held} of {share.whole}"
