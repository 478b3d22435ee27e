"""What pages change: typed requests, each one command, carried out and written down."""
