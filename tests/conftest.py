"""Properties are searched in the same order every time, and time is not one of their subjects."""

import signal

from hypothesis import settings

settings.register_profile("suite", deadline=None, derandomize=True, database=None)
settings.load_profile("suite")

# A suite that was started in the background (`make test &`, nohup) is deaf to an interrupt, and so would be every process that
# a test starts in order to interrupt it.
for _name, _usual in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
    _number = getattr(signal, _name, None)
    if _number is not None and signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _usual)
