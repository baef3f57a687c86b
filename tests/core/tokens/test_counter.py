"""Token counts against the tokenizer, the counting rules, and hazards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from core.common.json_value import Json
from core.tokens import counter as tokens
from core.tokens import encodings
from core.tokens.counter import TokenCounter, counter_for, method_for
from core.tokens.encodings import load_encoding
from core.transcript.model import Block, Code, Thinking, ToolCall
from tests.builders import response

PNG = "iVBORw0KGgoAAAANSUhEUgAAASwAAACWCAYAAABkW7XS"  # header of an image of 300 by 150 pixels


@pytest.fixture(scope="module")
def oracle() -> tiktoken.Encoding:
    return load_encoding("o200k_base")


@pytest.fixture(scope="module")
def counter() -> TokenCounter:
    return counter_for("")


@given(st.text(alphabet=st.characters()))
def test_a_text_counts_what_the_tokenizer_says(text: str) -> None:
    assert counter_for("").text(text) == len(load_encoding("o200k_base").encode_ordinary(text))


def test_special_tokens_and_lone_surrogates_are_plain_text(
    counter: TokenCounter, oracle: tiktoken.Encoding
) -> None:
    assert counter.text("<|endoftext|>") > 1
    assert counter.text("a\ud83db" * 200) == len(oracle.encode_ordinary("a\ufffdb" * 200))


def test_a_panic_of_the_tokenizer_becomes_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    panic = type("PanicException", (BaseException,), {})

    class Broken:
        def encode_ordinary(self, text: str) -> list[int]:
            raise panic(text)

    monkeypatch.setattr(encodings, "has_toktok", lambda: False)
    monkeypatch.setattr(encodings, "load_encoding", lambda encoding: Broken())
    assert encodings.text_counter.__wrapped__("o200k_base")("x" * 400) == 100


@pytest.mark.parametrize(
    ("block", "same_as"),
    [
        (Thinking("step by step", {"signature": "c2ln" * 500}), "step by step"),
        (Code("print(1)", "python"), "print(1)"),
        (response("call_9f8e7d", "bash", "done"), "done"),
        (response("a", "bash", "", error="no such file"), "no such file"),
        (response("a", "bash", [{"type": "text", "text": "one line"}]), "one line"),
        (response("a", "bash", {"ok": True, "n": [1, 2]}), '{"ok":true,"n":[1,2]}'),
        (response("a", "mcp", {"content": [{"type": "text", "text": "hi there"}]}), "hi there"),
        (response("a", "bash", None), ""),
    ],
)
def test_only_what_the_model_reads_counts(counter: TokenCounter, block: Block, same_as: str) -> None:
    assert counter.block(block) == counter.text(same_as)


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
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


def test_without_any_table_four_characters_are_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "has_encoding", lambda encoding: None)
    counter = counter_for("gpt-4o")
    assert counter.method.mark == "≈"
    assert "4 characters" in counter.method.label
    assert counter.text("12345678") == 2


def test_a_damaged_table_is_never_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("fb374d419588a4632f3f557e76b4b70aebbca790", "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"):
        (tmp_path / name).write_text("broken")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(encodings, "litellm_folder", lambda: None)
    monkeypatch.setattr(encodings, "has_toktok", lambda: False)
    encodings.encoding_folder.cache_clear()
    assert not method_for("gpt-4").encoding
    assert len(list(tmp_path.iterdir())) == 2
    encodings.encoding_folder.cache_clear()


def _strings(value: Json) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _strings(part)]


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
def test_arguments_count_as_compact_json(value: object) -> None:
    counter = counter_for("")
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    call = ToolCall("1", "Write", value)
    assert counter.block(call) == counter.text("Write") + counter.text(written)
