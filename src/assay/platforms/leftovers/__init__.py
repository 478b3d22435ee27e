"""What ended processes left of ours, and its removal."""
