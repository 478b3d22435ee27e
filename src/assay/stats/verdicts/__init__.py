"""What an interval says: verdicts, sequences of looks, rows judged together."""
