"""Fast constructors return the same values as the constructors."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest

from core.formats.common import fast_constructors
from core.transcript.model import Message, MessageFlag, Source, Speaker, Text, ToolCall, ToolResponse

SOURCE, EXTRA = Source(3, 10, 20), {"cache": True}
PAIRS: tuple[tuple[Any, Any], ...] = (
    (fast_constructors.text("hi"), Text("hi")),
    (fast_constructors.text("hi", EXTRA), Text("hi", EXTRA)),
    (fast_constructors.call("c", "Read", {"path": "a"}, EXTRA), ToolCall("c", "Read", {"path": "a"}, EXTRA)),
    (fast_constructors.response("c", "", "out"), ToolResponse("c", "", "out")),
    (
        fast_constructors.response("c", "Read", "out", "no", EXTRA),
        ToolResponse("c", "Read", "out", "no", EXTRA),
    ),
    (fast_constructors.source(3, 10, 20), SOURCE),
    (fast_constructors.source(3, 10, 20, 1), Source(3, 10, 20, 1)),
    (
        fast_constructors.message(Speaker.AI, (Text("hi"),), (SOURCE,), MessageFlag.META, "m", "now", EXTRA),
        Message(Speaker.AI, (Text("hi"),), (SOURCE,), MessageFlag.META, "m", "now", EXTRA),
    ),
)


@pytest.mark.parametrize(("made", "constructed"), PAIRS)
def test_values_are_those_of_the_constructors(made: Any, constructed: Any) -> None:
    assert (type(made), repr(made)) == (type(constructed), repr(constructed))
    assert made == constructed == pickle.loads(pickle.dumps(made))


@pytest.mark.parametrize("made", [made for made, _ in PAIRS])
def test_values_cannot_be_changed(made: Any) -> None:
    for field in fields(made):
        with pytest.raises(FrozenInstanceError):
            setattr(made, field.name, None)
