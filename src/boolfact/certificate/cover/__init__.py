"""The verifier's side of the assigned cover: its parts, and the search for their best rectangle."""
