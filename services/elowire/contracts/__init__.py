"""The wire: events, topics, envelope."""
