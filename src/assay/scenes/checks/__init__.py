"""What contradicts itself in a scene, each with its place in the file."""
