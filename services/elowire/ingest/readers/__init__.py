"""Readers of tournament files: each turns one format into an `EventReport`."""
