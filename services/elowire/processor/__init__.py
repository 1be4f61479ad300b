"""The two stages, the engine and the Faust application."""
