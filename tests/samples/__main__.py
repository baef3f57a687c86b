"""Writes the bundled samples: ``python -m tests.samples``."""

from __future__ import annotations

from core.common.paths import SAMPLES
from tests.samples.all import INDEX, SAMPLE_FILES

SAMPLES.mkdir(exist_ok=True)
for name, build in SAMPLE_FILES:
    (SAMPLES / name).write_text(build(), encoding="utf-8", newline="\n")
(SAMPLES / "index.tsv").write_text(INDEX, encoding="utf-8", newline="\n")
