"""What the evidence of losses finds, and what it misses: ``python -m tests.studies.losses_study
[FOLDER]``.

Three measurements over real transcripts, which need no label, and one over the shipped pairs of a
faithful and a false sentence:

- facts called gone whose text stands in the result, found by a search of its own;
- names, paths and numbers put into recorded summaries that have another in their place, and the
  untouched
  sentences of the same summaries that are flagged;
- of the names that later turns used and that stand nowhere in a result, those in the first lines of
  the list,
  which is ordered without knowledge of what came later;
- false sentences that are shown as changed or made up, and names of faithful ones that are called
  made up.
"""

import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path

from core.common.errors import FoldlineError
from core.facts.extract import extract_facts
from core.facts.model import FactKind
from core.facts.name_patterns import NameKind, names_in
from core.facts.sentences import plain_text, searchable_text
from core.formats.registry import load_conversation
from core.losses.evidence import (
    Evidence,
    EvidenceStatus,
    Losses,
    SummaryEvidence,
    find_evidence,
)
from core.losses.judge import calibration_questions
from core.losses.needed_later import find_needs, needed_later
from core.losses.summary_evidence import absent_names, sentences_in
from core.losses.texts import source_index
from core.strategies.registry import find_strategy
from core.transcript.model import Message
from tests.core.trials.made_compactions import evidence
from tests.studies.behaviour import record
from tests.studies.corpus_tables import CORPUS, RESULTS, files
from tests.studies.equal_sizing import cut_to_fit, largest_for_budget, load_split
from tests.support.builders import human
from tests.support.markdown import markdown, with_block

NAMES = ("middle-out", "one-shot", "mask-observations", "hybrid", "codex-local")
SIZE = 0.2
LINES = (20, 50, 100, 200)
PER_SUMMARY = 10  # names and numbers that are put into a summary
MIN_SUMMARY = 500  # characters
PAGE = RESULTS
_NUMBER = re.compile(r"(?<![\w.,/-])\d+(?![\w.,/-])")
_LETTERS = "bcdfghjkmnpqrstvwxz"


def measure_results(path: Path) -> Counter[str]:
    """Count facts that are gone, those of them that stand in the result, and needed names by
    line."""
    counts: Counter[str] = Counter()
    file = load_split(path)
    needs = (
        find_needs(file.before, file.after, file.system) if file is not None else None
    )
    if file is None or needs is None:
        return counts
    facts = extract_facts(file.before).all
    for name in NAMES:
        run = largest_for_budget(find_strategy(name), file, int(SIZE * file.tokens))
        if run is None:
            continue
        run = cut_to_fit(run, file, int(SIZE * file.tokens))
        items = tuple(find_evidence(run, facts))
        gone = [one for one in items if one.status is EvidenceStatus.GONE]
        counts["gone"] += len(gone)
        counts["stands"] += sum(map(_standing(run.messages), gone))
        text = "\n".join(map(searchable_text, run.messages))
        missing = [
            one.text
            for one in needed_later(needs, run.messages).gone
            if one.text not in text
        ]
        losses = Losses(
            removed_tokens=0, removed_messages=0, items=items, summary=SummaryEvidence()
        )
        counts["needed"] += len(missing)
        for lines in LINES:
            listed = "\n".join(one.fact.text for one in losses.worst_first[:lines])
            counts[f"in {lines}"] += sum(text in listed for text in missing)
    return counts


def _standing(result: Sequence[Message]) -> Callable[[Evidence], bool]:
    text = " ".join("\n".join(map(searchable_text, result)).split())
    lowered = text.lower()

    def stands(one: Evidence) -> bool:
        words, is_name = " ".join(one.fact.text.split()), one.fact.kind is FactKind.NAME
        words, searched = (
            (words, text) if is_name else (words.lower(), lowered)
        )  # case is part of a name
        return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", searched) is not None

    return stands


def recorded_summaries(path: Path) -> Iterator[tuple[Sequence[Message], str]]:
    """Yield what each recorded summary of a file replaced, and its text."""
    conversation = load_conversation(path)
    for recorded in conversation.recorded:
        text = "\n\n".join(map(plain_text, recorded.summary))
        if (
            recorded.kind == "summary"
            and not recorded.is_source_lost
            and len(text) >= MIN_SUMMARY
        ):
            yield conversation.messages[: recorded.boundary], text


