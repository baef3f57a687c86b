"""The bundled samples: file, generator, one line about it."""

from __future__ import annotations

from collections.abc import Callable

from tests.samples import flaky_upload, support_desk, tide_tables

_SAMPLES: tuple[tuple[str, Callable[[], str], str], ...] = (
    (
        "fix-flaky-upload.jsonl",
        flaky_upload.build,
        "See density at work: choose high-density, and stale reads are pruned, each with its reason.",
    ),
    (
        "support-desk.json",
        support_desk.build,
        "See what gets lost: in Losses, two wishes of the customer are gone.",
    ),
    (
        "tide-tables.jsonl",
        tide_tables.build,
        "See a cut move: Top ends after #7, not #6, so that a call keeps its result.",
    ),
)

SAMPLE_FILES = tuple((name, build) for name, build, _ in _SAMPLES)
INDEX = "".join(f"{name}\t{about}\n" for name, _, about in _SAMPLES)
