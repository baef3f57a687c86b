"""Runs the jobs of a process pool in this process, for tests of what the jobs give."""

import pickle
from collections.abc import Iterator, Sequence
from typing import Any

from core.common.process_pool import JobFailure, ProcessPool


def run_here(
    pool: ProcessPool, jobs: Sequence[Any], poll_seconds: float | None
) -> Iterator[tuple[int, Any] | None]:
    """Yield as ``ProcessPool.run_polling`` does. Jobs and results are pickled as on the way to a
    process, and a job that raises fails alone."""
    for index, job in enumerate(jobs):
        if poll_seconds is not None:
            yield None
        try:
            result: Any = pool._work(pickle.loads(pickle.dumps(job)))
        except Exception as error:
            result = JobFailure(f"{type(error).__name__}: {error}".split("\n", 1)[0])
        yield index, pickle.loads(pickle.dumps(result))
