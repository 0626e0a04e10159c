"""The texts of regulations: their clauses, editions and readings."""
