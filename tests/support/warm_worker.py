"""Worker processes that start in milliseconds: forked from a process that has loaded all of core.

The program starts a worker as a new process, which takes a second of loading; some two hundred
tests open a window. Tests of the start itself (tests/core/app) use the program's own way.
"""

import multiprocessing
import multiprocessing.forkserver
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest


class WarmContext:
    """Has what core calls of multiprocessing's context "spawn"."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["tests.support.warm_worker_modules"])
        multiprocessing.forkserver.ensure_running()  # now, before a test changes the environment
        self.Pipe, self.Process = self._context.Pipe, self._process

    def _process(
        self, target: Callable[..., object], args: tuple[object, ...], **options: Any
    ) -> Any:
        return self._context.Process(
            target=_run, args=(dict(os.environ), target, args), **options
        )


def _run(
    environment: Mapping[str, str],
    target: Callable[..., object],
    args: tuple[object, ...],
) -> None:
    os.environ.update(environment)
    target(*args)


def run_code(code: str, arguments: Sequence[str], output: Path, errors: Path) -> None:
    """Run code in a forked process as a new Python would; what it prints goes to two files."""
    sys.argv[1:] = arguments
    with (
        output.open("w") as out,
        errors.open("w") as err,
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        exec(code, {})


@pytest.fixture(scope="session")
def warm_context() -> WarmContext:
    return WarmContext()


@pytest.fixture(scope="module", autouse=True)
def warm_workers(warm_context: WarmContext) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multiprocessing, "get_context", lambda _method: warm_context)
        yield
