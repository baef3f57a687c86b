"""Share of the facts listed by hand that are found, and of the found ones that are right.

``python -m tests.labelled.measuring`` prints the parts of the real sessions, each set apart, the
pairs of summaries apart, and what is called an error in summaries that agents wrote, which are faithful."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.analysis.fidelity.fidelity import judge_fidelity
from core.analysis.fidelity.model import FidelityCategory, SourceFact
from core.analysis.fidelity.source_facts import extract_source_facts
from core.analysis.summary_check.summary_sentences import sentences_in
from core.cli.output.console import aligned_table
from core.facts.sentences import plain_text
from core.formats.registry import load_conversation
from core.transcript.model import Message
from tests.core.analysis.fidelity_judging import make_compaction
from tests.labelled.reading import NAMES, SummaryPair, load_labelled, matches, summary_pairs, write_and_load
from tests.labelled.sessions import CORPUS, HALVES, Label, load_sessions, means


@dataclass
class CategoryScore:
    """One category: ``found_labels`` of the ``labels`` some fact stands for, ``right_facts`` of the
    ``facts`` some label means; ``errors`` names the others."""

    labels: int = 0
    found_labels: int = 0
    facts: int = 0
    right_facts: int = 0
    errors: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right_facts / self.facts if self.facts else 1.0

    @property
    def recall(self) -> float:
        return self.found_labels / self.labels if self.labels else 1.0


def measure(folder: Path) -> Mapping[FidelityCategory, CategoryScore]:
    """Our own conversations; each is written to ``folder`` in its format and read again."""
    scores: defaultdict[FidelityCategory, CategoryScore] = defaultdict(CategoryScore)
    for name in NAMES:
        conversation = load_labelled(name)
        facts = extract_source_facts(write_and_load(conversation, folder).messages)
        for kind in FidelityCategory:
            labels = [text for category, text in conversation.labels if category is kind]
            _add(scores[kind], name, kind, labels, [fact for fact in facts if fact.kind is kind])
    return scores


def _add(
    score: CategoryScore, name: str, kind: FidelityCategory, labels: list[str], facts: list[SourceFact]
) -> None:
    hits = {
        (i, j) for i, one in enumerate(labels) for j, fact in enumerate(facts) if matches(kind, one, fact)
    }
    found, right = {label for label, _ in hits}, {fact for _, fact in hits}
    score.labels += len(labels)
    score.facts += len(facts)
    score.found_labels += len(found)
    score.right_facts += len(right)
    score.errors += [f"{name}: missed {one!r}" for i, one in enumerate(labels) if i not in found]
    score.errors += [f"{name}: no fact {one.text!r}" for j, one in enumerate(facts) if j not in right]


def measure_half(half: str) -> Mapping[str, CategoryScore]:
    """Real sessions, by category; "important" are the facts that a later turn needs, "all" those worth to
    know as well, without commands."""
    scores: defaultdict[str, CategoryScore] = defaultdict(CategoryScore)
    for session in load_sessions(half):
        facts = extract_source_facts(session.messages)
        for label in session.labels:
            _add_label(scores, session.name, label, facts)
        for fact in facts:
            is_right = any(means(label, fact) for label in session.labels)
            if fact.kind is FidelityCategory.CODE:
                continue
            names = [fact.kind.value, *(["all"] if fact.kind is not FidelityCategory.COMMAND else [])]
            for name in names:
                scores[name].facts += 1
                scores[name].right_facts += is_right
                if not is_right:
                    scores[name].errors.append(f"{session.name}: no fact {fact.kind} {fact.text!r}")
    return scores


def _add_label(
    scores: Mapping[str, CategoryScore], session: str, label: Label, facts: Sequence[SourceFact]
) -> None:
    if label.mark == "~":
        return
    is_found = any(means(label, fact) for fact in facts)
    for name in (label.kind.value, "all", *(["important"] if label.mark == "!" else [])):
        scores[name].labels += 1
        scores[name].found_labels += is_found
        if not is_found:
            scores[name].errors.append(f"{session}: missed {label.kind} {label.quote!r}")


def rows(scores: Mapping[FidelityCategory, CategoryScore]) -> list[tuple[str, ...]]:
    return [_row(kind.value, score) for kind, score in scores.items() if score.labels]


def half_rows(half: str) -> list[tuple[str, ...]]:
    scores = measure_half(half)
    names = ["important", "all", *(kind.value for kind in FidelityCategory)]
    return [_row(name, scores[name]) for name in names if name in scores and scores[name].labels]


def _row(name: str, score: CategoryScore) -> tuple[str, ...]:
    precision = f"{score.precision:.2f}" if score.facts else "–"
    return name, f"{score.labels}", f"{score.facts or '–'}", precision, f"{score.recall:.2f}"


FITTED_SETS = ("seen", "development", "hidden", "blind")
"""Sets of pairs that rules were made with; by "final" and "check" most of these were taken out again, and
"last" was measured once after that."""
SUMMARY_SETS = (*FITTED_SETS, "final", "check", "last")


def errors(session: Sequence[Message], summary: str) -> list[str]:
    """What a summary says wrongly of a session, and what it makes up."""
    found = judge_fidelity(session, make_compaction(session, summary=summary))
    return [one.fact.text for one in found.facts if one.is_negated] + [one.text for one in found.invented]


def told_apart(pairs: Sequence[SummaryPair]) -> tuple[int, int]:
    """The pairs whose false sentence alone is called an error, and those whose faithful one is."""
    false_errors = [bool(errors(pair.session, pair.faithful)) for pair in pairs]
    found = [bool(errors(pair.session, pair.false)) for pair in pairs]
    told = sum(is_found and not is_false for is_found, is_false in zip(found, false_errors, strict=True))
    return told, sum(false_errors)


def summary_row(of_set: str) -> tuple[str, ...]:
    pairs = tuple(summary_pairs(of_set))
    return of_set, f"{len(pairs)}", *map(str, told_apart(pairs))


RECORDED = (
    "claude_code/14_vscode-copilot-chat.jsonl",
    "claude_code/32_cipher-box.jsonl",
    "claude_code/35_packmind-context-evaluator.jsonl",
    "claude_code/36_entire-cli.jsonl",
    "cline_session/02_cline-sdk-basic-compaction.json",
    "cline_ui/04_roo-natural-already-condensed.json",
)
"""Sessions whose agent wrote a summary in sentences; rules were narrowed with their figures at hand."""


def recorded_rows() -> Iterator[tuple[str, ...]]:
    for name in RECORDED:
        conversation = load_conversation(CORPUS / name)
        for recorded in conversation.recorded:
            text = "\n".join(map(plain_text, recorded.summary))
            source = conversation.messages[: recorded.position]
            found = judge_fidelity(source, make_compaction(source, summary=text)).facts
            turned_round = sum(fact.is_negated for fact in found)
            yield name, f"{len(list(sentences_in(text)))}", f"{turned_round}"


HEAD = ("category", "listed by hand", "found", "precision", "recall")

if __name__ == "__main__":
    for half in HALVES:
        print(f"\n{half} sessions")
        print("\n".join(aligned_table(half_rows(half), range(1, 5), head=HEAD)))
    print("\npairs of a faithful and a false summary")
    heads = ("set", "pairs", "told apart", "false errors")
    print("\n".join(aligned_table([*map(summary_row, SUMMARY_SETS)], range(1, 4), head=heads)))
    print("\nsummaries that agents wrote")
    print("\n".join(aligned_table([*recorded_rows()], (1, 2), head=("session", "sentences", "turned round"))))
