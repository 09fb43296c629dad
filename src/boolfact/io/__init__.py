"""Reading data in and writing files out, whole or not at all."""
