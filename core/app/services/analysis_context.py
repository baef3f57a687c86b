"""What the tabs of Compare need of the session, and saving their tables."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from core.analysis.context import AnalysisInput
from core.analysis.cost.summary_price import PricingModel, pricing_model
from core.app.document import OpenFile
from core.app.events import FileExportedEvent
from core.app.session import Session
from core.common.atomic_file import write_atomic
from core.presentation.model import NoticeAction, PriceChoice
from core.presentation.price_choices import price_choice
from core.preview.options import PreviewOptions
from core.settings.keys import PROFILE, STRATEGY
from core.settings.schema import Values
from core.transcript.model import Conversation

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class AnalysisContext:
    """The open file and the input of its analyses, offline. ``price`` names the model as whose summaries are
    priced that none wrote, "" for the session's."""

    file: OpenFile
    input: AnalysisInput
    price: str

    @property
    def conversation(self) -> Conversation:
        return self.input.conversation

    @property
    def values(self) -> Values:
        return self.input.values

    @property
    def scope(self) -> str:
        return self.input.options.scope

    @property
    def key(self) -> Hashable:
        """All that an analysis over every strategy depends on."""
        values = (
            (key, one.value) for key, one in self.values.by_key.items() if key not in (STRATEGY, PROFILE)
        )
        return id(self.file), self.scope, self.input.options.model, tuple(values)

    @property
    def mark(self) -> str:
        """The mark of token counts that are estimates."""
        return self.file.mark(self.input.options.model)

    @property
    def model(self) -> str:
        """The session's model."""
        return self.file.model(self.input.options.model)

    @property
    def price_as(self) -> PricingModel:
        """The price of summaries that no model wrote."""
        return pricing_model(self.price, self.model)

    @property
    def prices(self) -> PriceChoice:
        """What may be chosen as that."""
        return price_choice(self.conversation, self.price, self.model)

    def save_table(self, path: str, data: bytes) -> FileExportedEvent:
        return save_table(path, data, self.conversation.document.path)


class ResultCache(Generic[_T]):
    """Results by name, computed for one ``key``, with the seconds that they took."""

    def __init__(self) -> None:
        self.key: Hashable = None
        self.results: dict[Any, _T] = {}
        self._seconds: dict[Hashable, float] = {}

    def switch_to(self, key: Hashable) -> None:
        """Forget the results of another key."""
        if key != self.key:
            self.key, self.results, self._seconds = key, {}, {}

    def compute(self, name: Hashable, results: Iterator[_T]) -> None:
        """Store the single result that the iterator yields."""
        started = time.monotonic()
        (self.results[name],) = results
        self._seconds[name] = time.monotonic() - started

    def seconds(self, names: Iterable[Hashable]) -> float:
        return sum(self._seconds.get(name, 0.0) for name in names)


def analysis_context(session: Session) -> AnalysisContext:
    """Return the context of an analysis that a change of settings cancels."""
    view, file, progress = session.view, session.opened_file(), session.reporter(stops_for_newer=True).working
    options = PreviewOptions(view.scope, view.model, progress=progress)
    source = AnalysisInput(file.conversation, view.layers.resolve(), options, file.stages)
    return AnalysisContext(file, source, session.price_as)


def save_table(path: str, data: bytes, source: Path | None = None) -> FileExportedEvent:
    """Write a CSV file over an existing one, never over ``source``."""
    target = Path(path)
    write_atomic(target, data, overwrite=True, source=source)
    links = (NoticeAction("Show in folder", "show", str(target.parent)),)
    return FileExportedEvent(path, f"Wrote {target.name}.", actions=links)
