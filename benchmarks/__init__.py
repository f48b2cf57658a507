"""What it costs: one program for each question, every figure a ratio to plain code that was timed in the same run."""
