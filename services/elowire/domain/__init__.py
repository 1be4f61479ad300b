"""The FIDE rating regulations as data and exact arithmetic."""
