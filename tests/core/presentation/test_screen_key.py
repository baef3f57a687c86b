"""Keys of screens: values of settings, and a digest of everything else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.app.services.runs import ViewState
from core.configuration.layers import SettingLayers
from core.presentation.model import PickerChoice
from core.settings.keys import PRESERVE, READ_WRITE
from core.transcript.pins import MessagePin, PinKind

WISH = ViewState()
SOURCE = (1, 0)


def test_a_setting_changes_the_values_and_nothing_else() -> None:
    changed = replace(WISH, layers=WISH.layers.with_session(READ_WRITE, False)).options(SOURCE)
    assert changed == WISH.options(SOURCE).with_values([(READ_WRITE, False)])
    assert changed.other_digest == WISH.options(SOURCE).other_digest
    assert changed.with_values([(PRESERVE, None)]) is None, "what lies below is not known"


@pytest.mark.parametrize(
    "other",
    [
        {"scope": "current"},
        {"model": "gpt-4o"},
        {"profile": "mine"},
        {"focus": "the schema"},
        {"runs": (PickerChoice("1", "run 1"),)},
        {"put_back": frozenset({3})},
        {"pins": {2: MessagePin(PinKind.KEEP)}},
        {"layers": SettingLayers(saved={PRESERVE: 0.2})},
        {"layers": SettingLayers(profile={PRESERVE: 0.2}, profile_name="mine")},
    ],
    ids=lambda one: next(iter(one)),
)
def test_all_else_is_in_the_word(other: dict[str, Any]) -> None:
    assert replace(WISH, **other).options(SOURCE).other_digest != WISH.options(SOURCE).other_digest


@pytest.mark.parametrize("source", [(2, 0), (1, 1)], ids=["another reading of a file", "a model wrote"])
def test_the_transcript_is_in_the_word(source: tuple[int, int]) -> None:
    assert WISH.options(source).other_digest != WISH.options(SOURCE).other_digest
