"""What a topic model is good for: sorting documents into classes, helping a speech recognizer."""
