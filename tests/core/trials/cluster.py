"""A dask cluster of one worker, in a process of its own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.source_tree import ROOT

_CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(
        n_workers=1, processes=False, protocol="tcp", host="127.0.0.1",
        dashboard_address=None, silence_logs=50,
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""
needs_dask = pytest.mark.skipif(
    find_spec("distributed") is None, reason="the extra dask is not installed"
)


@contextmanager
def run_cluster(folder: Path) -> Iterator[str]:
    """Yield the engine's name: "dask://HOST:PORT"."""
    script = folder / "cluster.py"
    script.write_text(_CLUSTER)
    with subprocess.Popen(
        [sys.executable, str(script)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as cluster:
        assert cluster.stdout is not None
        address = cluster.stdout.readline().strip()
        assert address.startswith("tcp://127.0.0.1:")
        yield address.replace("tcp://", "dask://")
        cluster.communicate()
