"""The ways in which something may leave a party: each draws its noise and names its price."""
