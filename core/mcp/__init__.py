"""What ``foldline mcp`` offers to agents; only ``server`` knows the package of the protocol."""
