"""What the records say on each type of issue: one module a type, each a pure function of the records."""
