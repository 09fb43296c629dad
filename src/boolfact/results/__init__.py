"""What a run gives back: the result, its folder on disk, its patterns, its history."""
