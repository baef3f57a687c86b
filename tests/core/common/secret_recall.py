"""How many planted secrets are found: ``python -m tests.core.common.secret_recall``.

Wrappings are split, not secrets: those that were seen while the rules were written, those that were
set aside before, and those that were written after the rules and measured once.
"""

import copy
import json
import random
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.common.json_value import Json
from core.common.redaction import redact, redact_json
from tests.core.common.later_wrappings import AFTERWARDS
from tests.core.common.planted_secrets import planted_secrets
from tests.core.common.position_wrappings import LOOKED_AT, SET_ASIDE_POSITIONS
from tests.core.common.secret_wrappings import SEEN, Wrap, is_covered
from tests.core.common.set_aside_wrappings import SET_ASIDE

WRAPPINGS: Mapping[str, Mapping[str, Wrap]] = {
    "seen": SEEN,
    "set aside": SET_ASIDE,
    "afterwards": AFTERWARDS,
    "positions": LOOKED_AT,
    "positions set aside": SET_ASIDE_POSITIONS,
}
_SEEDS = ("a", "b")


@dataclass(frozen=True, slots=True)
class Recall:
    """How many secrets were planted; ``missed`` counts the others by kind and wrapping."""

    tried: int
    missed: Counter[tuple[str, str]]

    @property
    def found(self) -> int:
        return self.tried - self.missed.total()

    def __str__(self) -> str:
        return f"{self.found:,} of {self.tried:,} found, {self.found / self.tried:.1%}"


def measured(wrappings: str) -> Recall:
    """Plant every kind in every wrapping of a part, twice, and count what redaction leaves."""
    tried, missed = 0, Counter[tuple[str, str]]()
    for seed in _SEEDS:
        for one in planted_secrets(seed):
            for name, wrap in WRAPPINGS[wrappings].items():
                wrapped = wrap(one, random.Random(f"{seed}{one.kind}{name}"))
                if wrapped is not None:
                    tried += 1
                    missed[one.kind, name] += not is_covered(
                        wrapped.pieces, _left(wrapped.value)
                    )
    return Recall(tried, missed)


def _left(given: Json) -> str:
    if isinstance(given, str):
        return redact(given)[0]
    value = copy.deepcopy(given)
    redact_json(value)
    return json.dumps(value, ensure_ascii=False)


def main(names: Iterable[str]) -> None:
    """Print what is found of each part; of the named ones also what is missed."""
    for part in WRAPPINGS:
        recall = measured(part)
        print(f"{part}: {len(WRAPPINGS[part])} wrappings, {recall}")
        if part in names:
            print(*(+recall.missed).most_common(), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
