"""What an agent had to bring back behind a recorded compaction, and what that cost."""

from core.presentation.preview_wording import again_text
from core.tokens.counter import counter_for
from core.tokens.recorded_compactions import (
    TURNS,
    BroughtBack,
    brought_back,
    measure_compactions,
)
from core.transcript.model import Message, RecordedCompaction
from tests.support.builders import conversation, exchange, human, talk

COUNTER = counter_for("")
READ = exchange("r", "read_file", "the text of a", path="/src/a.py")
AGAIN = exchange("r2", "read_file", "the text of a, changed", path="/src/a.py")
LOG = exchange("l", "bash", "one line of a log", command="git log")
LOG_AGAIN = exchange("l2", "bash", "one line of a log", command="git log")
REFUSED = exchange(
    "e", "edit", "Error: the old text was not found", path="/src/a.py", old_text="x"
)


def behind(
    before: tuple[Message, ...], after: tuple[Message, ...], kept: tuple[int, ...] = ()
) -> BroughtBack:
    one = RecordedCompaction(
        kind="summary", boundary=len(before), summary=(human("All."),), kept=kept
    )
    session = conversation(*before, *after, recorded=(one,))
    (found,) = brought_back(session, COUNTER)
    (measured,) = measure_compactions(session, COUNTER)
    assert measured.again == found
    return found


def test_a_file_that_is_read_again_counts_once_with_its_tokens() -> None:
    found = behind(READ, (*AGAIN, *AGAIN))
    assert (found.files, found.commands, found.edits) == (1, 0, 0)
    assert found.tokens == sum(
        COUNTER.block(block) for message in AGAIN for block in message.blocks
    )


def test_what_the_compaction_left_is_not_brought_back() -> None:
    assert behind(READ, AGAIN, kept=(0, 1)) == BroughtBack()
    assert behind(talk(2), AGAIN) == BroughtBack()


def test_a_command_counts_where_its_output_is_the_same() -> None:
    other = exchange("l3", "bash", "another line of a log", command="git log")
    assert behind(LOG, LOG_AGAIN).commands == 1
    assert behind(LOG, other).commands == 0


def test_an_edit_that_fails_counts_where_its_file_was_known() -> None:
    assert behind(READ, REFUSED).edits == 1
    assert behind(talk(2), REFUSED).edits == 0


def test_only_the_next_turns_are_looked_at() -> None:
    assert behind(READ, (*talk(2 * TURNS), *AGAIN)).files == 0
    assert behind(READ, (*talk(2 * TURNS - 4), *AGAIN)).files == 1


def test_words_name_what_was_brought_back() -> None:
    session = conversation(
        *(*READ, *LOG, *AGAIN, *LOG_AGAIN),
        recorded=(
            RecordedCompaction(kind="summary", boundary=4, summary=(human("All."),)),
        ),
    )
    (measured,) = measure_compactions(session, COUNTER)
    tokens = measured.again.tokens
    assert again_text(measured) == f"brought back: 1 file, 1 command, {tokens} tokens"
    assert again_text(None) == ""
