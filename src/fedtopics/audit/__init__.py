"""What an attacker gets: listeners, monitors, and the claims of the papers against what is proved."""
