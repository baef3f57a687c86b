"""The HTML report in a real browser: no script runs, no request is sent, all text can be read."""

import html
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from core.export.export import export_history
from core.preview.preview import compute_preview
from core.reports.report_data import export_input
from core.settings.schema import LIMIT, STRATEGY
from core.settings_store.layers import SettingLayers
from core.strategies.registry import COMPACTION_STRATEGIES
from tests.support import chromium
from tests.support.hostile import MARK, UNSEEN, hostile
from tests.support.hostile import html as pieces

pytestmark = pytest.mark.skipif(
    not chromium.find(), reason="no Chromium or Chrome on this machine"
)


class _Ear:
    """A server that records requests; it also is the proxy for all other hosts."""

    def __init__(self) -> None:
        heard = self.heard = list[str]()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                heard.append(self.path)
                self.send_error(404)

            def do_CONNECT(self) -> None:
                self.do_GET()

            def log_message(self, format: str, *values: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self.server.server_port}"


@pytest.fixture
def ear() -> Iterator[_Ear]:
    made = _Ear()
    thread = threading.Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


def _dom(ear: _Ear, path: Path) -> str:
    return chromium.dom(
        path, f"--proxy-server=http://{ear.address}", "--proxy-bypass-list=<-loopback>"
    )


def _ours(ear: _Ear, base: str) -> list[str]:
    """Return the requests that only our page can have sent."""
    return [path for path in ear.heard if base.removeprefix("http://") in path]


def test_hostile_content_is_text_and_asks_for_nothing(
    ear: _Ear, tmp_path: Path
) -> None:
    base = "http://elsewhere.invalid"
    bare, report = tmp_path / "bare.html", tmp_path / "report.html"
    stays = "".join(piece for piece in pieces(base) if "refresh" not in piece)
    bare.write_text(f"<!doctype html>{stays}", encoding="utf-8")
    assert MARK in _html_tag(_dom(ear, bare)), "a page that does not escape is caught"
    assert _ours(ear, base)

    ear.heard.clear()
    layers = (
        SettingLayers()
        .with_session(STRATEGY, COMPACTION_STRATEGIES[2])
        .with_session(LIMIT, 100_000)
    )
    made = compute_preview(hostile(base), layers.resolve())
    assert made.result.compaction.summary is not None
    written = export_history(
        export_input(made, result=True, format_reason=pieces(base)[0]),
        "html",
        redact=False,
    )
    report.write_bytes(written.data)
    dom = _dom(ear, report)
    assert "</html>" in dom
    assert MARK not in _html_tag(dom)
    assert "<title>taken</title>" not in dom
    assert _ours(ear, base) == []
    assert not re.findall(
        r"<(script|img|iframe|object|video|base|input type=\"image\")\b", dom
    )
    shown = html.unescape(re.sub(r"<[^>]*>", "", dom.partition("</style>")[2]))
    for piece in pieces(base):
        assert piece in shown
    for character, name in UNSEEN.items():
        assert name in shown
        assert character not in dom


def _html_tag(dom: str) -> str:
    found = re.search(r"<html[^>]*>", dom)
    assert found is not None, dom[:500]
    return found.group()
