"""What Compare, Replay and Sweep are handed with each command."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from core.analysis.compare.row_computation import CompareContext, offline_values
from core.analysis.cost.summary_price import PricingModel, pricing_model
from core.app.document import OpenFile
from core.presentation.model import Notice, PriceChoice
from core.presentation.price_choices import price_choice
from core.preview.options import Preview, PreviewOptions
from core.settings.keys import PROFILE, STRATEGY
from core.settings.values import Values

Show = Callable[[OpenFile, Preview, Notice], None]


@dataclass(frozen=True, slots=True)
class AnalysisContext:
    """What an analysis is asked of: the open file, settings, scope, model, progress; counts answers.

    ``price`` names the model as whose summaries are priced that none wrote, "" for the session's.
    """

    file: OpenFile
    values: Values
    options: PreviewOptions
    generation: int
    price: str = ""

    @property
    def key(self) -> Hashable:
        """All that an analysis over every strategy depends on."""
        told = ((key, one.value) for key, one in self.values.by_key.items() if key not in (STRATEGY, PROFILE))
        return id(self.file), self.options.scope, self.options.model, tuple(told)

    @property
    def model(self) -> str:
        """The session's model."""
        return self.file.model(self.options.model)

    @property
    def price_as(self) -> PricingModel:
        """The price of summaries that no model wrote."""
        return pricing_model(self.price, self.model)

    @property
    def prices(self) -> PriceChoice:
        """What may be chosen as that."""
        return price_choice(self.file.conversation, self.price, self.model)

    def contest(self) -> CompareContext:
        """What the rows share; summaries are offline."""
        return CompareContext(
            self.file.conversation, offline_values(self.values), self.options, self.file.stages
        )
