"""Images are counted by the formula of the provider of the model."""

import base64
import struct

import pytest

from core.preview.options import Preview, PreviewOptions
from core.preview.preview import compute_preview
from core.settings_store.layers import SettingLayers
from core.tokens.counter import counter_for
from core.transcript.images import guessed_images, image_formula, media_tokens
from core.transcript.model import Media, Message, ReportedUsage, Speaker
from tests.support.builders import ai, conversation, human


def picture(width: int, height: int) -> str:
    """Return a PNG's beginning, which says its size."""
    header = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)
    return base64.b64encode(header + b"\x08\x02\x00\x00\x00").decode()


@pytest.mark.parametrize(
    ("model", "width", "height", "tokens"),
    [
        ("gpt-4o", 1024, 1024, 765),
        ("gpt-4o", 2048, 4096, 1105),
        ("gpt-4.1", 2049, 513, 1445),
        ("gpt-4o-mini", 1024, 1024, 25_501),
        ("openai/gpt-5", 1024, 1024, 630),
        ("gpt-4.1-mini", 1024, 1024, 1_659),
        ("gpt-5-mini", 768, 1024, 922),
        ("o3-2025-04-16", 1024, 1024, 675),
        ("gemini-2.5-pro", 300, 200, 258),
        ("gemini-2.5-pro", 960, 540, 1_548),
        ("gemini-3-pro-preview", 4_000, 3_000, 1_120),
        ("claude-sonnet-4-5", 1_000, 750, 1_000),
        ("a-model-of-its-own", 1_000, 750, 1_000),
    ],
)
def test_an_image_has_the_tokens_that_its_provider_counts(
    model: str, width: int, height: int, tokens: int
) -> None:
    media = Media(mime="image/png", data=picture(width, height))
    message = Message(speaker=Speaker.HUMAN, blocks=(media,))
    assert counter_for(model).message(message) == tokens


def test_an_image_of_low_detail_costs_the_same_whatever_its_size() -> None:
    sent = Media(
        mime="image/png", data="https://plum.example/pear.png", extra={"detail": "low"}
    )
    message = Message(speaker=Speaker.HUMAN, blocks=(sent,))
    assert counter_for("gpt-4o").message(message) == 85
    assert counter_for("gpt-4.1-mini").message(message) == 1_659
    assert guessed_images((message,), image_formula("gpt-4o")) == 0


def test_an_image_of_unknown_size_costs_what_a_square_one_would() -> None:
    link = "https://plum.example/pear.png"
    assert media_tokens(link, image_formula("gpt-4o")) == 765
    assert media_tokens(link, image_formula("claude-sonnet-4-5")) == 1_600


def linked_images(model: str, reported: int | None = None) -> Preview:
    """Preview a session with two images that are links, and one report of a request."""
    link = Media(mime="image/png", data="https://plum.example/pear.png")
    words = (
        human("Look.", link),
        ai("I see."),
        human("And this?", link),
        ai("A pear."),
    )
    usage = () if reported is None else (ReportedUsage(3, reported, None, model),)
    session = conversation(*words, model=model, usage=usage)
    return compute_preview(
        session, SettingLayers().resolve(), PreviewOptions(checks=False)
    )


def test_a_size_with_images_of_unknown_size_is_called_a_guess() -> None:
    method = linked_images("gpt-4o").sizes.count_method
    assert (method.mark, method.label) == (
        "≈",
        "o200k_base; the size of 2 images is a guess",
    )
    assert "guess" not in linked_images("gemini-3-pro-preview").sizes.count_method.label


def test_what_a_guess_lacks_is_not_called_system_prompt() -> None:
    reported = linked_images("gpt-4o", 9_000).sizes
    assert reported.before_tokens > 9_000
    assert "images of unknown size" in reported.overhead_name
    assert linked_images("gpt-4o").sizes.overhead_name == "system prompt and tools"
