"""The elowire command."""
