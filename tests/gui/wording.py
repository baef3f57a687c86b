"""Labels that the window no longer uses."""

import re
from pathlib import Path


def _pattern(label: str) -> str:
    """Return a pattern of a whole label: a number is any number, … is any text."""
    parts = re.split(r"(…|\d[\d,.]*)", label.rstrip("…: "))
    kinds = {"…": ".*"}
    return "".join(
        kinds.get(part, r"\d[\d,.]*" if part[:1].isdigit() else re.escape(part))
        for part in parts
    )


_LABELS = Path(__file__).with_name("old_labels.txt").read_text("utf-8").splitlines()
_OLD = re.compile("|".join(map(_pattern, _LABELS)))


def is_old_label(text: str) -> bool:
    return _OLD.fullmatch(text.replace("&", "").strip().rstrip("…: ")) is not None
