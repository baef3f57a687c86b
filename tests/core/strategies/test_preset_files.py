"""Every preset file in the folder is registered, and errors name file and key."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path

import pytest

from core.common.errors import InputError
from core.common.paths import ROOT
from core.presentation.preview_wording import trigger_words
from core.strategies.base import CheckPoint
from core.strategies.presets.engine import preset_strategy
from core.strategies.presets.preset_files import FOLDER, load_all, load_preset
from core.strategies.registry import COMPRESSION_STRATEGIES, STRATEGIES
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


def refused(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as caught:
        load_preset(written(folder, text))
    return caught.value.message


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


def test_presets_follow_the_own_strategies_in_the_order_of_their_files() -> None:
    loaded = [preset.name for preset in load_all()]
    assert [strategy.name for strategy in STRATEGIES if strategy.emulates is not None] == loaded
    assert list(COMPRESSION_STRATEGIES[-len(loaded) :]) == loaded
    orders = [preset.order for preset in load_all()]
    assert len(set(orders)) == len(orders)


def test_a_file_more_is_a_strategy_more(tmp_path: Path) -> None:
    for path in FILES:
        written(tmp_path, path.read_text("utf-8"), path.name)
    written(tmp_path)
    *others, last = load_all(tmp_path)
    assert tuple(others) == load_all()
    made = preset_strategy(last)
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
        ("order = 999", "", "new.toml: order is missing."),
        ("order = 999", 'order = "first"', "new.toml: order must be a whole number."),
        ("order = 999", "order = true", "new.toml: order must be a whole number."),
        ("order = 999", "order = 1\nothers = 2", "new.toml: others is unknown; known: order, about"),
        ("order = 999", 'order = 1\nsummary = "x"', "new.toml: summary must be a table."),
        ('source = "its documentation"', "", "new.toml: emulates.source is missing."),
        ("as_of = 2026-11-21", "as_of = 3", "new.toml: emulates.as_of must be a text."),
        ("tokens = 100_000", "", "new.toml: trigger.mode takes one size"),
        ("tokens = 100_000", "tokens = 1\nshare = 0.5", "new.toml: trigger.mode takes one size"),
        ("tokens = 100_000", 'tokens = 1\nmode = "never"', "new.toml: trigger.mode takes one size"),
        ("tokens = 100_000", 'mode = "continuous"', "new.toml: trigger.mode takes one size"),
        ("tokens = 100_000", 'mode = "at night"', "new.toml: trigger.mode must be one of: threshold"),
        ("[[passes]]", "[passes]", "new.toml: passes must be a list."),
        ('kind = "clear-results"', "", "new.toml: passes[1].kind is missing."),
        ('kind = "clear-results"', 'kind = "wipe"', "new.toml: passes[1].kind must be one of: clear-results"),
        ("keep = 1", "keep = -1", "new.toml: passes[1].keep is below 0."),
        ("keep = 1", "keep = 1.5", "new.toml: passes[1].keep must be a whole number."),
        ("keep = 1", "kept = 1", "new.toml: passes[1].kept is unknown; known: placeholder, keep"),
        ('placeholder = "[gone]"', "", "new.toml: passes[1].placeholder is missing."),
        ("keep = 1", 'classes = ["cook"]', "new.toml: passes[1].classes[1] must be one of: read, write"),
        ("keep = 1", 'tools = ["a", 2]', "new.toml: passes[1].tools[2] must be a text."),
        ("keep = 1", "[split]\n", "new.toml: split and summary go together"),
        ("keep = 1", "keep = = 1", "new.toml cannot be read: "),
    ],
)
def test_what_is_wrong_is_named_with_file_and_key(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert refused(tmp_path, TOML.replace(old, new)).startswith(message)


def test_the_files_are_packaged() -> None:
    """Wheel and sdist include whole folders; no preset is excluded."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    assert FOLDER.relative_to(ROOT).parts[0] == "core"
    targets = tomllib.loads(text)["tool"]["hatch"]["build"]["targets"]
    assert "core" in targets["wheel"]["only-include"]
    assert "/core" in targets["sdist"]["include"]
    assert not any("core" in path for path in targets["wheel"]["exclude"])
