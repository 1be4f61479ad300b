"""What the offline report and the tournament stage both say of a player, under the same names."""

from __future__ import annotations


def figures_of(line):
    """Take a report's player or a tournament's line; names are those of the line."""
    initial = line["initial"]
    return {
        "rating": line["rating"],
        "k": line["k"],
        "points": line.get("total_points", line["points"]),
        "rated_games": line.get("games", line.get("rated_games")),
        "rated_points": line["rated_points"] if "rated_points" in line else line["points"],
        "expected": line["expected"],
        "sum_change": line["sum_change"],
        "performance": line["performance"],
        "ru": initial and (initial.get("ru_new") or initial["ru"]),
    }
