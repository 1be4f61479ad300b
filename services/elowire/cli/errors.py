"""How a command fails: one sentence for the user, exit status 1."""

from __future__ import annotations


class Failure(Exception):  # noqa: N818 - it ends a command, it is no programming error
    """A command cannot do its work. The message says what, where, what was expected and what to do."""


class Refusals(Failure):
    """The work was done, but parts of the input were refused; the command has said so already."""
