"""Secrets are found where they are, and only there. The samples are put together at run time."""

import base64
import json
import time
from pathlib import Path

import pytest

from core.common import paths
from core.common.json_value import Json
from core.common.redaction import (
    Secret,
    count_secrets_in_json,
    find_secrets,
    find_secrets_in_json,
    redact,
    redact_json,
)
from core.common.secret_rules import RULES, TAILS
from core.export.export import export_history
from core.formats.writing.exporter import ExporterOutput, OutputShape
from core.formats.writing.redacted_output import count_output_secrets
from tests.core.common.planted_secrets import planted_secrets
from tests.core.common.secret_recall import measured
from tests.core.common.secret_wrappings import is_covered
from tests.core.formats.converting import WRITTEN
from tests.core.formats.exporting import unchanged_export
from tests.core.reports.reporting import report
from tests.support.builders import ai, call, conversation, human, response, tool

PLAIN = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"
"""Looks like a digest; only its name says that it is a key."""
_X = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
_PEM = "PRIVATE KEY-----"

SAMPLES = {
    "anthropic-key": "sk-" + "ant-api03-" + _X,
    "openrouter-key": "sk-" + "or-v1-" + _X,
    "api-key": "sk-" + "proj-" + _X,
    "stripe-key": "sk_" + "live_" + _X,
    "github-token": "gh" + "p_" + _X[:36],
    "gitlab-token": "gl" + "pat-" + _X[:20],
    "slack-token": "xo" + "xb-" + "1234567890-abcdef",
    "aws-key": "AK" + "IA" + "ABCDEFGH12345678",
    "google-key": "AI" + "za" + _X[:35],
    "google-token": "ya" + "29." + _X,
    "google-secret": "GOC" + "SPX-" + _X[:28],
    "huggingface-token": "h" + "f_" + _X[:34],
    "groq-key": "gs" + "k_" + _X,
    "xai-key": "xa" + "i-" + _X,
    "npm-token": "np" + "m_" + _X[:36],
    "pypi-token": "py" + "pi-" + _X + _X,
    "sendgrid-key": "S" + "G." + _X[:22] + "." + _X,
    "token": "ey" + "J" + _X + ".ey" + "J" + _X + "." + _X,
    "webhook": "https://hooks."
    + "slack.com/services/"
    + "T012ABCD/B012ABCD/"
    + _X[:24],
    "telegram-token": "123456789:" + "AA" + _X[:33],
    "azure-key": "Account" + "Key=" + _X + _X + "==",
    "nvidia-key": "nv" + "api-" + _X + _X,
    "perplexity-key": "pp" + "lx-" + _X,
    "replicate-token": "r" + "8_" + _X[:37],
    "databricks-token": "da" + "pi" + "0123456789abcdef" * 2,
    "digitalocean-token": "do" + "p_v1_" + "0123456789abcdef" * 4,
    "vault-token": "hv" + "s." + _X,
    "docker-token": "dckr" + "_pat_" + _X,
    "atlassian-token": "AT" + "ATT3" + _X + _X,
    "linear-key": "lin" + "_api_" + _X,
    "notion-token": "nt" + "n_" + _X + _X,
    "figma-token": "fi" + "gd_" + _X,
    "shopify-token": "shp" + "at_" + "0123456789abcdef" * 2,
    "supabase-token": "sb" + "p_" + "0123456789" * 4,
    "mailgun-key": "ke" + "y-" + "0123456789abcdef" * 2,
    "mail": "ada.lovelace@" + "example.org",
    "private-key": f"-----BEGIN RSA {_PEM}\n{_X}\n{_X}\n-----END RSA {_PEM}",
}


