"""Files read with suspicion, and written where somebody asked for them."""
