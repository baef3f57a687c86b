"""Token counts against the tokenizer, the counting rules, and hazards."""

import json
import random
import weakref
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.registry import load_conversation
from core.tokens import counter as counting
from core.tokens.counter import (
    TokenCounter,
    count_text,
    count_texts,
    counter_for,
    has_toktok,
    load_encoding,
    method_for,
)
from core.transcript.model import Block, Code, SystemPart, Thinking, ToolCall
from tests.support.builders import human, response

PNG = "iVBORw0KGgoAAAANSUhEUgAAASwAAACWCAYAAABkW7XS"  # header of an image of 300 by 150 pixels


@pytest.fixture(scope="module")
def counter() -> TokenCounter:
    return counter_for("")


@given(st.text(alphabet=st.characters()))
def test_a_text_counts_what_the_tokenizer_says(text: str) -> None:
    assert counter_for("").text(text) == len(
        load_encoding("o200k_base").encode_ordinary(text)
    )


def test_a_panic_of_the_tokenizer_becomes_an_estimate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    panic = type("PanicException", (BaseException,), {})

    class Broken:
        def encode_ordinary(self, text: str) -> list[int]:
            raise panic(text)

    monkeypatch.setattr(counting, "has_toktok", lambda: False)
    monkeypatch.setattr(counting, "load_encoding", lambda encoding: Broken())
    assert counting.text_counter.__wrapped__("o200k_base")("x" * 400) == 100


@pytest.mark.parametrize(
    ("block", "same_as"),
    [
        (Thinking("step by step", {"signature": "c2ln" * 500}), "step by step"),
        (Code("print(1)", "python"), "print(1)"),
        (response("call_9f8e7d", "bash", "done"), "done"),
        (response("a", "bash", "", error="no such file"), "no such file"),
        (response("a", "bash", [{"type": "text", "text": "one line"}]), "one line"),
        (response("a", "bash", {"ok": True, "n": [1, 2]}), '{"ok":true,"n":[1,2]}'),
        (
            response("a", "mcp", {"content": [{"type": "text", "text": "hi there"}]}),
            "hi there",
        ),
        (response("a", "bash", None), ""),
    ],
)
def test_only_what_the_model_reads_counts(
    counter: TokenCounter, block: Block, same_as: str
) -> None:
    assert counter.block(block) == counter.text(same_as)


@pytest.mark.parametrize(
    "part",
    [
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": PNG},
        },
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
        {"type": "image", "data": PNG, "mimeType": "image/png"},
        {"inlineData": {"mimeType": "image/png", "data": PNG}},
        {"type": "image", "file": {"base64": PNG}},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"},
    ],
)
def test_images_in_results_cost_their_size(counter: TokenCounter, part: Json) -> None:
    assert counter.block(response("a", "shot", [part])) == 300 * 150 // 750


@pytest.mark.parametrize(
    ("model", "mark", "label"),
    [
        ("gpt-4o", "=", "o200k_base"),
        ("openai/gpt-4o-mini", "=", "o200k_base"),
        ("gpt-4-0613", "=", "cl100k_base"),
        ("claude-opus-4-5", "≈", "o200k_base estimate"),
        ("text-davinci-003", "≈", "o200k_base estimate"),
        ("", "≈", "o200k_base estimate"),
    ],
)
def test_the_method_says_how_good_it_is(model: str, mark: str, label: str) -> None:
    method = method_for(model)
    assert (method.mark, method.label) == (mark, label)


def test_a_damaged_table_is_never_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    ):
        (tmp_path / name).write_text("broken")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(counting, "litellm_folder", lambda: None)
    monkeypatch.setattr(counting, "has_toktok", lambda: False)
    counting.encoding_folder.cache_clear()
    assert not method_for("gpt-4").encoding
    assert len(list(tmp_path.iterdir())) == 2
    counting.encoding_folder.cache_clear()


def test_the_system_part_is_its_texts_and_its_tools(counter: TokenCounter) -> None:
    part = SystemPart(("Be kind.",), ({"name": "read", "input_schema": {}},))
    tool = counter.text('{"name":"read","input_schema":{}}')
    assert counter.system(part) == counter.text("Be kind.") + tool


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, True, None, "é\n\x7f\u2028"], "b": {"c": ""}},
        {"rate": 1e16, "small": 1e-7, "whole": 2.0},
        {"id": 1 << 80},
        {"text": "half \ud83d"},
        {"not": float("nan")},
        [],
    ],
)
def test_arguments_count_as_compact_json(counter: TokenCounter, value: object) -> None:
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    call = ToolCall("1", "Write", value)
    assert counter.block(call) == counter.text("Write") + counter.text(written)


ODD = (
    "",
    " ",
    "plain words and a number 12345",
    "<|endoftext|> is text here, <|fim_prefix|> too",
    "naïve café 日本語のテキスト 한국어 עברית",
    "👩‍👩‍👧‍👦🏳️‍🌈 zero\u200bwidth\u2028line",
    "half \ud83d a character",
    "\n" * 500,
    " " * 3_000 + "x",
    "=" * 2_000,
    "iVBORw0KGgoAAAANSUhEUgAA" * 100,
    "def f(x):\n\treturn {'a': [1, 2, 3]}\r\n",
)
MOST = 3_000_000
"""Characters of the corpus to compare."""
LONGEST = 20_000
"""Characters of one of its texts."""

pytestmark = pytest.mark.skipif(
    not has_toktok(), reason="toktok-rs has no wheel for this machine"
)


class _Collector(TokenCounter):
    def __init__(self) -> None:
        super().__init__(method_for(""))
        self.found: dict[str, None] = {}

    def text(self, text: str) -> int:
        self.found[text[:LONGEST]] = None
        return 0


def _mixed(seed: int) -> str:
    dice = random.Random(seed)
    return "".join(
        chr(dice.choice((32, 10, 65, 97, 0x4E00, 0x1F600)) + dice.randrange(20))
        for _ in range(400)
    )


@pytest.fixture(scope="module")
def texts(corpus: Path) -> list[str]:
    """Texts of each file of the corpus, so that every format, tool and language occurs."""
    files = sorted(path for path in corpus.rglob("*") if path.is_file())
    found: list[str] = []
    for path in files:
        collector, room = _Collector(), MOST // len(files)
        try:
            collector.messages(load_conversation(path).messages)
        except InputError:
            continue
        for text in collector.found:
            room -= len(text)
            if room < 0:
                break
            found.append(text)
    return found


def _differing(texts: list[str], encoding: str) -> list[str]:
    """Return the beginnings of texts that toktok counts otherwise, together or one by one."""
    oracle = load_encoding(encoding)
    counts = zip(texts, count_texts(texts, encoding), strict=True)
    return [
        text[:80]
        for text, count in counts
        if not count
        == count_text(text, encoding)
        == len(oracle.encode_ordinary(_as_tiktoken_reads(text)))
    ]


def _as_tiktoken_reads(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_it_counts_like_tiktoken(encoding: str) -> None:
    assert _differing([*ODD, *map(_mixed, range(200))], encoding) == []


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_it_counts_the_corpus_like_tiktoken(texts: list[str], encoding: str) -> None:
    assert len(texts) > 1_000
    assert _differing(texts, encoding) == []


def test_a_counted_message_does_not_stay_in_memory() -> None:
    counter = counter_for("")
    message = human("one of the results that nobody looks at again")
    assert counter.message(message) > 0
    alive = weakref.ref(message)
    del message
    assert alive() is None
