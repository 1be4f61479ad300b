"""Mutants that no test can tell from the module itself, each with the reason: (module, the change's text)."""

from __future__ import annotations

_SAME_BELOW_TEN = "of ten players one third is four as well"
_EVEN = "at a difference of 0 both halves of the table say 0.50"

EXPLAINED: dict[tuple[str, str], str] = {
    ("composition", "10 -> 11"): _SAME_BELOW_TEN,
    ("composition", "players < _SMALL_BELOW -> LtE"): _SAME_BELOW_TEN,
    ("composition", "games < expected -> LtE"): "equal numbers have been answered before",
    ("editions", "1024 -> 1025"): "how much a cache keeps",
    ("tables", "difference >= 0 -> Gt"): _EVEN,
    ("tables", "0 -> 1"): _EVEN,
    ("editions", "24 -> 25"): "a window is counted in whole lists, and these stood for three months",
}
