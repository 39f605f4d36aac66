"""How questions reach a party and answers come back: HTTP over mutual TLS, and parties call."""
