"""``foldline facts``: the list of facts with the lines of the file."""

from __future__ import annotations

import json
from pathlib import Path

from tests.core.cli.running_cli import Cli


def test_facts_name_the_lines_of_the_file(cli: Cli, tmp_path: Path) -> None:
    lines = [
        {"type": "user", "uuid": "1", "message": {"role": "user", "content": "Never edit files in gen/."}},
        {"type": "assistant", "uuid": "2", "message": {"role": "assistant", "content": "Agreed."}},
        {"type": "user", "uuid": "3", "message": {"role": "user", "content": "Set max_rows = 900 for now."}},
    ]
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(json.dumps(line | {"sessionId": "s"}) for line in lines), "utf-8")
    assert cli.run("facts", str(path), "--json") == 0
    found = json.loads(cli.out)
    assert found["schema"] == "facts/1"
    facts = {(fact["category"], fact["text"]): fact for fact in found["facts"]}
    rule = facts["constraint", "Never edit files in gen/."]
    assert (rule["weight"], rule["first"], rule["last"], rule["lines"]) == (4, 0, 0, [1, 1])
    assert facts["number", "max_rows = 900"]["lines"] == [3, 3]
    assert cli.run("facts", str(path)) == 0
    assert "Never edit files in gen/." in cli.out
