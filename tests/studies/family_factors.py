"""Measures the factors of ``core/tokens/calibration.py``: ``python -m tests.studies.family_factors
DIR``.

For every transcript below DIR that reports enough requests of a model: the factor of its
calibration. That of a family is the median over its files, with the smallest and the largest.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from core.common.errors import FoldlineError
from core.formats.registry import load_conversation
from core.llm.request_size import reported_requests
from core.tokens.calibration import calibrate, model_family
from core.tokens.counter import counter_for
from core.transcript.model import Conversation

MIN_REQUESTS = 8
"""Requests of one segment from which on its factor counts."""
OTHERS = "others"


@dataclass(frozen=True)
class FamilyFactor:
    """The factor of one model in one file, the median of its segments, and their requests."""

    file: str
    model: str
    factor: float
    requests: int

    @property
    def family(self) -> str:
        known = model_family(self.model)
        return known.name if known else OTHERS


def conversations(folder: Path) -> Iterator[tuple[str, Conversation]]:
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        try:
            conversation = load_conversation(path)
        except (FoldlineError, OSError):
            continue
        if conversation.usage:
            yield path.name, conversation


def measured(file: str, conversation: Conversation) -> Iterator[FamilyFactor]:
    # every model is counted as an unknown one: the factor is one of the default encoding
    made = calibrate(reported_requests(conversation, counter_for("")))
    fitted = [
        one
        for one in made.segments
        if one.fit.error is not None and len(one.requests) >= MIN_REQUESTS
    ]
    for model in dict.fromkeys(one.model or conversation.model for one in fitted):
        own = [one for one in fitted if (one.model or conversation.model) == model]
        yield FamilyFactor(
            file,
            model,
            median(one.fit.factor for one in own),
            sum(len(one.requests) for one in own),
        )


def found_in(folder: Path) -> list[FamilyFactor]:
    return [one for pair in conversations(folder) for one in measured(*pair)]


def main(folders: list[str]) -> None:
    found = [one for folder in folders for one in found_in(Path(folder))]
    print(f"{'file':44} {'model':32} requests factor")
    for one in found:
        print(
            f"{one.file[:44]:44} {one.model[:32]:32} {one.requests:>8} {one.factor:6.2f}"
        )
    families: dict[str, list[FamilyFactor]] = defaultdict(list)
    for one in found:
        families[one.family].append(one)
    print(f"\n{'family':44} files requests factor    low   high")
    for name, some in sorted(families.items()):
        factors = [one.factor for one in some]
        sums = f"{len(some):>5} {sum(one.requests for one in some):>8}"
        print(
            f"{name:44} {sums} {median(factors):6.2f} {min(factors):6.2f} {max(factors):6.2f}"
        )


if __name__ == "__main__":
    main(sys.argv[1:] or ["."])
