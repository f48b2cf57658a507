"""The vocabulary: frozen types, enums and ports. Data only: no I/O, no clock, no model."""
