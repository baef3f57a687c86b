"""The exact patterns of names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.facts.name_patterns import NameKind, canonical, names_in


@pytest.mark.parametrize(
    ("text", "kind", "names"),
    [
        ("Fix src/upload/session.py:120 (README.md), ./run.sh.", "path",
         "src/upload/session.py README.md ./run.sh"),
        (r"C:\Users\ana\a.txt or ~/.config/x.toml in node_modules/", "path",
         r"C:\Users\ana\a.txt ~/.config/x.toml node_modules/"),
        ("and/or, I/O, read/write, e.g. this, well-known", "path", ""),
        ("<system-reminder>x</system-reminder>", "identifier", ""),
        ("</function> on main...origin/main and HEAD~3..HEAD/a", "path", ""),
        ('rows.map(f).filter(g) "".join(a) args?.limit', "path", ""),
        ("files of .json and .py, s/a/$/, 8/10/12px, 2> /dev/null", "path", ""),
        ("Node.js reads .env, .github/ and ../a.js", "path", ".env .github/ ../a.js"),
        ("See https://a.example/c?d=1). Then ws://b.example:80/x.", "url", "https://a.example/c?d=1 ws://b.example:80/x"),
        ((
            r'${A:-https://a.example}" {"body":"x\n\nhttps://b.example/c?d=1\n"} '
            r'a.py:ws://c.example'
        ), "url",
         "https://a.example https://b.example/c?d=1 ws://c.example"),
        ("retry_limit, maxRetries, UploadSession, MAX_RETRIES, os.path.join, --max-tokens", "identifier",
         "retry_limit maxRetries UploadSession MAX_RETRIES os.path.join --max-tokens"),
        ("Use GitHub and JavaScript, Anna; e.g. words", "identifier", ""),
        ("abc1234f fixes #123 and JIRA-12, v1.2.3, ana@mail.example", "id",
         "abc1234f #123 JIRA-12 v1.2.3 ana@mail.example"),
        ("17,625 tokens of 3 MB in 45ms, HTTP 500, localhost:3000; 12 apples", "number",
         "17,625 3|MB 45ms 500 3000"),
        ("sed -n '1,240p; 1080,1160p' a.py; sed 5,100d b.py; 1,024px", "number", "1,024"),
        ("Run `npm run build` in `src/`, not ``this``.", "code", "npm|run|build"),
    ],
)  # fmt: skip
def test_names_of_a_kind(text: str, kind: str, names: str) -> None:
    found = [
        name.text.replace(" ", "|") for name in names_in(text) if name.kind == kind
    ]
    assert found == names.split()


@given(st.text(alphabet="aB1_./:-#`@ \n,%", max_size=60))
def test_a_name_stands_where_it_says(text: str) -> None:
    for name in names_in(text):
        assert text.startswith(name.text, name.start)
        assert isinstance(name.kind, NameKind)


def test_what_is_compared() -> None:
    assert canonical("17,625") == canonical("17_625") == canonical("17625")
    assert canonical("./src/") == canonical("src")
    assert canonical("12 %") == canonical("12%")
