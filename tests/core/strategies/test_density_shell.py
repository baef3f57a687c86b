"""File effects of shell commands, where they are certain."""

import shlex
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.facts.file_accesses import END_OF_FILE, ShellFileUse, shell_file_uses
from core.transcript.tool_kinds import FileOperation

READ, WRITE, EDIT = FileOperation.READ, FileOperation.WRITE, FileOperation.EDIT
PATCH = "*** Begin Patch\n*** Add File: new.py\n+x\n*** Update File: old.py\n@@\n-a\n+b\n*** End Patch"


@pytest.mark.parametrize(
    ("command", "path", "lines"),
    [
        ("cat a.py", "a.py", None),
        ("cat -n 'my file.py'", "my file.py", None),
        ("cat my\\ file.py", "my file.py", None),
        ("cat a.py 2>/dev/null", "a.py", None),
        ("head -n 20 a.py", "a.py", (1, 20)),
        ("head -20 a.py", "a.py", (1, 20)),
        ("head a.py", "a.py", (1, 10)),
        ("tail -n 5 a.py", "a.py", None),
        ("tail -n +7 a.py", "a.py", (7, END_OF_FILE)),
        ("sed -n '10,20p' a.py", "a.py", (10, 20)),
        ("sed -n 7p a.py", "a.py", (7, 7)),
        ("sed -n '10,$p' a.py", "a.py", (10, END_OF_FILE)),
        ("sed -n '1,5p;30,40p' a.py", "a.py", (1, 40)),
        ("nl -ba a.py | sed -n '3,9p'", "a.py", (3, 9)),
        ("cat a.py | head -n 3", "a.py", (1, 3)),
        ("cd src && cat a.py", "src/a.py", None),
        ("cd /repo && cd src && cat a.py", "/repo/src/a.py", None),
        ("cd /repo && cat /etc/hosts", "/etc/hosts", None),
        ("set -e; cd src; cat a.py", "src/a.py", None),
        ("# look\ncat a.py\n", "a.py", None),
        ("bash -lc 'cat a.py'", "a.py", None),
    ],
)
def test_reads(command: str, path: str, lines: tuple[int, int] | None) -> None:
    assert shell_file_uses(command) == (ShellFileUse(path, READ, lines),)


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("cat > a.py <<'EOF'\nprint('$HOME')\nEOF", "a.py"),
        ("cat <<EOF > a.py\nplain\nEOF\n", "a.py"),
        ("cat > a.py <<-EOF\n\tindented\n\tEOF", "a.py"),
        ("tee a.py <<'EOF'\nx\nEOF", "a.py"),
        ("tee a.py > /dev/null <<'EOF'\nx\nEOF", "a.py"),
        ("echo 'x' > a.py", "a.py"),
        ("printf 'x\\n' > a.py", "a.py"),
        ("echo x | tee a.py", "a.py"),
        (": > a.py", "a.py"),
        ("mkdir -p d && cat > d/a.py <<'EOF' && python d/a.py\nx\nEOF", "d/a.py"),
        ("cd src && echo x > a.py", "src/a.py"),
    ],
)
def test_whole_writes(command: str, path: str) -> None:
    assert shell_file_uses(command) == (ShellFileUse(path, WRITE),)


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("echo x >> a.py", "a.py"),
        ("cat >> a.py <<'EOF'\nx\nEOF", "a.py"),
        ("echo x | tee -a a.py", "a.py"),
        ("sed -i 's/a/b/' a.py", "a.py"),
        ("sed -i '' -e 's/a/b/' a.py", "a.py"),
        ("perl -pi -e 's/a/b/' a.py", "a.py"),
        ("python make.py > a.py", "a.py"),
        ("cat b.py > a.py", "a.py"),
        ("sort b.txt | uniq > a.py", "a.py"),
        ("cat > a.py <<'EOF'\nx\nEOF\npython a.py", "a.py"),
        ("echo x > a.py; ls", "a.py"),
    ],
)
def test_edits_and_writes_whose_content_or_success_is_not_told(
    command: str, path: str
) -> None:
    assert shell_file_uses(command) == (ShellFileUse(path, EDIT),)


@pytest.mark.parametrize(
    "command",
    [
        f"apply_patch <<'EOF'\n{PATCH}\nEOF",
        ["apply_patch", PATCH],
        ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF\n"],
        ["/bin/bash", "-c", f"apply_patch {shlex.quote(PATCH)}"],
    ],
)
def test_patches(command: str | Sequence[str]) -> None:
    assert shell_file_uses(command) == (
        ShellFileUse("new.py", WRITE),
        ShellFileUse("old.py", EDIT),
    )


@pytest.mark.parametrize(
    "command",
    [
        "cat *.py",
        "cat a.{py,txt}",
        "cat $FILE",
        'cat "$FILE"',
        "cat ~/a.py",
        "cat `ls`",
        "cat $(ls)",
        "cat a.py || true",
        "cat a.py | grep x",
        "cat a.py | grep x | head -n 3",
        "cat a.py && npm test",
        "cat a.py & ",
        "(cat a.py)",
        "{ cat a.py; }",
        "if true; then cat a.py; fi",
        "for f in a b; do cat a.py; done",
        "cat < a.py",
        "cat <<EOF > a.py\n$HOME\nEOF",
        "cat > a.py <<'EOF'\nnever ends",
        "cat 'never ends",
        "cat a.py &&",
        "cat -",
        "cat",
        "head -c 100 a.py",
        "tail -f a.py",
        "sed -n '/start/,/end/p' a.py",
        "sed 's/a/b/' a.py",
        "sed -n 5q a.py",
        "cd src; cat a.py",
        "cd src\ncat a.py",
        "cd $DIR && cat a.py",
        "cd - && cat a.py",
        "pushd src && cat a.py",
        "source env && cat a.py",
        "cat a.py > /dev/null",
        "echo x >&2",
        "bash script.sh",
        "x" * 300_000,
        "",
        "\n",
        [],
        ["bash", "-lc", "cat $FILE"],
        ["bash", "-lc", "cat a.py", "extra"],
    ],
)
def test_what_is_not_certain_is_nothing(command: str | Sequence[str]) -> None:
    assert shell_file_uses(command) == ()


@given(st.text(alphabet="acd \n\t'\"\\$|&;<>#-EOF./*", max_size=60))
def test_any_text_is_taken_without_an_error(command: str) -> None:
    assert isinstance(shell_file_uses(command), tuple)
