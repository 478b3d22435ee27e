"""What this machine counts while trials run."""
