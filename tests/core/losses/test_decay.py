"""What several compactions in a row leave."""

from itertools import islice

from core.common.paths import SAMPLES
from core.losses.losses_of import DecayRound, iterate_rounds
from core.presentation.inspector_model import DECAY_NOTE
from core.presentation.losses_page import decay_pages
from core.preview.options import PreviewOptions
from core.settings.schema import Values
from core.strategies.excerpt import NAME as EXCERPT
from core.strategies.middle_out import NAME as MIDDLE
from core.strategies.top_down import NAME as TRUNCATION
from core.transcript.model import (
    Conversation,
)
from core.transcript.pins import MessagePin, PinKind
from tests.core.cli.running_cli import Cli
from tests.core.strategies.strategy_running import values
from tests.support.builders import (
    ai,
    conversation,
    exchange,
    human,
)

SESSION = str(SAMPLES / "fix-flaky-upload.jsonl")


def settings(strategy: str, limit: int) -> Values:
    return values(compression__strategy=strategy, context_limit=limit)


def long() -> Conversation:
    parts = []
    for number in range(30):
        parts += [
            human(
                f"Look at part {number}: https://example.org/part/{number} is broken since May."
            )
        ]
        parts += exchange(
            f"c{number}", "Read", "text " * 200, file_path=f"/srv/part_{number}/main.py"
        )
        parts += [
            ai(f"The cause is `retry_{number}`, because it waits for part {number}.")
        ]
    return conversation(*parts)


def rounds(session: Conversation, values: Values, count: int) -> list[DecayRound]:
    return list(islice(iterate_rounds(session, values, PreviewOptions()), count))


def test_each_round_can_only_lose() -> None:
    found = rounds(long(), settings(TRUNCATION, 6_000), 3)
    first, second, third = (one.word_for_word for one in found)
    assert 0 < third <= second <= first < found[0].person_messages


def test_a_pinned_message_stays_whole_however_often_it_is_folded() -> None:
    session = long()
    ask = PreviewOptions(pins={4: MessagePin(PinKind.KEEP)})
    own = settings(EXCERPT, 6_000)
    made = iterate_rounds(session, own, ask)
    sizes = [next(made).tokens for _ in range(2)]
    loose = next(iterate_rounds(session, own, PreviewOptions()))
    assert sizes[0] != loose.tokens
    assert max(sizes) < 6_000


def test_the_command_line_shows_each_compaction(cli: Cli) -> None:
    found = cli.json("compact", SESSION, "-s", MIDDLE, "--decay", "2")
    first, second = (one["word_for_word"] for one in found["decay"])
    assert 0 < second <= first < found["decay"][0]["said"]
    assert found["decay"][0]["tokens"] == found["after"]["tokens"]
    assert cli.json("compact", SESSION, "-s", MIDDLE)["decay"] is None
    cli.run("compact", SESSION, "-s", MIDDLE, "--decay", "2")
    assert "Compacted again" in cli.out
    assert DECAY_NOTE in cli.out


def test_the_window_gets_a_page_after_each_compaction() -> None:
    made = iterate_rounds(long(), settings(TRUNCATION, 6_000), PreviewOptions())
    first, second, *_, last = decay_pages(made, "≈")
    assert [bar.label for bar in second.bars] == [
        first.bars[0].label,
        second.bars[1].label,
    ]
    assert first.bars[0].tip.startswith(f"After 1 compaction: {first.bars[0].label}, ≈")
    assert not second.is_over
    assert last.is_over
    assert "within the target of " in last.bars[-1].tip


def test_no_model_is_called_whatever_profile_is_set() -> None:
    paid = values(compression__strategy=MIDDLE, compression__profile="paid")
    first, second = rounds(long(), paid, 2)
    assert first.tokens > second.tokens
