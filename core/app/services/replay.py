"""Replay: the session under one strategy per command."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from core.analysis.compare.message_differences import ComparedSide, differences_preview
from core.analysis.compare.row_computation import offline_values
from core.analysis.cost.summary_price import priced_track
from core.analysis.replay.model import ReplayResult, ReplayTrack
from core.analysis.replay.replay import (
    history_at_turn,
    replay_context,
    replay_tracks,
    result_without_tracks,
    with_baseline,
)
from core.analysis.replay.replay_csv import replay_csv
from core.app.messages import Event
from core.app.services.analysis_commands import OpenTurnCommand, StartReplayCommand
from core.app.services.side_by_side import turn_notice
from core.common.errors import InputError
from core.presentation.replay.page import ReplayProgress, default_names, replay_page

if TYPE_CHECKING:
    from core.app.services.analysis_context import AnalysisContext, Show


@dataclass(slots=True)
class _KnownTracks:
    """The tracks that were computed for a key, by name."""

    key: Hashable = None
    head: ReplayResult | None = None
    tracks: dict[str, ReplayTrack] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


class ReplayCommandHandler:
    def __init__(self, emit: Callable[[Event], None], show: Show) -> None:
        self._emit, self._show = emit, show
        self._known = _KnownTracks()

    def handle(self, command: StartReplayCommand | OpenTurnCommand, context: AnalysisContext) -> None:
        """Carry out one command; Cancelled passes through, and tracks so far stay known."""
        if isinstance(command, OpenTurnCommand):
            self._open(command, context)
        else:
            self._replay(command, context)

    def _replay(self, command: StartReplayCommand, context: AnalysisContext) -> None:
        known, file = self._known, context.file
        if known.key != context.key or known.head is None:
            base = replay_context(file.conversation, context.values, context.options, file.stages)
            known = self._known = _KnownTracks(
                context.key, result_without_tracks(base, context.options.scope)
            )
        names = with_baseline(command.names or default_names())
        waiting = [name for name in names if name not in known.tracks]
        if waiting and command.names:
            started = time.monotonic()
            for track in replay_tracks(
                file.conversation, waiting[:1], context.values, context.options, file.stages
            ):
                known.tracks[track.name] = track
            known.seconds[waiting[0]] = time.monotonic() - started
        assert known.head is not None
        seconds = sum(known.seconds.get(name, 0.0) for name in names)
        progress = ReplayProgress(
            context.generation, known.head, names, known.tracks, seconds, context.prices
        )
        self._emit(replay_page(progress))

    def table(self, context: AnalysisContext) -> bytes:
        known = self._known
        if known.head is None or known.key != context.key:
            raise InputError("Nothing was replayed yet.", "Open Replay first.")
        tracks = tuple(priced_track(track, context.price_as) for track in known.tracks.values())
        return replay_csv(replace(known.head, tracks=tracks))

    def _open(self, command: OpenTurnCommand, context: AnalysisContext) -> None:
        file, values = context.file, offline_values(context.values)
        base = replay_context(file.conversation, values, context.options, file.stages)
        state = history_at_turn(
            file.conversation, command.name, values, command.turn, context.options, file.stages
        )
        first = base.timeline.turns[command.turn - 1].first
        preview = file.preview_of_values(values, context.options)
        before = ComparedSide(f"turn {command.turn}", base.timeline.messages[:first])
        after = ComparedSide(f"{command.name} at turn {command.turn}", state)
        compared = differences_preview(preview, before, after, file.counter_of(preview), context.generation)
        self._show(file, compared, turn_notice(command.name, command.turn, compared))
