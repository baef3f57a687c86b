"""A folder on a local dask cluster of two workers, on the loopback address only."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.core.analysis.test_compare_folder import TWO
from tests.core.cli.running_cli import Cli
from tests.source_tree import ROOT

CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""
needs_dask = pytest.mark.skipif(find_spec("distributed") is None, reason="the extra dask is not installed")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    script = tmp_path_factory.mktemp("cluster") / "cluster.py"
    script.write_text(CLUSTER)
    with subprocess.Popen(
        [sys.executable, str(script)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as cluster:
        assert cluster.stdout is not None
        address = cluster.stdout.readline().strip()
        assert address.startswith("tcp://127.0.0.1:")
        yield address.replace("tcp://", "dask://")
        cluster.communicate()


@needs_dask
def test_the_cluster_gives_what_the_cores_give(cli: Cli, folder: Path, engine: str) -> None:
    there = cli.json("compare", str(folder), *TWO, "--engine", engine)
    here = cli.json("compare", str(folder), *TWO, "--fresh")
    assert there["engine"] == engine
    assert (there["files"], there["means"][0]["files"]) == (here["files"], 3)
    timeless = [[row | {"seconds": 0} for row in found["rows"]] for found in (there, here)]
    assert timeless[0] == timeless[1]


@needs_dask
def test_a_cluster_that_does_not_answer_is_one_sentence(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.analysis.compare.dask_cluster._CONNECT_TIMEOUT", 0.5)
    assert "No cluster answers at dask://127.0.0.1:9" in cli.error_text(
        "compare", str(folder), "--engine", "dask://127.0.0.1:9"
    )


def test_without_the_extra_it_says_how_to_get_it(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    error = cli.error_text("compare", str(folder), "--engine", "dask://127.0.0.1:9")
    assert "foldline[dask]" in error
