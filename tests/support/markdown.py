"""Tables of Markdown, and blocks of a page between two marks that a program writes."""

import re
from collections.abc import Sequence


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |"
        for line in lines
    )


def with_block(text: str, name: str, block: str) -> str:
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    return re.sub(
        rf"{begin}\n.*?{end}",
        lambda _: f"{begin}\n{block}\n{end}",
        text,
        flags=re.DOTALL,
    )


def block_of(text: str, name: str) -> str:
    """Return what stands between the marks of a name."""
    return text.partition(f"<!-- {name} -->\n")[2].partition(f"\n<!-- /{name} -->")[0]


def rows_of(block: str) -> list[dict[str, str]]:
    """Return the rows of the table in a block, by the names in its head."""
    head, _, *lines = (
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in block.splitlines()
        if line.startswith("|")
    )
    return [dict(zip(head, cells, strict=True)) for cells in lines]
