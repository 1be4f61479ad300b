"""Live FIDE chess ratings on Kafka."""
