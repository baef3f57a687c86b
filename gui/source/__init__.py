"""The opened file: its chip in the menu bar, its conversations and branches, its import report."""
