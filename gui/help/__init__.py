"""The help inside the window: the pages of resources/help and the list of keys."""
