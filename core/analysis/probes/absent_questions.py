"""Questions without an answer in the history, to detect invented answers."""

from __future__ import annotations

from collections.abc import Iterator

from core.analysis.fidelity.fact_texts import TextIndex, content_words
from core.analysis.probes.grading import ABSENT
from core.analysis.probes.model import ProbeKind, ProbeQuestion

_TEMPLATES = (
    ("What was the last value of `{}`?", "max_upload_jitter"),
    ("What was the last value of `{}`?", "cache_warmup_ratio"),
    ("What was the last value of `{}`?", "session_grace_days"),
    ("What did the person demand or forbid about {}?", "Kubernetes"),
    ("What did the person demand or forbid about {}?", "GraphQL"),
    ("What did the person demand or forbid about {}?", "telemetry"),
    ("What error did `{}` end with?", "terraform apply"),
    ("What error did `{}` end with?", "bazel coverage"),
    ("What was decided about {}?", "WebAssembly"),
    ("What was decided about {}?", "Kafka"),
    ("Which change was made to `{}`?", "legacy_bridge.cfg"),
    ("Which change was made to `{}`?", "nightly_rollup.sql"),
)


def absent_questions(source: TextIndex) -> Iterator[ProbeQuestion]:
    """Yield the questions whose subject does not occur in the source."""
    for text, name in _TEMPLATES:
        if not any(word in source.words for word in content_words(name) - {"apply", "coverage"}):
            yield ProbeQuestion(ProbeKind.NEGATIVE, text.format(name), f"{ABSENT.capitalize()}.")
