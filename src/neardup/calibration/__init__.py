"""From a person's judgements of some pairs to the threshold that separates copies from other pairs."""
