"""Sources of results and rating lists."""
