"""The jobs of a folder on a dask cluster that is there already (optional extra ``dask``)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from core.common.errors import InputError
from core.common.process_pool import JobFailure
from core.common.version import installed_version

_Job = TypeVar("_Job")
_T = TypeVar("_T")
_ADDRESS = re.compile(r"dask://([\w.\-]+|\[[0-9a-fA-F:]+\]):(\d{1,5})")
_SECONDS = 10  # to wait for a scheduler that does not answer


def address_of(engine: str) -> str:
    """The scheduler's address in "dask://HOST:PORT"; InputError for anything else."""
    found = _ADDRESS.fullmatch(engine)
    if found is None or not 0 < int(found[2]) < 65536:
        raise InputError(f"--engine {engine} names no engine.", "Engines: cores, cores:N, dask://HOST:PORT.")
    return f"tcp://{found[1]}:{found[2]}"


def run_on_cluster(
    engine: str, work: Callable[[_Job], _T], jobs: Sequence[_Job]
) -> Iterator[tuple[int, Any]]:
    """Like ``ProcessPool.run``, by the workers of the cluster at "dask://HOST:PORT".

    They need this version of Foldline, and the files at the same paths. Raises InputError where the
    extra is missing, nobody answers, or a worker has another version or none.
    """
    address = address_of(engine)
    try:
        import distributed  # late: an optional extra, and the only place that knows it
    except ImportError:
        raise InputError(f"--engine {engine} needs the extra dask.", "pip install 'foldline[dask]'") from None
    library: Any = distributed  # it has no types
    try:
        client = library.Client(address, timeout=_SECONDS, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise InputError(
            f"No cluster answers at {engine}: {error}.", "Start one with: dask scheduler."
        ) from None
    with client:
        _check(client, engine)
        futures = client.map(work, jobs, pure=False, retries=1)
        places = {future.key: place for place, future in enumerate(futures)}
        try:
            for future in library.as_completed(futures, loop=client.loop):
                failure = future.exception()
                result = (
                    future.result() if failure is None else JobFailure(f"{type(failure).__name__}: {failure}")
                )
                yield places[future.key], result
        finally:
            client.cancel(futures)


def _check(client: Any, engine: str) -> None:
    """Every worker runs what we run."""
    try:
        found = client.run(installed_version)
    except ImportError:
        raise InputError(
            f"The workers at {engine} do not have Foldline.", "Install it where they run."
        ) from None
    if not found:
        raise InputError(f"The cluster at {engine} has no workers.", "Start one with: dask worker.")
    other = sorted(set(found.values()) - {installed_version()})
    if other:
        raise InputError(
            f"Workers at {engine} run Foldline {other[0]}, this is {installed_version()}.",
            "Install the same everywhere.",
        )
