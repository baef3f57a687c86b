"""The transcripts that ship with the program, each with one line about it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from core.common.paths import SAMPLES

INDEX = "index.tsv"
"""In the folder of samples: file name, a tab, one line about it."""


class BundledSample(NamedTuple):  # no dataclass: the first paint waits for this module
    path: Path
    about: str


def bundled_samples(folder: Path = SAMPLES) -> tuple[BundledSample, ...]:
    try:
        lines = (folder / INDEX).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return ()
    pairs = [line.split("\t", 1) for line in lines if "\t" in line]
    return tuple(BundledSample(folder / name, about.strip()) for name, about in pairs)
