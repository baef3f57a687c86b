"""Conversations with the same tokens in every message, so that sums can be checked by hand."""

from typing import Any

from core.analysis.analysis_input import AnalysisInput
from core.analysis.model import ReplayResult, ReplayTrack
from core.analysis.replay import replay_input, replay_result, replay_tracks
from core.preview.options import PreviewOptions
from core.settings.schema import SettingValue
from core.transcript.model import Conversation, Message, Opaque, Speaker
from tests.core.strategies.strategy_running import values
from tests.support.builders import conversation

MODEL = "claude-sonnet-4-5"
SIZE = 1000
"""Tokens of each message."""


def sized_message(speaker: Speaker, tokens: int = SIZE, *, name: str = "") -> Message:
    """Return a message of this reported size; ``name`` distinguishes it."""
    return Message(speaker=speaker, blocks=(Opaque("hidden", name, tokens),))


def session(turns: int, **fields: Any) -> Conversation:
    """Return questions and answers of 1,000 tokens each: requests of 1,000, 3,000, 5,000 …
    tokens."""
    speakers = (Speaker.HUMAN, Speaker.AI)
    talk = [
        sized_message(speaker, name=f"turn {turn}")
        for turn in range(turns)
        for speaker in speakers
    ]
    return conversation(*talk, **{"model": MODEL} | fields)


def replay_session(
    source: Conversation,
    *names: str,
    ask: PreviewOptions | None = None,
    limit: int | None = 10_000,
    **settings: SettingValue,
) -> ReplayResult:
    setting_values = values(
        **({} if limit is None else {"context_limit": limit}), **settings
    )
    given = AnalysisInput(
        conversation=source, values=setting_values, options=ask or PreviewOptions()
    )
    return replay_result(given, replay_input(given), replay_tracks(given, names))


def replayed_track(talk: Conversation, name: str, **settings: Any) -> ReplayTrack:
    (found,) = replay_session(talk, name, **settings).tracks
    return found
