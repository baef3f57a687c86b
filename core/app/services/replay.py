"""Replays the session request by request under each strategy."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

from core.analysis.replay import (
    Replay,
    limited_input,
    replay_csv,
    replay_input,
    replay_result,
    replay_tracks,
    with_baseline,
)
from core.app.services.analysis import ResultCache, save_table
from core.app.services.service import AnalysisService, AnalysisWorkspace
from core.common.errors import InputError
from core.presentation.compare.pages import first_replayed
from core.settings.schema import STRATEGY

if TYPE_CHECKING:
    from core.analysis.model import ReplayTrack
    from core.app.events import FileExportedEvent


class ReplayService(AnalysisService):
    def __init__(self, workspace: AnalysisWorkspace) -> None:
        super().__init__(workspace)
        self._tracks: ResultCache[ReplayTrack] = ResultCache()
        self._last: Replay | None = None

    def replay(
        self, names: tuple[str, ...], limit: int = 0
    ) -> Generator[Replay, None, None]:
        """Yield the replay so far: first with the known strategies, then after each new one;
        without ``names`` of the first few. ``limit`` replaces the model's, in tokens."""
        yield from self._while_current(self._replayed(names, limit))

    def _replayed(self, names: tuple[str, ...], limit: int) -> Iterator[Replay]:

        source, tracks = self._workspace.whole_input(), self._tracks
        limited = limited_input(source, limit)
        inputs = replay_input(limited)
        tracks.switch_to(limited.key)
        names = with_baseline(names or first_replayed(source.values.text(STRATEGY)))

        def so_far() -> Replay:
            known = [tracks.results[name] for name in names if name in tracks.results]
            result = replay_result(limited, inputs, known)
            self._last = Replay(source, names, inputs, result, tracks.seconds(names))
            return self._last

        yield so_far()
        missing = [name for name in names if name not in tracks.results]
        new = replay_tracks(limited, missing)
        for name in missing:
            tracks.compute(name, new)
            yield so_far()

    def save_table(self, path: str) -> FileExportedEvent:
        """Write the known tracks as CSV."""
        if self._last is None or not self._last.result.tracks:
            raise InputError("Nothing was replayed yet.", "Open Over time first.")
        source = self._last.source.conversation.document.path
        return save_table(path, replay_csv(self._last.result), source)
