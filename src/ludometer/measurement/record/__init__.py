"""What kind of record this is: who was paired with whom."""
