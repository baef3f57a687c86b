"""All who say the size of a result agree, over our own samples."""

from pathlib import Path

import pytest

from core.api import size
from core.common.paths import SAMPLES
from core.strategies.registry import STRATEGIES
from tests.studies.promise import Tally, check_result, read_once, read_source, run_walk
from tests.support.command_running import own_home
from tests.support.sampling import sampled

FILES = sorted(path.name for path in SAMPLES.glob("*.json*"))


def test_nothing_that_is_said_of_a_result_contradicts_itself() -> None:
    tally = run_walk(SAMPLES, inputs=12, files=4, seed=1)
    assert tally.contradictions == []
    assert tally.counts["results"] == 12


@pytest.mark.parametrize("file", FILES)
def test_window_commands_library_and_mcp_say_the_same(
    file: str, tmp_path: Path
) -> None:
    source, tally = read_source(SAMPLES / file, file), Tally()
    assert source is not None
    limit = size(source.conversation) // 2
    # Every other strategy: files that follow each other have all of them.
    parts = sampled(1, 2)
    strategies = STRATEGIES[FILES.index(file) % parts :: parts]
    with own_home(tmp_path), read_once(source):
        for strategy in strategies:
            check_result(source, strategy.name, limit, tmp_path, tally)
    assert tally.contradictions == []
    assert tally.counts["MCP compared"] + tally.counts["refused"] == len(strategies)
    assert tally.counts["changed"] > tally.counts["refused"]
