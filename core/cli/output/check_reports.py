"""The results of ``foldline check`` for a CI: JUnit's XML, and annotations of GitHub Actions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from xml.etree import ElementTree

from core.common import number_format
from core.common.excerpts import one_line_text
from core.losses.judge_questions import Judgement, JudgeQuestion, JudgeVerdict
from core.losses.must_keep import MustEvidence
from core.transcript.compaction import NoOp

_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_IN_VALUES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
"""What a workflow command escapes; in its properties ":" and "," as well."""
_NOT_IN_PROPERTIES = _NOT_IN_VALUES | {":": "%3A", ",": "%2C"}
_MAX_NAMED = 10
_MAX_TEXT = 120  # characters of a statement or a quote
_FALSE = (JudgeVerdict.CHANGED, JudgeVerdict.OPPOSITE)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """The figures of a file and a sentence for each reason why it fails; or the ``problem``.
    ``kept`` are the needed names that the result has, and all of them.
    ``tokens`` are those before and after. ``unchecked`` says why it is not known what is needed.
    ``backtest`` are points, names needed and names kept, where nothing later was needed.
    ``questions`` are those to the judge, ``judgements`` what it said. ``musts`` are the texts that must
    survive."""

    file: str
    scope: str = ""
    kept: tuple[int, int] | None = None
    missing: tuple[str, ...] = ()
    lost: int | None = None
    tokens: tuple[int, int] | None = None
    no_op: NoOp | None = None
    below: tuple[str, ...] = ()
    problem: str = ""
    skipped: bool = False
    backtest: tuple[int, int, int] | None = None
    unchecked: str = ""
    questions: tuple[JudgeQuestion, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    musts: tuple[MustEvidence, ...] = ()

    @property
    def is_unjudged(self) -> bool:
        """Whether the judge was asked and failed at every question."""
        return bool(self.judgements) and all(one.reason for one in self.judgements)


def false_statements(file: CheckedFile) -> list[Judgement]:
    """Return what the judge says is changed or the opposite, each with a quote."""
    return [one for one in file.judgements if one.verdict in _FALSE]


def false_lines(file: CheckedFile) -> Iterator[str]:
    for one in false_statements(file):
        statement, quote = (
            one_line_text(text, _MAX_TEXT)
            for text in (one.question.statement, one.quote)
        )
        number = number_format.message_number(one.question.message)
        yield f"{one.verdict.value}, {one.question.kind} {number}: {statement} → “{quote}”"


def junit(files: Sequence[CheckedFile], strategy: str) -> bytes:
    """Return JUnit XML: a case per file, with its failure."""
    suite = ElementTree.Element(
        "testsuite", name="foldline check", tests=str(len(files))
    )
    outcomes = (
        ("failures", sum(bool(file.below) for file in files)),
        ("errors", sum(bool(file.problem and not file.skipped) for file in files)),
        ("skipped", sum(file.skipped or _is_unchecked(file) for file in files)),
    )
    for name, count in outcomes:
        suite.set(name, str(count))
    for file in files:
        case = ElementTree.SubElement(
            suite, "testcase", classname=strategy, name=_xml_text(file.file)
        )
        _add_outcome(case, file)
    data: bytes = ElementTree.tostring(suite, "utf-8", xml_declaration=True)
    return data


def _add_outcome(case: ElementTree.Element, file: CheckedFile) -> None:
    if file.problem:
        kind = "skipped" if file.skipped else "error"
        ElementTree.SubElement(case, kind, message=_xml_text(file.problem))
    if _is_unchecked(file):
        ElementTree.SubElement(case, "skipped", message=_xml_text(file.unchecked))
    if file.below:
        message = _xml_text(" ".join(file.below))
        missing = _xml_text("\n".join((*file.missing, *false_lines(file))))
        ElementTree.SubElement(case, "failure", message=message).text = missing


def _is_unchecked(file: CheckedFile) -> bool:
    """Return whether it is not known of a file whether it passes."""
    return bool(file.unchecked) and not (file.below or file.problem)


def _xml_text(text: str) -> str:
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def github_annotations(
    files: Sequence[CheckedFile], paths: Sequence[str], strategy: str
) -> Iterator[str]:
    """Yield a workflow command of GitHub Actions for each file that failed or could not be checked.

    ``paths`` are those of the files from the folder in which the command runs, which GitHub takes
    for the root of the repository.
    """
    for file, path in zip(files, paths, strict=True):
        title = f"foldline check -s {strategy}"
        if file.below:
            names = "\n".join(file.missing[:_MAX_NAMED])
            if len(file.missing) > _MAX_NAMED:
                more = f"\nand {len(file.missing) - _MAX_NAMED:,} more"
            else:
                more = ""
            if file.missing:
                missing = f"\nNot there any more:\n{names}{more}"
            else:
                missing = ""
            false = "".join(
                f"\n{line}" for line in islice(false_lines(file), _MAX_NAMED)
            )
            yield _annotation(
                "error", path, title, " ".join(file.below) + missing + false
            )
        elif file.problem:
            yield _annotation(
                "notice" if file.skipped else "error", path, title, file.problem
            )


def _annotation(level: str, path: str, title: str, text: str) -> str:
    properties = f"file={_escaped(path, _NOT_IN_PROPERTIES)},title={_escaped(title, _NOT_IN_PROPERTIES)}"
    return f"::{level} {properties}::{_escaped(text, _NOT_IN_VALUES)}"


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(char, char) for char in text)
