"""Runs the jobs of a folder comparison on an existing dask cluster (optional extra ``dask``)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from core.common.errors import InputError, missing_package
from core.common.paths import installed_version
from core.common.process_pool import JobFailure

_Job = TypeVar("_Job")
_T = TypeVar("_T")
_ADDRESS = re.compile(r"dask://([\w.\-]+|\[[0-9a-fA-F:]+\]):(\d{1,5})")
_CONNECT_TIMEOUT = 10  # to wait for a scheduler that does not answer


def scheduler_address(engine: str) -> str:
    """Return the scheduler's address of "dask://HOST:PORT"; raise InputError for anything else."""
    match = _ADDRESS.fullmatch(engine)
    if match is None or not 0 < int(match[2]) < 65536:
        raise InputError(
            f"--engine {engine} is not an engine.",
            "Must be cores, cores:N or dask://HOST:PORT.",
        )
    return f"tcp://{match[1]}:{match[2]}"


def run_on_cluster(
    engine: str, work: Callable[[_Job], _T], jobs: Sequence[_Job]
) -> Iterator[tuple[int, Any]]:
    """Like ``ProcessPool.run``, on the workers of the cluster at "dask://HOST:PORT". Workers need
    this version of Foldline and the files at the same paths. Raises InputError if the extra is
    missing, the scheduler does not answer, or a worker has another version or none."""
    address = scheduler_address(engine)
    try:
        import distributed  # late: an optional extra
    except ImportError:
        raise missing_package(f"--engine {engine}", "distributed", "dask") from None
    library: Any = distributed  # it has no types
    try:
        client = library.Client(address, timeout=_CONNECT_TIMEOUT, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise InputError(
            f"No cluster answers at {engine}: {error}.",
            "Start one with: dask scheduler.",
        ) from None
    with client:
        _check_versions(client, engine)
        futures = client.map(work, jobs, pure=False, retries=1)
        indices = {future.key: index for index, future in enumerate(futures)}
        try:
            for future in library.as_completed(futures, loop=client.loop):
                failure = future.exception()
                if failure is None:
                    result = future.result()
                else:
                    result = JobFailure(f"{type(failure).__name__}: {failure}")
                yield indices[future.key], result
        finally:
            client.cancel(futures)


def _check_versions(client: Any, engine: str) -> None:
    """Raise InputError unless every worker runs this version."""
    try:
        versions = client.run(installed_version)
    except ImportError:
        raise InputError(
            f"The workers at {engine} do not have Foldline.",
            "Install it where they run.",
        ) from None
    if not versions:
        raise InputError(
            f"The cluster at {engine} has no workers.", "Start one with: dask worker."
        )
    other_versions = sorted(set(versions.values()) - {installed_version()})
    if other_versions:
        raise InputError(
            f"Workers at {engine} run Foldline {other_versions[0]}, this is {installed_version()}.",
            "Install the same everywhere.",
        )
