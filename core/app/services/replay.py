"""Replays the session request by request under each strategy."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING

from core.app.rpc import Service, remote
from core.app.services.compare import ResultCache
from core.common.errors import InputError
from core.presentation.compare.model import ReplayPage
from core.settings.keys import LIMIT, STRATEGY

if TYPE_CHECKING:
    from core.analysis.model import ReplayResult, ReplayTrack
    from core.app.events import FileExportedEvent
    from core.app.services.analysis_context import AnalysisContext
    from core.app.session import Session


class ReplayService(Service):
    """``_head`` is the replay without its tracks."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._tracks: ResultCache[ReplayTrack] = ResultCache()
        self._head: ReplayResult | None = None

    @remote(latest=True, of_file=True)
    def replay(self, names: tuple[str, ...], limit: int = 0) -> Generator[ReplayPage, None, None]:
        """Yield the replay so far: first with the known strategies, then after each new one; without
        ``names`` of the first few. ``limit`` replaces the model's, in tokens."""
        from core.analysis.replay.replay import (
            replay_context,
            replay_tracks,
            result_without_tracks,
            with_baseline,
        )
        from core.llm.catalog import context_window
        from core.presentation.compare.pages import first_replayed, replay_page

        model_values = self._context().values
        context, tracks = self._context(limit), self._tracks
        if tracks.key != (context.key, limit):
            self._head = result_without_tracks(replay_context(context.input), context.scope)
        tracks.switch_to((context.key, limit))
        own = model_values.get(LIMIT)
        window = context_window(context.conversation, context.model, None if own is None else int(own))
        names = with_baseline(names or first_replayed(model_values.text(STRATEGY)))

        def page() -> ReplayPage:
            assert self._head is not None
            seconds = tracks.seconds(names)
            return replay_page(self._head, names, tracks.results, window.limit, context.prices, seconds)

        yield page()
        for name in names:
            if name not in tracks.results:
                tracks.compute(name, replay_tracks(context.input, (name,)))
                yield page()

    @remote(of_file=True)
    def open_turn(self, name: str, turn: int, limit: int = 0) -> None:
        """Show a strategy's state of the session at the request of a turn (from 1) beside its source."""
        from core.analysis.compare.side_by_side import ComparedSide
        from core.analysis.replay.replay import history_at_turn, replay_context
        from core.app.services.analysis_context import BACK_TO_REPLAY, show_sides

        context = self._context(limit)
        source = context.input.offline
        timeline = replay_context(source).timeline
        before = ComparedSide(f"request {turn}", timeline.messages[: timeline.turns[turn - 1].first])
        after = ComparedSide(f"{name} at request {turn}", history_at_turn(source, name, turn))
        preview = context.file.preview(source.values, source.options)
        title = f"Before is all that was said up to request {turn}, after what {name} had made of it."
        show_sides(self._session, preview, before, after, title, (BACK_TO_REPLAY,))

    @remote(of_file=True)
    def save_table(self, path: str) -> FileExportedEvent:
        """Write the known tracks as CSV."""
        from core.analysis.cost.summary_price import priced_track
        from core.analysis.replay.replay import replay_csv

        context = self._context()
        if self._head is None or not self._tracks.results:
            raise InputError("Nothing was replayed yet.", "Open Over time first.")
        tracks = tuple(priced_track(track, context.price_as) for track in self._tracks.results.values())
        return context.save_table(path, replay_csv(replace(self._head, tracks=tracks)))

    def _context(self, limit: int = 0) -> AnalysisContext:
        from core.analysis.context import with_setting
        from core.app.services.analysis_context import analysis_context

        context = analysis_context(self._session)
        if not limit:
            return context
        values = with_setting(context.values, LIMIT, limit)
        return replace(context, input=replace(context.input, values=values))
