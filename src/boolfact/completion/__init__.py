"""Filling missing entries: by one factorisation or by the votes of many, and how good that is."""
