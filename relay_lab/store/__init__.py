"""The runtime's tables: plain SQL, where the transaction can be seen."""