@pytest.mark.parametrize("kind", SAMPLES)
def test_each_kind_is_found_alone_and_in_a_sentence(kind: str) -> None:
    text = f"use '{SAMPLES[kind]}', please"
    kept = {
        "webhook": "https://hooks.slack.com/services/",
        "azure-key": "AccountKey=",
    }.get(kind, "")
    assert redact(text) == (f"use '{kept}[redacted:{kind}]', please", 1)
    assert redact(redact(text)[0])[1] == 0
    assert redact(f"first\\n{SAMPLES[kind]}\\nlast")[1] == 1, (
        "behind an escaped line break"
    )


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (
            f"Authorization: Bearer {_X}",
            "Authorization: Bearer [redacted:authorization]",
        ),
        (
            f'{{"authorization": "{_X}"}}',
            '{"authorization": "[redacted:authorization]"}',
        ),
        (
            f"curl -H 'Authorization: Basic {_X}=='",
            "curl -H 'Authorization: Basic [redacted:authorization]'",
        ),
        (
            "postgres://ada:h0pper@db:5432/x",
            "postgres://ada:[redacted:password]@db:5432/x",
        ),
        (f"FOO_API_KEY={_X}", "FOO_API_KEY=[redacted:secret]"),
        (
            f'{{\\"access_token\\": \\"{_X}\\"}}',
            '{\\"access_token\\": \\"[redacted:secret]\\"}',
        ),
        (f"aws_secret_access_key = {_X}", "aws_secret_access_key = [redacted:secret]"),
        (f"password: '{_X}'", "password: '[redacted:secret]'"),
        ('{"password": "h0pper!?"}', '{"password": "[redacted:password]"}'),
        (
            "Server=x;Password=h0pper!?;Port=1",
            "Server=x;Password=[redacted:password];Port=1",
        ),
        (f"vercel --token {_X}", "vercel --token [redacted:secret]"),
        (f"https://a.b/in/{SAMPLES['token']}", "https://a.b/in/[redacted:token]"),
        ("DB_PASSWORD=Hunter2!x", "DB_PASSWORD=[redacted:password]"),
        ("PASSWORD: Sup3rSecret99", "PASSWORD: [redacted:password]"),
        ('["--password", "Hunter2!x"]', '["--password", "[redacted:password]"]'),
        (f'"apiKey": "{_X}"', '"apiKey": "[redacted:secret]"'),
        (f"-----BEGIN {_PEM}\\n{_X}\\n{_X}\\n(cut)", "[redacted:private-key]\\n(cut)"),
        ("NAME_TOKEN=a1B2c3.d4E5f6.g7H8", "NAME_TOKEN=[redacted:secret]"),
        ('DB_PASSWORD="h0p per!7 x9Yz2"', 'DB_PASSWORD="[redacted:password]"'),
        (
            "DB_PASSWORD=h0p(per!7,x9\nPORT=80",
            "DB_PASSWORD=[redacted:password]\nPORT=80",
        ),
        (f"7,API_TOKEN,{_X},on", "7,API_TOKEN,[redacted:secret],on"),
        (f"API_TOKEN＝{_X}", "API_TOKEN＝[redacted:secret]"),
        (f'{{"kty":"EC","d":"{_X}"}}', '{"kty":"EC","d":"[redacted:private-key]"}'),
    ],
)
def test_headers_urls_and_assignments(text: str, clean: str) -> None:
    assert redact(text) == (clean, 1)


@pytest.mark.parametrize("shift", ["", "a", "ab"])
def test_a_key_in_base64_goes_with_the_word_that_holds_it(shift: str) -> None:
    hidden, harmless = (
        base64.b64encode(f"{shift}token={text}\n".encode()).decode()
        for text in (
            SAMPLES["github-token"],
            "none, for it is read from the environment",
        )
    )
    assert redact(f"data: {hidden}") == ("data: [redacted:github-token]", 1)
    assert find_secrets(harmless) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer $TOKEN",
        "https://user:${PASSWORD}@host/",
        "git@github.com:owner/repo.git and icon@2x.png and @decorator",
        "task-management-with-long-names and sk-fading-circle-animation-x",
        "API_KEY=os.environ['FOO']",
        "a -----BEGIN PRIVATE KEY----- block is needed",
        "aws_secret_access_key=s3_aws_secret_access_key, password=get_password_from_env2()",
        '"Authorization": request.headers.get("x")',
        "token = generate_token_v2_sha256(user), secret: see_chapter, next --token value",
        (
            '{"password": "string", "token": "read from the keyring", "Password=": 8}; '
            'password: "{{ db_1 }}"'
        ),
        "6f1ed002-ab5b-4fd6-b1f5-92bc1e7d0f5e da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
        "http://localhost:8080/a@b",
        "    return 1\\n@pytest.fixture\\ndef made(): ...",
        "\\t@app.route\\n@property.setter",
        (
            "write to user@example.com, noreply@github.com, git@github.com or "
            "12+bot@users.noreply.github.com"
        ),
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
        "BROKEN BAR\n    0x00a7: 0x00f5, task-6f1ed002-ab5b-4fd6-b1f5-92bc1e7d0f5e and cache-key-"
        + PLAIN,
        "User, Password, Person\n    - 20230125174823_add_changeset: x",
        '"password": "At least 8 characters, 1 digit", "token": "The token2 of the user4"',
        "SERVER_AUTH = '1.3.6.1.5.5.7.3.1'\n    CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert find_secrets(text) == ()


