"""What all analyses of a conversation take, and helpers that they share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from core.analysis.model import BASELINE
from core.common.errors import InputError
from core.llm.catalog import choose_model
from core.losses.texts import ParsedTexts
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.settings.schema import (
    PROFILE,
    STRATEGY,
    Values,
    offline_values,
    with_strategy,
)
from core.strategies.base import Strategy
from core.tokens.counter import TokenCounter, counter_for
from core.transcript.model import Conversation, Progress

if TYPE_CHECKING:
    from core.analysis.costs import PricingModel

OptionsFactory = Callable[[Strategy, PreviewOptions], PreviewOptions]
"""Options of one strategy, with the writer of its summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisInput:
    """A conversation with settings. Summaries are offline unless ``options.summariser_factory`` or
    ``options_for`` is set. ``writers`` are profiles by name whose summaries are compared, None of
    one that writes offline; ``written`` are their runs by trial, since none is called twice.
    ``options.progress`` may raise Cancelled. ``parsed`` holds the texts of earlier results, which
    share most messages. ``price_as`` names the model as whose summaries are priced that none wrote,
    "" for the session's. ``musts`` are texts that must survive: they judge results, which do not
    depend on them."""

    conversation: Conversation
    values: Values
    options: PreviewOptions = field(default_factory=PreviewOptions)
    stages: StageCache = field(default_factory=StageCache)
    options_for: OptionsFactory | None = None
    writers: Mapping[str, OptionsFactory | None] = field(default_factory=dict)
    written: dict[Hashable, Preview] = field(default_factory=dict)
    parsed: ParsedTexts = field(default_factory=ParsedTexts)
    price_as: str = ""
    musts: tuple[str, ...] = ()

    @property
    def key(self) -> Hashable:
        """What a result depends on beside its strategy."""
        values = (
            (key, one.value)
            for key, one in self.values.by_key.items()
            if key not in (STRATEGY, PROFILE)
        )
        return (
            self.stages.identity,
            self.options.scope,
            self.options.model,
            tuple(values),
        )

    @property
    def model(self) -> str:
        """The model that counts."""
        return choose_model(self.conversation, self.options.model)

    @property
    def mark(self) -> str:
        """How tokens are counted: "=", "≈" or "–"."""
        return self.counter(self.model).method.mark

    @property
    def price(self) -> PricingModel:
        """The price of summaries that no model wrote; empty where a profile's model writes."""
        from core.analysis.costs import (
            PricingModel,
            pricing_model,
        )  # most callers ask for no price

        if self.options_for or self.writers:
            return PricingModel("")
        return pricing_model(self.price_as, self.model)

    @property
    def offline(self) -> AnalysisInput:
        return replace(self, values=offline_values(self.values), options_for=None)

    def written_by(self, profile: str) -> AnalysisInput:
        """Return the input of runs whose summaries one of ``writers`` writes; of no name the same.
        InputError where it is none of them any more."""
        if not profile:
            return self
        if profile not in self.writers:
            text = f"What {profile} wrote is of other settings."
            raise InputError(text, "Compare its summaries again.")
        options_for = self.writers[profile]
        if options_for is None:
            return self.offline
        return replace(self, options_for=options_for)

    @property
    def run_values(self) -> Values:
        """The settings of a run; a profile only counts if a model writes."""
        calls_model = self.options.summary.factory or self.options_for
        if calls_model:
            return self.values
        return offline_values(self.values)

    def run_options(self, strategy: Strategy) -> PreviewOptions:
        if self.options_for:
            return self.options_for(strategy, self.options)
        return self.options

    def for_step(self, index: int, count: int, label: str = "") -> AnalysisInput:
        """Return the input of one of ``count`` parts, whose progress is a part of that of all."""
        progress = partial_progress(self.options.progress, index, count, label)
        progress(0.0, "")
        return replace(self, options=replace(self.options, progress=progress))

    def counter(self, model: str) -> TokenCounter:
        return self.stages.get_or_compute("counter", model, lambda: counter_for(model))


def partial_progress(
    progress: Progress, index: int, count: int, label: str = ""
) -> Progress:
    """Map the progress of one of ``count`` parts to that of all; it never decreases."""
    highest = 0.0

    def report(fraction: float, text: str) -> None:
        nonlocal highest
        highest = max(highest, min(1.0, fraction))
        progress((index + highest) / count, label or text)

    return report


def baseline_preview(
    source: AnalysisInput, scope: str = "", *, checks: bool = True
) -> Preview:
    """Return the counted, unchanged source of a scope (default: that of the analysis)."""
    options = replace(
        source.options,
        provisional=False,
        checks=checks,
        scope=scope or source.options.scope,
        summary=replace(source.options.summary, factory=None, is_written=True),
    )
    values = with_strategy(offline_values(source.values), BASELINE)
    return compute_preview(source.conversation, values, options, source.stages)
