"""
Python as it is on Windows, as far as another system can play it: the `sitecustomize` of a process.

What only POSIX has is gone before anything of ours is imported. `sys.platform` stays, and with it
`os.fchmod` and `os.getuid`, which filelock and platformdirs use here and not there. Drive letters,
and the rule that an open file cannot be replaced, are not played.
"""

from __future__ import annotations

import asyncio  # noqa: F401  that of Linux asks for `sysconf` from Python 3.12 on
import os
import signal
import sys

MODULES = ("fcntl", "grp", "pwd", "resource", "termios")
FUNCTIONS = (
    "fork", "forkpty", "getegid", "geteuid", "getgid", "killpg", "mkfifo", "sched_getaffinity",
    "setsid", "statvfs", "sysconf", "O_CLOEXEC",
)  # fmt: skip
SIGNALS = ("SIGALRM", "SIGHUP", "SIGKILL", "pthread_sigmask", "siginterrupt")

sys.modules.update(dict.fromkeys(MODULES))  # type: ignore[arg-type]  # an import of them fails
for _name in FUNCTIONS:
    delattr(os, _name)
for _name in SIGNALS:
    delattr(signal, _name)
os.process_cpu_count = os.cpu_count  # type: ignore[attr-defined]  # from 3.13 on, as it is there
