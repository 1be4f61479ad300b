"""Apache Kafka as a one-node broker on this machine; see the README of this folder's parent."""
