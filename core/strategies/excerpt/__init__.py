"""The excerpt strategy: the newest messages, and of the rest the lines that add most."""
