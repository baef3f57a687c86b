"""Runs that the prompt cache makes too expensive are refused until something is added."""

from __future__ import annotations

from core.engine.context_limits import emergency_budget
from core.engine.events import CompressionEnded
from core.settings.schema import Mode
from core.strategies.pinned import strategy as pinned
from core.transcript.compaction import NoOpCode
from tests.builders import exchange, human, talk
from tests.core.engine.engine_running import SessionRecorder
from tests.core.strategies.strategy_running import tokens

LOG = "line of a log that says little\n" * 80


def loop(threshold: float) -> SessionRecorder:
    """A session above its trigger, whose first output alone could go."""
    messages = [
        human("Read it"),
        *exchange("a", "Bash", LOG, command="make a"),
        *talk(120),
        human("And now?"),
    ]
    size = tokens(messages)
    return SessionRecorder(
        messages,
        limit=round((size - 500) / pinned.TARGET),
        compression__strategy=pinned.NAME,
        compression_threshold=threshold,
    )


def test_what_would_not_pay_is_refused_until_something_is_added() -> None:
    running = loop(0.4005)
    refused = running.session.before_send()
    assert refused is not None
    assert refused.no_op is not None
    assert refused.no_op.code is NoOpCode.CACHE_DEARER
    assert running.raw[2].blocks[0] == exchange("a", "Bash", LOG)[1].blocks[0]
    assert running.session.before_send() is None
    running.session.add(human("More"))
    assert running.session.before_send() is not None
    assert len(running.events_of(CompressionEnded)) == 2


def test_a_run_that_has_to_make_room_is_never_refused_even_after_it_was() -> None:
    running = loop(0.4005)
    refused = running.session.before_send()
    assert refused is not None
    assert refused.no_op is not None
    limit = running.session.limit
    assert limit is not None
    usable = emergency_budget(limit, 1, Mode.SAFE).usable
    made = running.session.enforce(output_budget=usable - running.session.used + 100)
    assert made is not None
    assert made.no_op is None
