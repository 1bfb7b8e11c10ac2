"""From what a person says of some pairs to the threshold that parts copies from what is none."""
