"""Texts that must survive: what a result, as it would be exported, holds of each."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import pytest

from core.api import compact
from core.common.errors import InputError
from core.losses.evidence import (
    MustStatus,
    SentenceStatus,
    word_differences,
)
from core.losses.must_keep import FILE_NAME, MustEvidence, must_evidence, read_must_file
from core.presentation.losses_words import missed_sentence
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.transcript.model import Message
from tests.core.strategies.strategy_running import values
from tests.core.trials.made_compactions import make_compaction
from tests.support.builders import ai, conversation, human, talk

RULE = "Never commit the migration files to main."
SAID = human(
    f"The upload stalls. {RULE} Look at /repo/src/upload/pool.py first, 17,625 rows."
)
SAID_TEXT = f"The upload stalls. {RULE}"
TALK = (SAID, *talk(30), human("And now the changelog, please."))


def preview(
    summary: str, source: Sequence[Message] = TALK, *, is_written: bool = True
) -> Preview:
    """Return a preview whose result is a summary of all but the last message."""
    made = make_compaction(source, keep=(len(source) - 1,), summary=summary)
    shown = compute_preview(conversation(*source), values(), PreviewOptions())
    result = replace(shown.result, compaction=made, written_messages=made.messages)
    written = replace(shown.summary, unwritten=not is_written)
    return replace(shown, result=result, summary=written)


def evidence(summary: str, *musts: str) -> dict[str, MustEvidence]:
    return {
        one.text: one for one in must_evidence(preview(summary), musts, StageCache())
    }


@pytest.mark.parametrize(
    ("must", "summary", "status"),
    [
        (RULE, f"- **{RULE}**", MustStatus.WORD_FOR_WORD),
        (RULE, "Never commit the\n migration files to main", MustStatus.WORD_FOR_WORD),
        (RULE, "never commit the migration files to main", MustStatus.IN_PART),
        (RULE, "Commit the migration files to main.", MustStatus.IN_PART),
        (RULE, "Nothing of it.", MustStatus.GONE),
        ("/repo/src/upload/pool.py", "see /repo/src/upload/pool.py", MustStatus.WORD_FOR_WORD),
        ("/repo/src/upload/pool.py", "see upload/pool.py", MustStatus.IN_PART),
        ("/repo/src/upload/pool.py", "see the pool", MustStatus.GONE),
        ("17,625 rows", "17,625 rows are left", MustStatus.WORD_FOR_WORD),
        ("17,625 rows", "1,625 rows are left", MustStatus.GONE),
        ("Zebras quietly prefer umbrellas.", "Nothing.", MustStatus.NOT_SAID),
        (SAID_TEXT, RULE, MustStatus.IN_PART),
    ],
)  # fmt: skip
def test_each_must_has_what_stands_of_it(
    must: str, summary: str, status: MustStatus
) -> None:
    assert evidence(summary, must)[must].status is status


@pytest.mark.parametrize(
    ("summary", "status"),
    [
        ("It still builds the bytes that nobody reads.", MustStatus.GONE),
        ("There it is, still open.", MustStatus.IN_PART),
        ("The person asked: still there?", MustStatus.IN_PART),
        ("- still there?", MustStatus.WORD_FOR_WORD),
    ],
)
def test_one_common_word_is_no_part_of_a_short_must(
    summary: str, status: MustStatus
) -> None:
    source = (human("still there?"), *talk(30), human("Go on with it."))
    (one,) = must_evidence(preview(summary, source), ("still there?",), StageCache())
    assert one.status is status


LONG = "I wonder whether the hooks of both agents could be bound in one table"


@pytest.mark.parametrize(
    ("summary", "status"),
    [
        (f"<goal>\n{LONG}\n</goal>\nThe rest.", MustStatus.WORD_FOR_WORD),
        (f"The goal is this\n\n{LONG}\n\nTests pass.", MustStatus.WORD_FOR_WORD),
        (f"{LONG}\nis what nobody asked.", MustStatus.IN_PART),
    ],
)
def test_a_long_line_goes_on_unless_a_tag_or_an_empty_line_ends_it(
    summary: str, status: MustStatus
) -> None:
    source = (human(LONG), *talk(30), human("Go on with it."))
    (one,) = must_evidence(preview(summary, source), (LONG,), StageCache())
    assert one.status is status


def test_a_message_counts_its_sentences() -> None:
    one = evidence(RULE, SAID_TEXT)[SAID_TEXT]
    assert [sentence.status for sentence in one.sentences] == [
        SentenceStatus.GONE,
        SentenceStatus.STANDS,
    ]
    assert one.standing == 1


def test_the_word_that_turns_a_rule_round_is_marked() -> None:
    differs = word_differences(RULE, "Commit the migration files to main.")
    assert [word.text for word in differs.missing] == ["Never"]
    assert not differs.added


def test_what_a_model_will_write_is_not_known() -> None:
    unwritten = preview(RULE, is_written=False)
    (one,) = must_evidence(unwritten, (RULE,), StageCache())
    assert one.status is MustStatus.NOT_WRITTEN


def test_the_worst_comes_first_and_a_lost_negation_before_other_parts() -> None:
    other, gone = "Look at the pool of the upload first.", "The upload stalls."
    summary = "Commit the migration files to main.\nLook at the pool of uploads."
    source = (human(f"{other} {RULE} {gone}"), *talk(30), human("Go on with it."))
    found = must_evidence(preview(summary, source), (other, RULE, gone), StageCache())
    assert [one.text for one in found] == [gone, RULE, other]


def test_a_part_says_which_recorded_compaction_lost_the_rest() -> None:
    (one,) = must_evidence(
        preview("Commit the migration files."), (RULE,), StageCache()
    )
    lost = replace(one, status=MustStatus.IN_PART, gone_since=1)
    assert missed_sentence(lost).startswith(
        f"must keep: “{RULE}” is gone since recorded 1, there in part: “"
    )


def test_a_must_never_changes_a_result() -> None:
    messages = [
        {"role": "user", "content": f"{RULE} Part {number}."} for number in range(9)
    ]
    plain = compact(messages, strategy="one-shot", limit=300)
    judged = compact(messages, strategy="one-shot", limit=300, must=[RULE])
    assert judged.messages == plain.messages
    assert [one.text for one in judged.must] == [RULE]


def test_two_hundred_musts_take_less_than_their_result() -> None:
    texts = [
        f"Never touch part {number} of the upload without a test."
        for number in range(200)
    ]
    source = conversation(*(human(text) for text in texts), *talk(200), ai("Done."))
    stages = StageCache()
    shown = compute_preview(source, values(), PreviewOptions(), stages)
    must_evidence(shown, texts, stages)
    start = perf_counter()
    found = must_evidence(shown, texts, stages)
    assert len(found) == 200
    assert perf_counter() - start < 0.5  # 0.05 s on an idle machine


def test_a_file_of_musts_has_one_a_line(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_text(f"# rules\n\n{RULE}\n  #123  \n{RULE}\n{'x' * 501}\n", "utf-8")
    found = read_must_file(path)
    assert found.musts == (RULE, "#123")
    assert found.left_out == 1


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        read_must_file(path)
