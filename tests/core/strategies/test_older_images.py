"""Older images become a line; the newest stay (`compression.images`)."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from core.preview.options import PreviewOptions
from core.preview.preview import compute_preview
from core.settings.schema import IMAGES, Mode
from core.strategies.registry import STRATEGIES, find_strategy
from core.transcript.compaction import FateKind
from core.transcript.images import images_of
from core.transcript.model import Media, Message, Speaker, ToolResponse
from tests.core.lint.image_headers import png
from tests.core.strategies.strategy_running import context, values
from tests.support.builders import ai, call, conversation, human, talk
from tests.support.narrowing import known

pytestmark = pytest.mark.req("REPAIR-5")
OWN = [one.name for one in STRATEGIES if IMAGES in one.options]


def screenshots(count: int, width: int = 1_000) -> tuple[Message, ...]:
    """Return requests of screenshots, every second one as a block of its own."""
    messages = [human("Make the banner match.")]
    for at in range(count):
        media = {
            "type": "image",
            "source": {"media_type": "image/png", "data": png(width, 700)},
        }
        shown = ToolResponse(
            f"c{at}", "shot", [media, {"type": "text", "text": "shown"}]
        )
        messages += [
            ai("", call("shot", f"c{at}")),
            Message(speaker=Speaker.TOOL, blocks=(shown,)),
        ]
        messages += [human("And this?", Media("image/png", png(width, 700)))]
    return (*messages, *talk(4))


def count(messages: Sequence[Message]) -> int:
    return sum(1 for message in messages for _ in images_of(message))


def test_all_strategies_of_our_own_have_the_pass() -> None:
    assert [
        one.name for one in STRATEGIES if one.emulates is None and not one.package
    ] == OWN


@pytest.mark.parametrize("name", OWN)
def test_the_newest_images_stay(name: str) -> None:
    history = screenshots(6)
    chosen = values(
        context_limit=40_000, compression__strategy=name, compression__images=2
    )
    preview = compute_preview(
        conversation(*history), chosen, PreviewOptions(checks=False)
    )
    compaction = preview.result.compaction
    assert compaction.no_op is None
    assert count(compaction.messages) <= 2
    changed = [
        at
        for at, fate in enumerate(compaction.fates)
        if fate.steps[0].rule == "older images"
    ]
    assert changed == [at for at, one in enumerate(history) if count([one])][:10]
    for place, origins in enumerate(compaction.origins):
        if set(origins) & set(changed) and place not in compaction.inserted:
            assert compaction.fates[origins[0]].kind is not FateKind.KEPT


def test_the_line_says_the_pixels_in_blocks_and_results() -> None:
    strategy = find_strategy("top-down-truncation")
    run = strategy.compress(
        context(screenshots(1), values(**{IMAGES: 0}), limit=100_000)
    )
    texts = str([message.blocks for message in run.messages])
    assert texts.count("[image left out, 1,000 × 700]") == 2
    assert "shown" in texts


def test_nothing_changes_without_the_setting_or_in_reference_mode() -> None:
    history = screenshots(3)
    for given in (
        context(history, values(**{"compression.context-limit": 40000})),
        replace(
            context(history, values(**{IMAGES: 0, "compression.context-limit": 40000})),
            mode=Mode.REFERENCE,
        ),
    ):
        assert count(find_strategy("top-down-truncation").compress(given).messages) > 0


def test_a_no_op_says_that_the_size_is_in_images() -> None:
    chosen = values(context_limit=400_000, compression__strategy="top-down-truncation")
    options = PreviewOptions(checks=False)
    no_op = known(
        compute_preview(
            conversation(*screenshots(4)), chosen, options
        ).result.compaction.no_op
    )
    assert no_op.reason.endswith("The size is in 8 images: set compression.images.")
    assert no_op.suggestion == "compression.images=4"
    without = known(
        compute_preview(conversation(*talk(4)), chosen, options).result.compaction.no_op
    )
    assert "images" not in without.reason
