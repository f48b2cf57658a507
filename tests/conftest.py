"""Properties are searched in the same order every time, and time is not one of their subjects."""

from hypothesis import settings

settings.register_profile("suite", deadline=None, derandomize=True, database=None)
settings.load_profile("suite")
