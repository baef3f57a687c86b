"""What services of analyses share: session, known results; and what a conversation holds as it is."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from core.common.atomic_file import write_atomic
from core.presentation.model import NoticeAction

if TYPE_CHECKING:
    from core.analysis.context import AnalysisInput
    from core.analysis.fidelity.fact_rows import FactRow
    from core.app.events import FileExportedEvent
    from core.lint.common_rules import LintFinding
    from core.transcript.model import Message

_T = TypeVar("_T")


class AnalysisSession(Protocol):
    """An open conversation with its settings: behind a window, or of a command line."""

    price_as: str

    @property
    def writer_name(self) -> str:
        """The profile that writes the summaries of runs."""
        ...

    def analysis_input(self) -> AnalysisInput: ...


class AnalysisService:
    """Methods over an analysis session; modules of services import what they work with late."""

    def __init__(self, session: AnalysisSession) -> None:
        self._session = session


class ResultCache(Generic[_T]):
    """Results by name, computed for one ``key``, with the seconds that they took."""

    def __init__(self) -> None:
        self.key: Hashable = None
        self.results: dict[Any, _T] = {}
        self._seconds: dict[Hashable, float] = {}

    def switch_to(self, key: Hashable) -> None:
        if key != self.key:
            self.key, self.results, self._seconds = key, {}, {}

    def compute(self, name: Hashable, results: Iterator[_T]) -> None:
        """Take the next of the results."""
        started = time.monotonic()
        self.results[name] = next(results)
        self._seconds[name] = time.monotonic() - started

    def seconds(self, names: Iterable[Hashable]) -> float:
        return sum(self._seconds.get(name, 0.0) for name in names)


def save_table(path: str, data: bytes, source: Path | None = None) -> FileExportedEvent:
    """Write a CSV file over an existing one, never over ``source``."""
    from core.app.events import FileExportedEvent

    target = Path(path)
    write_atomic(target, data, overwrite=True, source=source)
    links = (NoticeAction("Show in folder", "show", str(target.parent)),)
    return FileExportedEvent(path, f"Wrote {target.name}.", actions=links)


@dataclass(frozen=True, slots=True)
class TranscriptFindings:
    """What the API of a provider would refuse of ``messages`` messages."""

    provider: str
    messages: int
    findings: tuple[LintFinding, ...]

    @property
    def has_errors(self) -> bool:
        return any(finding.severity == "error" for finding in self.findings)


class TranscriptService(AnalysisService):
    """Answers about the messages of the scope."""

    def facts(self) -> tuple[FactRow, ...]:
        """Return the facts that the Losses tab looks for, by category, then by first mention."""
        from core.analysis.fidelity.fact_rows import fact_rows

        return fact_rows(self._messages(), self._session.analysis_input().options.progress)

    def lint(self, provider: str = "") -> TranscriptFindings:
        """Check the messages by the rules of a provider, by default of the API of format and model."""
        from core.lint.lint import default_provider, lint_messages

        conversation, messages = self._session.analysis_input().conversation, self._messages()
        provider = provider or default_provider(conversation.format, conversation.model)
        return TranscriptFindings(provider, len(messages), tuple(lint_messages(messages, provider)))

    def _messages(self) -> tuple[Message, ...]:
        from core.transcript.scopes import history_of_scope

        source = self._session.analysis_input()
        return history_of_scope(source.conversation, source.options.scope).messages
