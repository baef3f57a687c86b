"""One process of the fuzzer: a target under atheris until its time is over, then its figures as
JSON."""

import json
import os
import random
import sys
import time
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["core"]):
    from tests.fuzz.finds import attempt
    from tests.fuzz.seeds import TARGETS, Target, mutated

_MEMORY = 3 << 30
_HANGS = 300
"""Seconds after which libFuzzer ends the process and keeps the input."""
_SLACK = 6.0
"""Instrumented code on a busy machine is that much slower; ``__main__`` measures again without."""


class Trial:
    """Counts inputs, keeps each kind of find once, and ends the process when its time is over."""

    def __init__(self, target: Target, seconds: float, folder: Path) -> None:
        self._target, self._folder = target, folder
        self._start = time.monotonic()
        self._until = self._start + seconds
        self._words = target.words()
        self._kinds: set[str] = set()
        self._count = 0

    def run_input(self, data: bytes) -> None:
        self._count += 1
        find = attempt(self._target.run, data, _SLACK)
        if find is not None and find.kind not in self._kinds:
            self._kinds.add(find.kind)
            (self._folder / f"{find.name}.find").write_bytes(find.data)
            (self._folder / f"{find.name}.txt").write_text(
                f"{find.kind}\n\n{find.details}"
            )
        if time.monotonic() >= self._until:
            self._end()

    def mutate(self, data: bytes, most: int, seed: int) -> bytes:
        """Half of the inputs of a reader change the JSON, the others the bytes."""
        dice = random.Random(seed)
        if self._target.is_json and dice.random() < 0.6:
            made = mutated(data, dice, self._words)
            if made != data and len(made) <= most:
                return made
        changed: bytes = atheris.Mutate(data, most)
        return changed

    def _end(self) -> None:
        figures = {
            "inputs": self._count,
            "seconds": round(time.monotonic() - self._start),
        }
        (self._folder / "figures.json").write_text(json.dumps(figures))
        sys.stderr.flush()
        os._exit(0)


def options(target: Target, folder: Path, seed: str) -> list[str]:
    """How libFuzzer is to run; the first inputs and the words of the grammar are written for it."""
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    seeds = target.seeds()
    for number, data in enumerate(seeds):
        (corpus / f"seed-{number}").write_bytes(data)
    longest = max(map(len, seeds))
    found = [f"-seed={seed}", f"-max_len={max(4096, 3 * longest)}", "-rss_limit_mb=0"]
    found += [f"-timeout={_HANGS}", f"-artifact_prefix={folder}/"]
    plain = [word for word in target.words() if word.isascii() and "\\" not in word]
    if plain:
        words = folder / "words"
        words.write_text("".join(f"{json.dumps(word)}\n" for word in plain))
        found.append(f"-dict={words}")
    return [*found, str(corpus)]


def main() -> None:
    """``python -m tests.fuzz.child TARGET SECONDS FOLDER SEED``"""
    import resource

    name, seconds, place, seed = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    target, folder = TARGETS[name], Path(place)
    words = [sys.argv[0], *options(target, folder, seed)]
    trial = Trial(target, float(seconds), folder)
    atheris.Setup(
        words, trial.run_input, custom_mutator=trial.mutate, enable_python_coverage=True
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
