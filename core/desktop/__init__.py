"""Foldline among the programs of a Linux desktop: menu entry, icons, and which files it offers to open."""
