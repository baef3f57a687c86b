"""The rule of the repair that leaves out images over the limits of the provider."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from core.common import number_format
from core.lint.common_rules import LintedHistory
from core.lint.provider_limits import ProviderLimit, SentImage, breaks_limit, limits_of, media_use
from core.lint.repair.mending import Mending
from core.transcript.images import without_images


def leave_out_images(mending: Mending) -> None:
    """Leave out images that are too large, then the oldest ones, until no limit is broken or none is left."""
    if not mending.leaves_out_images:
        return
    messages = [entry.message for entry in mending.entries]
    history = LintedHistory(mending.provider, messages, (), (), mending.model)
    chosen: dict[int, set[int]] = defaultdict(set)
    for image in _images_over_limits(history):
        chosen[image.index].add(image.number)
    for index, numbers in sorted(chosen.items()):
        images = "an image" if len(numbers) == 1 else f"{number_format.count(len(numbers))} images"
        mending.say("images", mending.entries[index], f"held {images} over a limit; a line stands there now.")
        mending.set_blocks(index, without_images(messages[index], numbers).blocks)


def _images_over_limits(history: LintedHistory) -> list[SentImage]:
    """Return the images that must go: those too large by themselves, the oldest of too many, and those that
    are too large among so many."""
    use, rows = media_use(history.messages), limits_of(history)
    left = list(use.images)
    left = _within_image_limits(left, [row for row in rows if not row.from_images])
    for row in rows:
        if row.per == "message":
            left = [
                image
                for _, indices in history.turns
                for image in [one for one in left if one.index in set(indices)][-row.most :]
            ]
        elif row.per == "request":
            others = use.request_bytes - use.image_bytes if row.rule == "request-bytes" else 0
            while left and _request_size(row, left) + others > row.most:
                del left[0]
    left = _within_image_limits(left, [row for row in rows if row.from_images])
    stays = {id(image) for image in left}
    return [image for image in use.images if id(image) not in stays]


def _within_image_limits(images: list[SentImage], rows: Iterable[ProviderLimit]) -> list[SentImage]:
    own = [row for row in rows if row.per == "image" and len(images) >= row.from_images]
    return [image for image in images if not any(breaks_limit(image, row) for row in own)]


def _request_size(row: ProviderLimit, images: list[SentImage]) -> int:
    return len(images) if row.rule == "media-count" else sum(image.bytes for image in images)
