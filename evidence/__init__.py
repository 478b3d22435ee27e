"""What the methods are held to: simulated campaigns, published figures, planted losses (docs/evidence/)."""
