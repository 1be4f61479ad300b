"""Settings, logging, metrics, health, clock, Kafka access, embedded Kafka."""
