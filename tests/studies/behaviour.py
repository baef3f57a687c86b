"""What the measured code does with one sample, as digests: where they are others today, the figures
of a study are older than the code that makes them, and the help says so.

``python -m tests.studies.behaviour STUDY`` records them, after the study has written its tables.
"""

import argparse
import hashlib
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import cache

from core.common.paths import bundled_samples
from core.formats.registry import load_conversation
from core.losses.losses_of import losses_of
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.settings_store.layers import SettingLayers
from core.strategies.registry import COMPACTION_STRATEGIES
from tests.support.source_tree import ROOT

RECORDED = ROOT / "tests" / "studies" / "behaviour.tsv"
_LIMIT = 60_000
_MOST_NAMES = 3

Digests = Mapping[str, str]
"""By strategy what it does, or what is said of its result."""


def _digest(lines: Iterator[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


@cache
def _preview(strategy: str) -> Preview:
    """Return what a strategy makes of the first sample before its agent compacted it."""
    layers = SettingLayers().with_session("compression.strategy", strategy)
    layers = layers.with_session("compression.context-limit", _LIMIT)
    conversation = load_conversation(bundled_samples()[0].path)
    options = PreviewOptions(scope="before:1", checks=False)
    return compute_preview(conversation, layers.resolve(), options)


def _fates(preview: Preview) -> Iterator[str]:
    yield f"{preview.sizes.after_tokens}"
    yield from (fate.kind for fate in preview.result.compaction.fates if fate)


def _losses(preview: Preview) -> Iterator[str]:
    for item in losses_of(preview, StageCache()).items:
        yield f"{item.status} {item.fact.text}"


_LOOKED_AT: Mapping[str, Callable[[Preview], Iterator[str]]] = {
    "equal-size": _fates,
    "canaries": _fates,
    "losses-study": _losses,
    "backtest-study": _fates,
}
STUDIES = tuple(_LOOKED_AT)
"""The studies that no test runs again; tests make the other tables anew."""


@cache
def digests(study: str) -> Digests:
    looked_at = _LOOKED_AT[study]
    return {
        name: _digest(looked_at(_preview(name)))
        for name in sorted(COMPACTION_STRATEGIES)
    }


def recorded() -> dict[str, dict[str, str]]:
    """Return by study the digests of the code that was measured."""
    found: dict[str, dict[str, str]] = {study: {} for study in STUDIES}
    for line in RECORDED.read_text("utf-8").splitlines():
        study, name, digest, _ = line.split("\t")
        found[study][name] = digest
    return found


def changed(today: Digests, measured: Digests) -> str:
    """Return in a sentence for which strategies figures are older than the code."""
    names = [name for name, digest in today.items() if measured.get(name) != digest]
    if not names:
        return ""
    told = ", ".join(f"`{name}`" for name in names)
    if len(names) > _MOST_NAMES:
        told = f"{len(names)} of {len(today)} strategies"
    return f"Older than the code of {told}."


def record(study: str) -> None:
    rows = [
        line
        for line in RECORDED.read_text("utf-8").splitlines()
        if not line.startswith(f"{study}\t")
    ]
    rows += [
        "\t".join((study, name, digest, f"{date.today()}"))
        for name, digest in digests(study).items()
    ]
    RECORDED.write_text("\n".join(sorted(rows)) + "\n", "utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", choices=STUDIES)
    record(parser.parse_args().study)
