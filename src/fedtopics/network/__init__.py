"""A federation of machines: messages, both sides of the wire, the plan between them."""
