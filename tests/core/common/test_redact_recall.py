"""Recall and precision on planted secrets; ``-s`` prints the figures."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.common.json_value import Json
from core.common.paths import RESOURCES, SAMPLES
from core.common.redaction.redact import (
    count_secrets_in_json,
    find_secrets,
    find_secrets_in_json,
    redact,
    redact_json,
)
from core.formats.writing.base import ExporterOutput, OutputShape
from core.formats.writing.redacted_output import count_output_secrets
from tests.core.common.planted_secrets import WRAPPINGS, PlantedSecret, is_covered, planted_secrets

RECALL = 0.97
_SEEDS = ("a", "b")


def _left(given: Json) -> str:
    """Return a text or JSON value after redaction."""
    if isinstance(given, str):
        return redact(given)[0]
    value = copy.deepcopy(given)
    redact_json(value)
    return json.dumps(value, ensure_ascii=False)


def _is_seen(kind: str, wrapping: str) -> bool:
    """Return True for the half of all pairs used while the rules were written; the rest is held out."""
    return random.Random(f"{kind}/{wrapping}").random() < 0.5


def _tried(half: str) -> Iterator[tuple[PlantedSecret, str, bool]]:
    """Yield each secret in each wrapping of a half, and whether it was found."""
    for seed in _SEEDS:
        for one in planted_secrets(seed + half):
            for name, wrap in WRAPPINGS.items():
                if _is_seen(one.kind, name) == (half == "seen"):
                    wrapped = wrap(one, random.Random(f"{seed}{one.kind}{name}"))
                    yield one, name, is_covered(wrapped.pieces, _left(wrapped.value))


def test_of_planted_secrets_97_in_100_are_found() -> None:
    every = {half: list(_tried(half)) for half in ("seen", "unseen")}
    for half, tried in every.items():
        found = sum(is_found for *_, is_found in tried)
        print(f"\n{half}: {found} of {len(tried)} found ({100 * found / len(tried):.1f} %)")
    both = [*every["seen"], *every["unseen"]]
    missed = Counter((one.kind, name) for one, name, is_found in both if not is_found)
    assert len({one.kind for one, *_ in both}) >= 25
    assert len(WRAPPINGS) >= 20
    assert sum(is_found for *_, is_found in both) >= RECALL * len(both), missed.most_common(20)
    for tried in every.values():
        assert sum(is_found for *_, is_found in tried) >= RECALL * len(tried)


def test_a_key_with_a_beginning_of_its_own_is_found_over_two_lines() -> None:
    keys = [one for one in planted_secrets("lines") if one.has_prefix and "\n" not in one.secret]
    assert len(keys) >= 26
    for one in keys:
        for place in (len(one.secret) // 4, len(one.secret) // 2, len(one.secret) * 3 // 4):
            for joint in ("\n", "\\\n", "\n    ", "\\n"):
                text = f"it is {one.secret[:place]}{joint}{one.secret[place:]} for now"
                pieces = (one.secret[:place], one.secret[place:])
                assert is_covered(pieces, redact(text)[0]), (one.kind, place, joint)


def _shipped() -> list[Path]:
    folders = (SAMPLES, RESOURCES / "help")
    return sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("path", _shipped(), ids=lambda path: path.name)
def test_nothing_is_found_in_what_is_shipped(path: Path) -> None:
    data = path.read_bytes()
    shape = {".jsonl": OutputShape.LINES, ".json": OutputShape.JSON}.get(path.suffix, OutputShape.TEXT)
    assert count_output_secrets(ExporterOutput(data, shape)) == 0
    assert find_secrets(data.decode()) == ()


@pytest.mark.parametrize(
    "text",
    [
        "    return 1\\n@pytest.fixture\\ndef made(): ...",
        "\\t@app.route\\n@property.setter",
        "write to user@example.com, noreply@github.com, git@github.com or 12+bot@users.noreply.github.com",
        "pip install tide-tables@0.9.4 actions/checkout@v4 n@README.md getty@tty1.service",
        "Authorization: Bearer YOUR_API_KEY and Bearer your-api-key-goes-here1",
        "key ${{ secrets.NPM_TOKEN }} token=<token> PASSWORD=$PASSWORD password={{ db1 }}",
        'api_key=os.environ["KEY1"], password=getpass.getpass(), password=None, password: string',
        "token = tokens[i1]; key=lambda one: one.key2; token = self.lexer.next_token2",
        "password: newPassword2, passwd = args.password1, PASSWORD: sha256",
        "integrity sha512-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08==",
        "/home/ada/projects/token_store_2024/secret_manager_v2.py",
        "max_tokens: 128000\nresponse_format: json_object2",
        "nextPageToken: CAUQAA12345678901234",
        "docker run -u 1000:1000 -p 8080:80 image",
    ],
)
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert find_secrets(text) == ()


@pytest.mark.parametrize(
    ("value", "covered"),
    [
        (["deploy", "--password", "Hunter2!x"], ["deploy", "--password", "[redacted:password]"]),
        ({"DB_PASSWORD": "Hunter2!x"}, {"DB_PASSWORD": "[redacted:password]"}),
        (
            {"name": "DB_PASSWORD", "value": "Hunter2!x"},
            {"name": "DB_PASSWORD", "value": "[redacted:password]"},
        ),
        (["a ghp" + "_a1B2c3D4e5F6g7H8i9", "J0k1L2m3N4o5P6q7R8s9"], ["a [redacted:github-token]", ""]),
    ],
)
def test_lists_and_fields_tell_what_their_texts_are(value: Json, covered: Json) -> None:
    found = [one for text in find_secrets_in_json(value) for one in text.secrets if one.kind]
    assert count_secrets_in_json(value) == len(found) == 1
    assert redact_json(value) == 1
    assert value == covered
