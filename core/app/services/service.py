"""What services work on: the workspace of a window, or an open conversation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol, TypeVar

from core.common.errors import Cancelled

if TYPE_CHECKING:
    from core.analysis.analysis_input import AnalysisInput
    from core.app.workspace import Workspace

_T = TypeVar("_T")


class Service:
    """Methods for the window over the workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace


class AnalysisWorkspace(Protocol):
    """An open conversation with its settings: behind a window, or of a command line."""

    price_as: str

    @property
    def summary_profile_name(self) -> str:
        """The profile that writes the summaries of runs."""
        ...

    def analysis_input(self) -> AnalysisInput: ...

    def must_texts(self) -> tuple[str, ...]:
        """The texts that must survive, of files and as typed."""
        ...

    def whole_input(self) -> AnalysisInput:
        """The same for a replay, which goes through the whole session where no part of it was asked
        for."""
        ...


class AnalysisService:
    """Methods over an open conversation."""

    def __init__(self, workspace: AnalysisWorkspace) -> None:
        self._workspace = workspace

    def _while_current(self, steps: Iterator[_T]) -> Iterator[_T]:
        """Yield the steps of an analysis; raise Cancelled once the open file or its settings are
        others, whose results the caches may hold by then."""
        key = self._workspace.analysis_input().key
        for value in steps:
            yield value
            if self._workspace.analysis_input().key != key:
                raise Cancelled
