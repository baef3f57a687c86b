"""The help inside the window: the pages of resources/help and the map of keys."""
