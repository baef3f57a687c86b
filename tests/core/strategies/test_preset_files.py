"""Every preset file in the folder is registered, and errors name the file."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from core.common.errors import InputError
from core.presentation.preview_wording import trigger_words
from core.strategies.base import CheckPoint
from core.strategies.presets.engine import preset_strategy
from core.strategies.presets.preset_files import FOLDER, load_preset
from core.strategies.registry import COMPRESSION_STRATEGIES
from tests.builders import exchange
from tests.core.strategies.strategy_running import context

FILES = sorted(FOLDER.glob("*.toml"))

TOML = """
order = 999
about = "Clears old results."
[emulates]
program = "Some agent"
as_of = 2026-11-21
source = "its documentation"
[trigger]
tokens = 100_000
[[passes]]
kind = "clear-results"
placeholder = "[gone]"
keep = 1
"""


def written(folder: Path, text: str = TOML, name: str = "new.toml") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_becomes_a_strategy_that_says_whom_it_emulates(path: Path) -> None:
    result = preset_strategy(load_preset(path))
    assert result.name == path.stem
    assert result.name in COMPRESSION_STRATEGIES
    assert result.emulates is not None
    assert result.emulates.program
    assert result.emulates.source.endswith(".")
    assert date.fromisoformat(result.emulates.as_of) <= date(2026, 12, 31)
    assert result.trigger.is_fixed
    assert result.requires_llm == bool(result.prompts)


def test_a_file_more_is_a_strategy_more(tmp_path: Path) -> None:
    made = preset_strategy(load_preset(written(tmp_path)))
    assert (made.name, made.about) == ("new", "Clears old results.")
    history = tuple(message for n in range(3) for message in exchange(str(n), "bash", "line\n" * 60))
    result = made.compress(context(history))
    assert result.metadata.strategy_used == "new"
    assert [place for place, fate in enumerate(result.fates) if fate.kind == "edited"] == [1, 3]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("tokens = 100_000", "100,000 tokens"),
        ("share = 0.9", "90 %"),
        ("margin = 33_000", "limit − 33,000"),
        ("messages = 240", "> 240 messages"),
        ("idle_minutes = 60", "after a pause of 60 min"),
        ('mode = "every turn"', "every turn"),
        ('mode = "never"', "never"),
    ],
)
def test_a_trigger_is_one_size_or_none(tmp_path: Path, keys: str, words: str) -> None:
    text = TOML.replace("tokens = 100_000", f'{keys}\ncheck = "after tool results"')
    trigger = load_preset(written(tmp_path, text)).trigger
    assert trigger_words(trigger) == words
    assert trigger.check is CheckPoint.AFTER_TOOLS


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("order = 999", "", "order"),
        ("order = 999", "order = 1\nothers = 2", "others"),
        ('source = "its documentation"', "", "source"),
        ("as_of = 2026-11-21", "as_of = 3", "3 must be a str"),
        ("tokens = 100_000", 'mode = "at night"', "at night"),
        ('kind = "clear-results"', 'kind = "wipe"', "wipe"),
        ("keep = 1", "keep = 1.5", "1.5 must be a int"),
        ("keep = 1", "kept = 1", "kept"),
        ("keep = 1", 'classes = ["cook"]', "cook"),
        ("keep = 1", '[split]\nkeep = "nothing"', "split and summary go together"),
        ("keep = 1", "keep = = 1", "Invalid value"),
    ],
)
def test_what_is_wrong_is_named_with_its_file(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        load_preset(written(tmp_path, TOML.replace(old, new)))
    assert caught.value.message.startswith("new.toml is not a preset: ")
