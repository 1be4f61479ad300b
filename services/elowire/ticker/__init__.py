"""The live board: REST, server-sent events, pages."""
