"""Declarations of all settings, their layers, the files that keep them, and the slash commands."""
