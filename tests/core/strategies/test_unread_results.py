"""A group of results that the model has not read keeps its beginnings and ends."""

import pytest

from core.preview.options import PreviewOptions
from core.preview.preview import compute_preview
from core.strategies.registry import STRATEGIES
from core.strategies.stubs import trimmed_results
from core.transcript.compaction import Compaction, FateKind, NoOpCode
from core.transcript.model import Message, ToolResponse
from tests.core.lint.image_headers import png
from tests.core.strategies.strategy_running import tokens, values
from tests.support.builders import ai, call, conversation, human, response, talk, tool
from tests.support.narrowing import known

pytestmark = pytest.mark.req("REPAIR-7")
OWN = [one.name for one in STRATEGIES if one.emulates is None and not one.package]
LIMIT = 20_000


def output(number: int, lines: int) -> str:
    return f"begin {number}\n" + f"line of result {number}\n" * lines + f"end {number}"


def group(lines: int) -> tuple[Message, ...]:
    calls = [call("run", f"c{number}") for number in range(4)]
    results = [
        response(f"c{number}", "run", output(number, lines)) for number in range(4)
    ]
    return (human("Look at all four."), ai("", *calls), tool(*results))


def run(name: str, *messages: Message) -> Compaction:
    chosen = values(compression__strategy=name, context_limit=LIMIT)
    return compute_preview(
        conversation(*messages), chosen, PreviewOptions(checks=False)
    ).result.compaction


def texts(message: Message) -> list[str]:
    return [str(one.result) for one in message.blocks if isinstance(one, ToolResponse)]


@pytest.mark.parametrize("name", OWN)
def test_each_result_keeps_its_beginning_and_end(name: str) -> None:
    compaction = run(name, *group(1_500))
    found = texts(compaction.messages[-1])
    assert [
        text.startswith(f"begin {number}\n") for number, text in enumerate(found)
    ] == [True] * 4
    assert [text.endswith(f"end {number}") for number, text in enumerate(found)] == [
        True
    ] * 4
    assert sum(map(len, found)) < LIMIT * 4
    assert compaction.fates[-1].last.rule == "unread results"
    assert compaction.fates[0].kind is FateKind.KEPT


@pytest.mark.parametrize("name", OWN)
def test_a_group_that_fits_and_results_that_were_read_are_left_to_the_strategy(
    name: str,
) -> None:
    for messages in (group(5), (*group(1_500), ai("Read."), *talk(3))):
        rules = {
            step.rule for fate in run(name, *messages).fates for step in fate.steps
        }
        assert "unread results" not in rules


def test_a_group_that_no_cut_makes_smaller_leaves_the_reason_of_the_strategy() -> None:
    picture = {
        "type": "image",
        "source": {"media_type": "image/png", "data": png(900, 700)},
    }
    shown = response("c", "shot", [picture, {"type": "text", "text": output(1, 6_000)}])
    no_op = known(
        run("middle-out", human("Look."), ai("", call("shot", "c")), tool(shown)).no_op
    )
    assert no_op.code is NoOpCode.TOO_FEW


def test_smaller_results_stay_whole_and_larger_ones_share_what_is_left() -> None:
    lines = (5, 2_000, 2_000, 5)
    messages = [
        tool(response(f"c{at}", "run", output(at, count)))
        for at, count in enumerate(lines)
    ]
    trimmed = trimmed_results(messages, 4_000, tokens)
    assert [new is old for new, old in zip(trimmed, messages, strict=True)] == [
        True,
        False,
        False,
        True,
    ]
    assert 3_500 < tokens(trimmed) <= 4_000 * 1.01