def measure_summary(
    source: Sequence[Message], text: str, rng: random.Random
) -> Counter[str]:
    """Count flagged sentences as they are, and invented names and numbers that are found."""
    counts: Counter[str] = Counter()
    said = [one.text for one in sentences_in(text)]
    known = "\n".join((text, *map(searchable_text, source)))
    index = source_index(source, [text])
    clean = [one for one in said if not any(True for _ in absent_names(one, index))]
    counts["sentences"], counts["flagged"] = len(said), len(said) - len(clean)
    for kind, places in (("names", _named), ("numbers", _numbered)):
        candidates = [(one, place) for one in clean for place in places(one)]
        for sentence, (start, end) in rng.sample(
            candidates, min(PER_SUMMARY, len(candidates))
        ):
            invented = _invented(sentence[start:end], known, rng)
            changed = f"{sentence[:start]}{invented}{sentence[end:]}"
            found = absent_names(changed, source_index(source, [changed]))
            counts[kind] += 1
            counts[f"{kind} found"] += any(
                one.text in invented or invented in one.text for one in found
            )
    return counts


def _named(sentence: str) -> Iterator[tuple[int, int]]:
    for name in names_in(sentence):
        if name.kind in (NameKind.PATH, NameKind.URL, NameKind.IDENTIFIER, NameKind.ID):
            yield name.start, name.start + len(name.text)


def _numbered(sentence: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _NUMBER.finditer(sentence))


def _invented(old: str, known: str, rng: random.Random) -> str:
    """Return a text of the same form that stands nowhere: other letters behind the last stroke, or
    digits."""
    head, stroke, name = old.rstrip("/").rpartition("/")
    while True:
        new = "".join(_other(character, rng) for character in name)
        if new not in known:
            return f"{head}{stroke}{new}"
        name += "7" if name.isdigit() else "k"


def _other(character: str, rng: random.Random) -> str:
    if character.isdigit():
        return rng.choice("123456789")
    if not character.isalpha():
        return character
    letter = rng.choice(_LETTERS)
    return letter.upper() if character.isupper() else letter


def measure_pairs() -> Counter[str]:
    """Count false sentences that are shown as not word for word or with something that stands
    nowhere, and faithful ones of which something is said to stand nowhere."""
    counts: Counter[str] = Counter()
    for one in calibration_questions():
        source = (human(one.statement),)
        has_invented = any(
            True for _ in absent_names(one.text, source_index(source, [one.text]))
        )
        said = evidence(source, summary=one.text)[0].status
        counts[one.kind] += 1
        is_shown = has_invented or (
            one.kind == "false" and said is not EvidenceStatus.WORD_FOR_WORD
        )
        counts[f"{one.kind} shown"] += is_shown
    return counts


def rows(paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Yield what was measured, and its figure."""
    counts: Counter[str] = Counter()
    summaries, rng = 0, random.Random(7)
    for path in paths:
        try:
            counts += measure_results(path)
            for source, text in recorded_summaries(path):
                counts += measure_summary(source, text, rng)
                summaries += 1
        except FoldlineError as error:
            print(f"{path.name}: {error}", file=sys.stderr)
    yield (
        f"called gone although it stands there, of {counts['gone']:,} facts",
        f"{counts['stands']}",
    )
    for kind in ("names", "numbers"):
        label = "names and paths" if kind == "names" else "numbers"
        yield (
            f"invented {label} found in {summaries} real summaries",
            _of(counts, f"{kind} found", kind),
        )
    yield (
        "untouched sentences of these summaries that are flagged",
        _of(counts, "flagged", "sentences"),
    )
    pairs = measure_pairs()
    yield (
        "false sentences of the shipped pairs shown as changed or made up",
        _of(pairs, "false shown", "false"),
    )
    yield (
        "faithful ones with a name that is called made up",
        _of(pairs, "faithful shown", "faithful"),
    )
    for lines in LINES:
        label = (
            f"needed later and nowhere in the result, named in the first {lines} lines"
        )
        yield label, _of(counts, f"in {lines}", "needed")


def _of(counts: Counter[str], part: str, whole: str) -> str:
    return share_text(counts[part], counts[whole])


def share_text(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / max(1, whole):.0f} %)"


def main() -> None:
    """Measure, print and write the table of the page."""
    folders = [Path(one) for one in sys.argv[1:]] or [CORPUS]
    table = markdown(
        ("what", "figure"), list(rows([path for one in folders for path in files(one)]))
    )
    print(table)
    text = f"Measured on {date.today():%Y-%m-%d}.\n\n{table}"
    PAGE.write_text(with_block(PAGE.read_text("utf-8"), "losses-study", text), "utf-8")
    record("losses-study")


if __name__ == "__main__":
    main()
