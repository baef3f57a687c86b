"""The search for secrets takes any text, and a fault in it never costs a save."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.common import redaction
from core.common.redaction import Secret, find_secrets
from core.common.secret_rules import RULES, TAILS
from core.common.secret_values import decoded_text
from core.export.export import export_history
from tests.core.formats.exporting import unchanged_export
from tests.support.builders import conversation, human

_NAMES = sorted(
    {tail for _, tail, _ in TAILS} | {mark for rule in RULES for mark in rule.marks}
)
_FIRST = ("auth", "auth-token", "api_key", "passw", "Authorization: Basic", "SECRET")
_SEPARATORS = (":", ": ", "=", ' = "', "\t", ",", "\n", " | ", "=>", "：")
_VALUES = st.text(min_size=1, max_size=60) | st.text(
    st.characters(categories=("Nd", "No", "Lu", "Ll", "Lo", "Cs")),
    min_size=12,
    max_size=60,
)


@given(
    st.sampled_from(_NAMES),
    st.sampled_from(_FIRST),
    st.sampled_from(_SEPARATORS),
    _VALUES,
)
@settings(max_examples=400, deadline=None)
def test_any_text_behind_a_name_is_searched_without_a_fault(
    name: str, first: str, separator: str, value: str
) -> None:
    for text in (
        f"{first}{name}{separator}{value}",
        f"{first}{separator}{value}\n{name}",
    ):
        assert all(one.kind != redaction.NOT_SEARCHED for one in find_secrets(text))


@given(st.text())
def test_a_decoder_gives_some_text_for_any_word(word: str) -> None:
    assert isinstance(decoded_text(word), str)
    assert isinstance(decoded_text(word, b"-_"), str)


@pytest.mark.parametrize(
    "word", ["Schlüsselbund", "пароль-очень-длинный", "密码密码密码密码"]
)
def test_a_word_that_is_not_ascii_decodes_to_nothing(word: str) -> None:
    assert decoded_text(word) == ""


@pytest.fixture
def _broken_search(monkeypatch: pytest.MonkeyPatch) -> None:
    search = redaction._find

    def fail(text: str) -> Sequence[Secret]:
        if "ordinary" in text:
            raise ValueError("a fault in the search")
        return search(text)

    monkeypatch.setattr(redaction, "_find", fail)
    monkeypatch.setattr(redaction, "_find_in_short", fail)


@pytest.mark.usefixtures("_broken_search")
@pytest.mark.parametrize("redact", [True, False])
def test_a_fault_in_the_search_is_said_and_the_export_made(redact: bool) -> None:
    export = unchanged_export(conversation(human("an ordinary sentence of the person")))
    exported = export_history(export, "anthropic_messages", redact=redact)
    assert "ext that could not be searched" in exported.warnings[-1]
    assert (b"an ordinary sentence" in exported.data) is not redact
