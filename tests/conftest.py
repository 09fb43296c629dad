from hypothesis import settings

# Compilation makes the first example slow, and shared machines make all of them uneven.
settings.register_profile("boolfact", deadline=None, max_examples=100)
settings.load_profile("boolfact")
