"""The counting process counts as the counter here, through deaths, pauses and odd characters."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from core.common.errors import Cancelled, InputError
from core.tokens.counter import CountMethod, TokenCounter, counter_for
from core.tokens.counting_process import CountingProcess, start_counting
from core.tokens.encodings import load_encoding
from core.tokens.message_tokens import count_messages
from tests.builders import ai, call, conversation, human, talk

TEXTS = ["plain words", "", "half \ud83d a character", "日本語 🎈", "x" * 3_000]
STAND_IN = """
import struct, sys
while len(head := sys.stdin.buffer.read(40)) == 40:
    name, count, size = struct.unpack("<32sII", head)
    lengths = struct.unpack(f"<{count}I", sys.stdin.buffer.read(4 * count))
    sys.stdin.buffer.read(size)
    answer = b"".join(length.to_bytes(8, "little") for length in lengths)
    sys.stdout.buffer.write(struct.pack("<BI", 0, len(answer)) + answer)
    sys.stdout.buffer.flush()
"""
"""A process that answers at once with the bytes of each text."""
DIES = "import sys; sys.stdin.buffer.read(1); sys.exit(7)"
SLEEPS = "import sys, time; time.sleep(60)"
BROKEN = """
import struct, sys
sys.stdin.buffer.read(40)
words = b"toktok-rs is broken.\\nInstall it again."
sys.stdout.buffer.write(struct.pack("<BI", 1, len(words)) + words)
"""


def starter(*codes: str) -> Callable[[], subprocess.Popen[bytes]]:
    """Return a function that starts these programs one after the other."""
    waiting = iter(codes)

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-S", "-c", next(waiting)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )

    return start


def go_on() -> None: ...


@pytest.fixture
def start_process() -> Iterator[Callable[..., CountingProcess]]:
    processes: list[CountingProcess] = []

    def make(*codes: str) -> CountingProcess:
        processes.append(CountingProcess(starter(*codes)))
        return processes[-1]

    yield make
    for process in processes:
        process.end()


@pytest.fixture(scope="module")
def real() -> Iterator[CountingProcess]:
    process = CountingProcess(start_counting)
    yield process
    process.end()


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_it_counts_like_tiktoken(real: CountingProcess, encoding: str) -> None:
    oracle = load_encoding(encoding)
    plain = [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in TEXTS]
    assert list(real.wait(real.ask(encoding, TEXTS, go_on), go_on)) == [
        len(oracle.encode_ordinary(one)) for one in plain
    ]


def test_a_counter_with_a_tally_counts_what_one_without_does(real: CountingProcess) -> None:
    long = "word (and) 1a " * 60_000  # more than one portion, and a text in pieces
    messages = (*talk(30), human(long), ai(f"1 {long}", call("grep", "g", pattern="x")), human(long), human())
    assert list(counter_for("", real).count_each(messages)) == [
        counter_for("").message(one) for one in messages
    ]
    assert counter_for("", real).text(long) == counter_for("").text(long)
    assert count_messages(conversation(*messages), counter_for("", real)) == count_messages(
        conversation(*messages), counter_for("")
    )


def test_batches_are_answered_in_the_order_in_which_they_were_asked(
    start_process: Callable[..., CountingProcess],
) -> None:
    process = start_process(STAND_IN)
    batches = [process.ask("", ["x" * size] * 3, go_on) for size in (400_000, 2, 30)]
    assert [list(process.wait(batch, go_on)) for batch in reversed(batches)] == [
        [30] * 3,
        [2] * 3,
        [400_000] * 3,
    ]


def test_equal_texts_are_asked_for_once(start_process: Callable[..., CountingProcess]) -> None:
    counter = TokenCounter(CountMethod("≈", "", "o200k_base"), start_process(STAND_IN))
    assert list(counter.count_each([human("abcd"), human("abcd"), human("ab")])) == [4, 4, 2]
    assert list(counter._texts.values()) == [4, 2]


def test_a_process_that_died_is_replaced_and_asked_again(
    start_process: Callable[..., CountingProcess],
) -> None:
    process = start_process(DIES, STAND_IN)
    assert list(process.wait(process.ask("", ["abc"], go_on), go_on)) == [3]


def test_one_that_dies_twice_ends_in_one_sentence(start_process: Callable[..., CountingProcess]) -> None:
    process = start_process(DIES, DIES, STAND_IN)
    with pytest.raises(InputError) as caught:
        process.wait(process.ask("", ["abc"], go_on), go_on)
    assert str(caught.value) == (
        "The process that counts tokens ended unexpectedly, twice (exit code 7). Open the file again."
    )
    assert list(process.wait(process.ask("", ["abcd"], go_on), go_on)) == [4]


def test_a_tokenizer_that_cannot_be_loaded_is_told(start_process: Callable[..., CountingProcess]) -> None:
    process = start_process(BROKEN)
    with pytest.raises(InputError, match=r"toktok-rs is broken\. Install it again\."):
        process.wait(process.ask("", ["abc"], go_on), go_on)


def test_waiting_can_be_cancelled(start_process: Callable[..., CountingProcess]) -> None:
    process = start_process(SLEEPS)

    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        process.wait(process.ask("", ["abc"], go_on), stop)


def test_what_nobody_waits_for_any_more_does_not_mix_up_the_answers(
    start_process: Callable[..., CountingProcess],
) -> None:
    counter = TokenCounter(CountMethod("≈", "", "o200k_base"), start_process(STAND_IN))
    each = counter.count_each([human(letter * 600_000) for letter in "abcdefg"])
    assert next(each) == 600_000
    del each
    assert counter.text("abc") == 3
