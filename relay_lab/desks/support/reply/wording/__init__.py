"""What the desk says, one module for each kind of issue. Nothing here decides anything: it words ledger and states."""
