"""The pricing problem: the rectangle of largest worth, maximise a'Hb over binary a and b."""
