"""What a signature costs: the fields a decision needs, and all fields of `neardup.sign`."""
