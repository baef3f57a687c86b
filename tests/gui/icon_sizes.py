"""Draws the icon in pixels, for the menus of desktops: ``python -m tests.gui.icon_sizes``."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from tests.support.source_tree import ROOT

SIZES = (16, 24, 32, 48, 64, 128, 256)
ICONS = ROOT / "resources" / "icons"


def draw(size: int) -> QImage:
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(ICONS / "foldline.svg")).render(painter)
    painter.end()
    return image


if __name__ == "__main__":
    app = QGuiApplication(["icons", "-platform", "offscreen"])
    (ICONS / "sizes").mkdir(exist_ok=True)
    for size in SIZES:
        draw(size).save(str(ICONS / "sizes" / f"{size}.png"))
