"""What every request passes before a page sees it: whose connection, which host, which origin, how much."""
