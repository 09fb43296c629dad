"""Colours that plots and the report share."""

__all__ = ["FALSE_ONE", "MISSED_ONE", "MISSING", "ONE", "PATTERN_COLOURS", "RIGHT_ONE", "ZERO"]

# Told apart by colour-blind eyes too, with a contrast of 3:1 to white at least; from the ninth
# pattern on they come round again.
PATTERN_COLOURS = (
    "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#C48600", "#3796CE", "#6A3D9A", "#B15928",
)  # fmt: skip
ZERO, ONE, MISSING = "#FFFFFF", "#37474F", "#FFE9A8"
FALSE_ONE, MISSED_ONE, RIGHT_ONE = "#E53935", "#37474F", "#D5DDE1"
