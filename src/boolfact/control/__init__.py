"""What every engine is given: when to stop, whom to tell, what to record, on which threads."""
