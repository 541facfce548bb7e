"""What kind of record this is: repeats, flattened tables, sessions, seats, accounts, and who met whom."""
