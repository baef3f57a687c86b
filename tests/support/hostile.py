"""Texts that attack a page, a terminal or a spreadsheet, and a conversation full of them."""

from core.common.json_value import Json
from core.transcript.model import (
    Conversation,
    ImportNote,
    ImportReport,
    Message,
    SourceDocument,
)
from tests.support.builders import ai, call, conversation, human, response, tool

MARK = "data-pwned"
"""The attribute that a script of ours would leave on the page."""

_DO = f"document.documentElement.setAttribute('{MARK}','1');document.title='taken'"


def html(base: str) -> tuple[str, ...]:
    """Return pieces of HTML that run or load something from ``base``."""
    return (
        f"<script>{_DO}</script>",
        f"</pre></details></style></title></textarea><script>{_DO}</script>",
        f'<img src="{base}/img" onerror="{_DO}">',
        f"<svg onload={_DO}><use href='{base}/use#x'/></svg>",
        f"<iframe src='{base}/frame'></iframe><object data='{base}/object'></object>",
        (
            f"<link rel=stylesheet href={base}/sheet><style>@import "
            f"'{base}/import';*{{display:none}}</style>"
        ),
        f"<meta http-equiv=refresh content='0;url={base}/refresh'><base href={base}/>",
        f'" autofocus onfocus="{_DO}" style="background:url({base}/background)',
        f"' onmouseover='{_DO}' x='",
        f'<a href="javascript:{_DO}">read on</a>',
        f"<!-- --><details open ontoggle={_DO}><video src={base}/video autoplay>",
        f"]]><![CDATA[ {{{{7*7}}}} &lt;script&gt; &#60;b&#62; <input type=image src={base}/input>",
    )


UNSEEN = {
    "\u202e": "U+202E",
    "\u2066": "U+2066",
    "\u200b": "U+200B",
    "\u00ad": "U+00AD",
    "\ufeff": "U+FEFF",
    "\U000e0041": "U+E0041",
    "\x1b": "\u241b",
    "\x07": "\u2407",
    "\x7f": "\u2421",
    "\x9b": "U+009B",
}
"""Characters that cannot be seen, and how a report shows them."""

TRICKS = (
    "user\u202etxt.exe\u2066 pay\u200bpal a\u00adb \ufeffx \U000e0041 "
    "\x1b[31mred\x1b[0m \x07 \x7f \x9b2J \ud800 \0"
)
"""All of them, half a character and NUL in one text."""


def hostile(base: str, *more: Message) -> Conversation:
    pieces = html(base)
    every = "\n".join(pieces)
    arguments: Json = {piece: piece for piece in pieces}
    messages = [human(piece) for piece in pieces]
    messages += [
        ai(
            every,
            call(pieces[0], pieces[2], **arguments),
            thinking=every,
            id=pieces[0],
            timestamp=pieces[1],
        ),
        tool(response(pieces[2], pieces[0], every)),
        human(TRICKS),
        ai("\u05d0\u05d1\u05d2 1 \u202e" + pieces[0]),
        tool(response("gone", "x", {"content": every}, error=every)),
        *more,
    ]
    notes = tuple(ImportNote(number, piece) for number, piece in enumerate(pieces))
    report = ImportReport(3, ((pieces[0], 2),), notes, notes)
    return conversation(
        *messages,
        model=pieces[0],
        title=pieces[1],
        cwd=pieces[2],
        session_id=pieces[3],
        report=report,
        system=every,
        document=SourceDocument(name=pieces[1] + "\u202e.json"),
    )
