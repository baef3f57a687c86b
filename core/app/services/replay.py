"""Replays the session turn by turn under each strategy."""

from __future__ import annotations

import time
from collections.abc import Generator, Hashable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from core.analysis.replay.model import ReplayResult, ReplayTrack
from core.app.rpc import remote
from core.common.errors import InputError
from core.presentation.replay.model import ReplayPage

if TYPE_CHECKING:
    from core.app.events import FileExportedEvent
    from core.app.session import Session


@dataclass(slots=True)
class _KnownTracks:
    """The tracks that were computed for a key, by name; ``head`` is the result without them."""

    key: Hashable = None
    head: ReplayResult | None = None
    tracks: dict[str, ReplayTrack] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


class ReplayService:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._known = _KnownTracks()

    @remote(latest=True, of_file=True)
    def replay(self, names: tuple[str, ...]) -> Generator[ReplayPage, None, None]:
        """Yield the replay so far: first with the known strategies, then after each new one; without
        ``names`` of the default selection."""
        from core.analysis.replay.replay import (
            replay_context,
            replay_tracks,
            result_without_tracks,
            with_baseline,
        )
        from core.app.services.analysis_context import analysis_context
        from core.presentation.replay.page import ReplayProgress, replay_page
        from core.presentation.strategy_choices import default_strategies

        context = analysis_context(self._session)
        if self._known.key != context.key:
            base = replay_context(context.input)
            self._known = _KnownTracks(context.key, result_without_tracks(base, context.scope))
        known, head, names = self._known, self._known.head, with_baseline(names or default_strategies())
        assert head is not None

        def page() -> ReplayPage:
            seconds = sum(known.seconds.get(name, 0.0) for name in names)
            return replay_page(ReplayProgress(head, names, known.tracks, seconds, context.prices))

        yield page()
        for name in names:
            if name not in known.tracks:
                started = time.monotonic()
                (known.tracks[name],) = replay_tracks(context.input, (name,))
                known.seconds[name] = time.monotonic() - started
                yield page()

    @remote(of_file=True)
    def open_turn(self, name: str, turn: int) -> None:
        """Show a strategy's state of the session at the request of a turn (from 1) beside its source."""
        from core.analysis.compare.side_by_side import ComparedSide
        from core.analysis.replay.replay import history_at_turn, replay_context
        from core.app.services.analysis_context import analysis_context
        from core.app.services.side_by_side import BACK_TO_REPLAY, show_sides

        context = analysis_context(self._session)
        source = context.input.offline
        timeline = replay_context(source).timeline
        state = history_at_turn(source, name, turn)
        preview = context.file.preview_of_values(source.values, source.options)
        before = ComparedSide(f"turn {turn}", timeline.messages[: timeline.turns[turn - 1].first])
        after = ComparedSide(f"{name} at turn {turn}", state)
        title = f"Before is all that was said up to turn {turn}, after what {name} had made of it."
        show_sides(self._session, preview, before, after, title, (BACK_TO_REPLAY,))

    @remote(of_file=True)
    def save_table(self, path: str) -> FileExportedEvent:
        """Write the known tracks as CSV."""
        from core.analysis.cost.summary_price import priced_track
        from core.analysis.replay.replay import replay_csv
        from core.app.services.analysis_context import analysis_context

        context, known = analysis_context(self._session), self._known
        if known.head is None or known.key != context.key:
            raise InputError("Nothing was replayed yet.", "Open Replay first.")
        tracks = tuple(priced_track(track, context.price_as) for track in known.tracks.values())
        return context.save_table(path, replay_csv(replace(known.head, tracks=tracks)))
