"""Are our counts those of tiktoken, for every text of a large session and of the transcripts in a folder?"""

from __future__ import annotations

from pathlib import Path

from core.common.errors import InputError
from core.formats.registry import load_conversation
from core.tokens.counter import TokenCounter, method_for
from core.tokens.counting_process import CountingProcess, start_counting
from core.tokens.encodings import DEFAULT, load_encoding
from tests.benchmarks.claims import Claim
from tests.benchmarks.counting import texts_of


def measure(paths: list[Path], name: str) -> Claim:
    """How many distinct texts of some files the process that counts gives another number than tiktoken."""
    oracle, tally, texts = load_encoding(DEFAULT), CountingProcess(start_counting), dict[str, None]()
    for path in paths:
        try:
            texts.update(dict.fromkeys(texts_of(load_conversation(path))))
        except InputError:  # no transcript
            continue
    counter = TokenCounter(method_for(""), tally)
    try:
        wrong = sum(counter.text(text) != _counted(oracle, text) for text in texts)
    finally:
        tally.end()
    return Claim(
        f"counts other than tiktoken's, {name}", f"{wrong:,} of {len(texts):,} texts", float(wrong), 0.0
    )


def _counted(oracle, text: str) -> int:  # type: ignore[no-untyped-def]
    plain = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return len(oracle.encode_ordinary(plain))
