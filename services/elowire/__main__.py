"""`python -m elowire`: the same as the `elowire` command."""

from __future__ import annotations

from elowire.cli import main

main()
