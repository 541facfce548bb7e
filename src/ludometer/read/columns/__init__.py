"""What the columns of a file hold: found by name, guessed for a message, parsed."""
