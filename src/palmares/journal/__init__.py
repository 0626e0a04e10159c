"""The journal: a federation's shared truth, one table that is only ever added to."""
