"""Fidelity to the first source after several compactions in a row."""

from __future__ import annotations

from itertools import islice

from core.analysis.context import AnalysisInput
from core.analysis.fidelity.decay import DecayRound, iterate_rounds
from core.common.paths import SAMPLES
from core.configuration.layers import SettingLayers
from core.presentation.fidelity_page import decay_pages
from core.presentation.inspector_model import DECAY_NOTE
from core.preview.options import PreviewOptions
from core.settings.keys import LIMIT, STRATEGY
from core.settings.schema import Values
from core.strategies.middle_out import NAME as MIDDLE
from core.strategies.pinned.strategy import NAME as PINNED
from core.strategies.top_down import NAME as TRUNCATION
from core.transcript.model import Conversation
from core.transcript.pins import MessagePin, PinKind
from tests.builders import ai, conversation, exchange, human
from tests.core.cli.running_cli import Cli

SESSION = str(SAMPLES / "fix-flaky-upload.jsonl")


def settings(strategy: str, limit: int) -> Values:
    return SettingLayers().with_session(STRATEGY, strategy).with_session(LIMIT, limit).resolve()


def long() -> Conversation:
    parts = []
    for number in range(30):
        parts += [human(f"Look at part {number}: https://example.org/part/{number} is broken since May.")]
        parts += exchange(f"c{number}", "Read", "text " * 200, file_path=f"/srv/part_{number}/main.py")
        parts += [ai(f"The cause is `retry_{number}`, because it waits for part {number}.")]
    return conversation(*parts)


def rounds(session: Conversation, values: Values, count: int) -> list[DecayRound]:
    return list(islice(iterate_rounds(AnalysisInput(session, values)), count))


def test_each_round_can_only_lose() -> None:
    first, second, third = (one.weighted for one in rounds(long(), settings(TRUNCATION, 6_000), 3))
    assert first is not None
    assert second is not None
    assert third is not None
    assert 0 < third <= second <= first < 1


def test_a_pinned_message_stays_whole_however_often_it_is_folded() -> None:
    session = long()
    ask = PreviewOptions(pins={4: MessagePin(PinKind.KEEP)})
    made = iterate_rounds(AnalysisInput(session, settings(PINNED, 6_000), ask))
    sizes = [next(made).tokens for _ in range(2)]
    loose = next(iterate_rounds(AnalysisInput(session, settings(PINNED, 6_000))))
    assert sizes[0] != loose.tokens
    assert max(sizes) < 6_000


def test_the_command_line_shows_each_compaction(cli: Cli) -> None:
    found = cli.json("compact", SESSION, "-s", MIDDLE, "--decay", "2")
    assert [one["weighted"] for one in found["decay"]] == sorted(
        (one["weighted"] for one in found["decay"]), reverse=True
    )
    assert found["decay"][0]["tokens"] == found["after"]["tokens"]
    assert cli.json("compact", SESSION, "-s", MIDDLE)["decay"] is None
    cli.run("compact", SESSION, "-s", MIDDLE, "--decay", "2")
    assert "Folded again" in cli.out
    assert DECAY_NOTE in cli.out


def test_the_window_gets_a_page_after_each_compaction() -> None:
    source = AnalysisInput(long(), settings(TRUNCATION, 6_000))
    first, second, *_, last = decay_pages(iterate_rounds(source), "≈")
    assert [bar.label for bar in second.bars] == [first.bars[0].label, second.bars[1].label]
    assert first.bars[0].tip.startswith(f"After 1 compaction: {first.bars[0].label}, ≈")
    assert not second.is_over
    assert last.is_over
    assert last.bars[-1].tip.split(". ", 1)[1].startswith("Already under the target")
