"""The desk's part of Replay: one strategy's way through the session per command."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from core.analysis.compare.message_differences import ComparedSide, side_by_side
from core.analysis.compare.row_computation import offline_values
from core.analysis.cost.summary_price import priced_track
from core.analysis.replay.model import ReplayResult, ReplayTrack
from core.analysis.replay.replay import ground_of, head_of, replay_tracks, state_at, with_baseline
from core.analysis.replay.replay_csv import replay_csv
from core.app.messages import Event
from core.app.services.analysis_commands import OpenTurnCommand, StartReplayCommand
from core.app.services.side_by_side import turn_notice
from core.common.errors import InputError
from core.presentation.replay.page import ReplayProgress, first_names, replay_page

if TYPE_CHECKING:
    from core.app.services.analysis_context import AnalysisContext, Show


@dataclass(slots=True)
class _KnownTracks:
    """The tracks that were played for a key, by name."""

    key: Hashable = None
    head: ReplayResult | None = None
    tracks: dict[str, ReplayTrack] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


class ReplayCommandHandler:
    """Plays sessions, and opens their state at a turn."""

    def __init__(self, emit: Callable[[Event], None], show: Show) -> None:
        self._emit, self._show = emit, show
        self._known = _KnownTracks()

    def handle(self, command: StartReplayCommand | OpenTurnCommand, asked: AnalysisContext) -> None:
        """Carry out one command; Cancelled comes through, and what was played so far stays known."""
        if isinstance(command, OpenTurnCommand):
            self._open(command, asked)
        else:
            self._play(command, asked)

    def _play(self, command: StartReplayCommand, asked: AnalysisContext) -> None:
        known, file = self._known, asked.file
        if known.key != asked.key or known.head is None:
            ground = ground_of(file.conversation, asked.values, asked.ask, file.stages)
            known = self._known = _KnownTracks(asked.key, head_of(ground, asked.ask.scope))
        names = with_baseline(command.names or first_names())
        waiting = [name for name in names if name not in known.tracks]
        if waiting and command.names:
            started = time.monotonic()
            for track in replay_tracks(file.conversation, waiting[:1], asked.values, asked.ask, file.stages):
                known.tracks[track.name] = track
            known.seconds[waiting[0]] = time.monotonic() - started
        assert known.head is not None
        seconds = sum(known.seconds.get(name, 0.0) for name in names)
        found = ReplayProgress(asked.generation, known.head, names, known.tracks, seconds, asked.prices)
        self._emit(replay_page(found))

    def table(self, asked: AnalysisContext) -> bytes:
        """The tracks that were played, as CSV."""
        known = self._known
        if known.head is None or known.key != asked.key:
            raise InputError("Nothing was replayed yet.", "Open Replay first.")
        tracks = tuple(priced_track(track, asked.price_as) for track in known.tracks.values())
        return replay_csv(replace(known.head, tracks=tracks))

    def _open(self, command: OpenTurnCommand, asked: AnalysisContext) -> None:
        file, values = asked.file, offline_values(asked.values)
        ground = ground_of(file.conversation, values, asked.ask, file.stages)
        state = state_at(file.conversation, command.name, values, command.turn, asked.ask, file.stages)
        first = ground.tape.turns[command.turn - 1].first
        made = file.preview_of_values(values, asked.ask)
        before = ComparedSide(f"turn {command.turn}", ground.tape.messages[:first])
        after = ComparedSide(f"{command.name} at turn {command.turn}", state)
        seen = side_by_side(made, before, after, file.counter_of(made), asked.generation)
        self._show(file, seen, turn_notice(command.name, command.turn, seen))