def test_json_values_are_redacted_in_place_and_stay_json() -> None:
    value = {"a": ["x", f'say "{SAMPLES["mail"]}"\n'], "b": {"c": 1, "d": None}}
    assert redact_json(value) == 1
    assert json.loads(json.dumps(value)) == {
        "a": ["x", 'say "[redacted:mail]"\n'],
        "b": {"c": 1, "d": None},
    }


TOLD = conversation(
    human("Log in."),
    ai("", call("login", "c", api_key=PLAIN)),
    tool(response("c", f"got {PLAIN}")),
    *[human("on"), ai("yes")] * 6,
)


@pytest.mark.parametrize("to", ["html", "golden", "csv"])
def test_a_report_shows_a_named_secret_nowhere(to: str) -> None:
    assert PLAIN not in report(TOLD, to).data.decode()


@pytest.mark.parametrize("to", [*WRITTEN, "markdown"])
def test_a_transcript_shows_a_named_secret_nowhere_where_that_is_asked(to: str) -> None:
    assert (
        PLAIN
        not in export_history(unchanged_export(TOLD), to, redact=True).data.decode()
    )


def test_time_is_linear_on_hostile_text() -> None:
    pieces = [
        "a",
        "sk-",
        "eyJ",
        "eyJa.",
        "a@",
        "a.",
        "://a:",
        "-----BEGIN RSA PRIVATE KEY-----\n",
        "AKIA",
    ]
    pieces += ["-", "aB3", "aB3+", "--a-", "?a", "&key=", 'password="']
    pieces += [
        "sk-a1",
        "ghp_a1",
        "KEY=a1",
        "PASSWORD=a1! b2! ",
        "a,token\n",
        "token,a1b2c3\n",
        "61 ",
        "a1 ",
        '"d":"',
    ]
    all_marks = [
        *(mark for rule in RULES for mark in rule.marks),
        *(tail for _, tail, _ in TAILS),
    ]
    pieces += all_marks
    marks = " ".join(all_marks)
    for piece in pieces:
        started = time.process_time()
        find_secrets(marks + piece * (10_000 // len(piece)))
        assert time.process_time() - started < 3, piece  # quadratic: minutes


def test_a_secret_as_the_name_of_a_field_goes_and_no_field_is_lost() -> None:
    mail, key = SAMPLES["mail"], SAMPLES["npm-token"]
    value = {"first": 1, mail: [{key: 2}], f"b{mail}": 3}
    assert count_secrets_in_json(value) == 3
    assert redact_json(value) == 3
    assert list(value.values()) == [1, [{"[redacted:npm-token]": 2}], 3]
    assert next(iter(value)) == "first"
    assert mail not in json.dumps(value)


@pytest.mark.parametrize(
    ("wrappings", "least"),
    [
        ("seen", 0.96),
        ("set aside", 0.95),
        ("afterwards", 0.95),
        ("positions", 0.95),
        ("positions set aside", 0.95),
    ],
)
def test_planted_secrets_are_found(wrappings: str, least: float) -> None:
    recall = measured(wrappings)
    print(f"\n{wrappings}: {recall}")
    assert recall.found >= least * recall.tried, recall.missed.most_common(20)


@pytest.mark.parametrize("joint", ["backup_", "x-", "token", "7", "a/b_", "-_"])
def test_a_key_with_a_beginning_of_its_own_is_found_inside_a_word(joint: str) -> None:
    keys = [
        one
        for one in planted_secrets("joined")
        if one.has_prefix and "\n" not in one.secret
    ]
    missed = [
        one.kind
        for one in keys
        if one.kind
        not in ("Telegram", "Discord")  # nothing but digits and points identifies these
        and not is_covered((one.secret,), redact(f"{joint}{one.secret}")[0])
    ]
    assert missed == []


def test_a_key_with_a_beginning_of_its_own_is_found_over_lines() -> None:
    keys = [
        one
        for one in planted_secrets("lines")
        if one.has_prefix and "\n" not in one.secret
    ]
    assert len(keys) >= 26
    for one in keys:
        for width in (24, 40):
            parts = [
                one.secret[at : at + width] for at in range(0, len(one.secret), width)
            ]
            if one.kind not in ("Telegram", "Discord") and len(parts) > 2:
                text = "\n".join(("it is", *parts, "for now"))
                assert is_covered(tuple(parts), redact(text)[0]), (one.kind, width)
        for place in (
            len(one.secret) // 4,
            len(one.secret) // 2,
            len(one.secret) * 3 // 4,
        ):
            for joint in ("\n", "\\\n", "\n    ", "\\n"):
                text = f"it is {one.secret[:place]}{joint}{one.secret[place:]} for now"
                pieces = (one.secret[:place], one.secret[place:])
                assert is_covered(pieces, redact(text)[0]), (one.kind, place, joint)


SHIPPED = [*paths.SAMPLES.rglob("*.*"), *(paths.RESOURCES / "help").rglob("*.*")]


@pytest.mark.parametrize("path", sorted(SHIPPED), ids=lambda path: path.name)
def test_nothing_is_found_in_what_is_shipped(path: Path) -> None:
    data = path.read_bytes()
    shape = {".jsonl": OutputShape.LINES, ".json": OutputShape.JSON}.get(
        path.suffix, OutputShape.TEXT
    )
    assert count_output_secrets(ExporterOutput(data, shape)) == 0
    assert find_secrets(data.decode()) == ()


@pytest.mark.parametrize(
    ("value", "covered"),
    [
        (
            ["deploy", "--password", "Hunter2!x"],
            ["deploy", "--password", "[redacted:password]"],
        ),
        ({"DB_PASSWORD": "Hunter2!x"}, {"DB_PASSWORD": "[redacted:password]"}),
        (
            {"name": "PASSWORD", "value": "Hunter2!"},
            {"name": "PASSWORD", "value": "[redacted:password]"},
        ),
        (
            ["a ghp" + "_a1B2c3D4e5F6g7H8i9", "J0k1L2m3N4o5P6q7R8s9"],
            ["a [redacted:github-token]", ""],
        ),
    ],
)
def test_lists_and_fields_tell_what_their_texts_are(value: Json, covered: Json) -> None:
    found = [
        one for text in find_secrets_in_json(value) for one in text.secrets if one.kind
    ]
    assert count_secrets_in_json(value) == len(found) == 1
    assert redact_json(value) == 1
    assert value == covered


def test_no_word_behind_a_line_that_ends_in_a_key_is_lost() -> None:
    for one in planted_secrets("words"):
        if one.has_prefix:
            for after in (
                "export PORT=80",
                "thanks a lot",
                "DB_HOST2=db",
                "- [x] done",
            ):
                text = f"{one.name}={one.secret}\n{after}\n"
                assert redact(text)[0].endswith(f"]\n{after}\n"), (one.kind, after)


@pytest.mark.parametrize(
    "wrapping", ["\x1b[1m{}\x1b[0m", "%22{}%22", "\\u0022{}\\u0022", "&quot;{}&quot;"]
)
def test_a_find_ends_where_the_secret_does(wrapping: str) -> None:
    key = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    text = wrapping.format(key)
    start = text.index(key)
    assert find_secrets(text) == (Secret(start, start + len(key), "github-token"),)


@pytest.mark.parametrize(
    "text",
    [
        "mysql -u root -pS3cr3tPw9zz app",
        "sshpass -p S3cr3tPw9zz ssh ada@host",
        "redis-cli -a S3cr3tPw9zz ping",
        "CREATE ROLE app WITH PASSWORD 'S3cr3tPw9zz';",
        "      DB_PASSWORD:        S3cr3tPw9zz",
        "DB_PASS: >-\n    S3cr3tPw9zz\n",
        'DB_PASSWORD = "0ldS3cr3t!!" -> "S3cr3tPw9zz"',
        '{"pass": "S3cr3tPw9zz"}',
        "--from-literal=DB_PASS=S3cr3tPw9zz",
    ],
)
def test_a_value_is_found_by_its_position(text: str) -> None:
    assert "S3cr3tPw9zz" not in redact(text)[0]


@pytest.mark.parametrize(
    "text",
    [
        "cp -p report.txt backup-2026.txt",
        "node.token->next->previous.value_of_field",
        "mkdir -p build/x64_release",
        "the tests pass: 128 of 128 in 3.5s",
        "pass => continue",
        "Secret:\n  the name of a resource with two words",
    ],
)
def test_what_only_looks_like_a_position_stays(text: str) -> None:
    assert redact(text) == (text, 0)
