"""The bundled samples: file, generator, one line about it."""

from __future__ import annotations

from collections.abc import Callable

from tests.samples import flaky_upload, support_desk, tide_tables

_SAMPLES: tuple[tuple[str, Callable[[], str], str], ...] = (
    (
        "fix-flaky-upload.jsonl",
        flaky_upload.build,
        "A flaky test\t150 messages. Drag a handle and see what one summary loses.",
    ),
    (
        "support-desk.json",
        support_desk.build,
        "A support desk\tTwo wishes of the customer are lost: find them under Losses.",
    ),
    (
        "tide-tables.jsonl",
        tide_tables.build,
        "Tide tables\tA cut moves so that a tool call keeps its result.",
    ),
)

SAMPLE_FILES = tuple((name, build) for name, build, _ in _SAMPLES)
INDEX = "".join(f"{name}\t{about}\n" for name, _, about in _SAMPLES)
