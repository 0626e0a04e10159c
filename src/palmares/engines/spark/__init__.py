"""Facts on a cluster: Spark."""
