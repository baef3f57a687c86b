"""Images are counted by the formula of the provider of the model."""

import base64
import struct

import pytest

from core.tokens.counter import counter_for
from core.transcript.image_tokens import image_formula, media_tokens
from core.transcript.model import Media, Message, Speaker


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


def test_an_image_of_unknown_size_costs_what_a_square_one_would() -> None:
    link = "https://plum.example/pear.png"
    assert media_tokens(link, image_formula("gpt-4o")) == 765
    assert media_tokens(link, image_formula("claude-sonnet-4-5")) == 1_600
