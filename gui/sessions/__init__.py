"""The session browser, which the start page shows after the agents' folders were scanned."""
