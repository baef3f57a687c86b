"""What counts the texts of a small file says the numbers of tiktoken, and leaves large ones to
toktok."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
import tiktoken

from core.app.services.service_host import make_host
from core.common.paths import SAMPLES
from core.tokens import counter as counting
from core.tokens import few_texts
from core.tokens.counter import DEFAULT, batch_counter, encoding_folder, load_encoding
from core.tokens.few_texts import MOST, MOST_AT_ONCE, FewTexts

KNOWN = [chr(code) for code in range(0x20000) if few_texts._KNOWN.fullmatch(chr(code))]
COMMON = list(" \n\r\t'sSrReEvVlLtTdDmM/.,_-=aAbBé09")


@pytest.fixture(scope="module")
def table() -> bytes:
    folder = encoding_folder(DEFAULT)
    if folder is None:
        pytest.skip("needs the table that litellm ships")
    return (folder / counting._FILES[DEFAULT][0]).read_bytes()


@pytest.fixture(scope="module")
def tiktoken_table(table: bytes) -> tiktoken.Encoding:
    return load_encoding(DEFAULT)


@pytest.fixture
def few(table: bytes) -> FewTexts:
    return FewTexts(lambda: table)


def expected(texts: list[str], tokens: tiktoken.Encoding) -> list[int]:
    return [len(tokens.encode_ordinary(text)) for text in texts]


def test_every_known_character_counts_as_tiktoken_says(
    few: FewTexts, tiktoken_table: tiktoken.Encoding
) -> None:
    assert len(KNOWN) > 2_000
    texts = [f"a{one}b {one}{one}C 1{one}\n{one}" for one in KNOWN]
    assert few.count(texts) == expected(texts, tiktoken_table)


def test_characters_at_random_count_as_tiktoken_says(
    few: FewTexts, tiktoken_table: tiktoken.Encoding
) -> None:
    chance = random.Random(3)
    pool = KNOWN + COMMON * 60
    texts = ["".join(chance.choices(pool, k=length % 24)) for length in range(6_000)]
    assert few.count(texts) == expected(texts, tiktoken_table)


@pytest.mark.parametrize(
    "path", sorted(SAMPLES.glob("*.json*")), ids=lambda one: one.name
)
def test_the_lines_of_a_sample_count_as_tiktoken_says(
    path: Path, few: FewTexts, tiktoken_table: tiktoken.Encoding
) -> None:
    lines = path.read_text("utf-8").splitlines()
    texts = [line for line in lines if few_texts._KNOWN.fullmatch(line)][:150]
    texts = [text[:1_500] for text in texts]
    assert texts
    assert few.count(texts) == expected(texts, tiktoken_table)


@pytest.mark.parametrize(
    "texts",
    [
        ["日本"],
        ["e\u0301"],
        ["\ud800"],
        ["a" * 401],
        ["word " * (MOST_AT_ONCE // 5 + 1)],
    ],
    ids=["letters", "marks", "half a pair", "a long word", "much text"],
)
def test_other_texts_end_it(few: FewTexts, texts: list[str]) -> None:
    assert few.count(["One sentence."]) == [3]
    assert few.count(texts) is None
    assert few.count(["One sentence."]) is None


def test_many_small_batches_end_it(few: FewTexts) -> None:
    batch = ["word " * 50_000]
    counted = 0
    while few.count(batch) is not None:
        counted += len(batch[0])
    assert MOST - len(batch[0]) <= counted <= MOST


@pytest.fixture
def no_toktok(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> int:
        raise AssertionError("toktok's table is loaded")

    monkeypatch.setattr(counting, "count_text", fails)
    monkeypatch.setattr(counting, "count_texts", fails)


@pytest.mark.usefixtures("table", "no_toktok")
def test_a_small_file_is_counted_without_toktok(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    new: Callable[[str], FewTexts | None] = counting._few_texts.__wrapped__
    monkeypatch.setattr(counting, "_few_texts", new)
    assert batch_counter.__wrapped__(DEFAULT)(["One sentence."]) == [3]
    assert counting.text_counter.__wrapped__(DEFAULT)("One sentence.") == 3


def test_a_worker_loads_the_table_before_its_first_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded = list[str]()
    monkeypatch.setattr(
        counting, "count_text", lambda _, encoding: loaded.append(encoding)
    )
    monkeypatch.setattr(counting, "has_toktok", lambda: True)
    make_host(print, str)
    assert loaded == [DEFAULT]


@pytest.mark.usefixtures("table")
def test_a_loaded_table_ends_the_list_of_few_texts(
    few: FewTexts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "has_toktok", lambda: True)
    monkeypatch.setattr(counting, "count_text", lambda *_: 0)
    monkeypatch.setattr(counting, "_few_texts", lambda _: few)
    assert few.count(["One sentence."]) == [3]
    counting.load_table()
    assert few.count(["One sentence."]) is None
