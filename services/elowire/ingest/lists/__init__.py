"""FIDE's rating lists as files: fixed-width text and XML, zipped or not, of the last fifteen years."""
