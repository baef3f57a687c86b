"""What the views Compare, Replay and Sweep share."""
