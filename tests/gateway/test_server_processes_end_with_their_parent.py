"""A server's process ends after its parent was killed, also where its own code is stuck."""

import signal
import subprocess
import sys

import psutil
import pytest

CHILD = """
import ctypes, signal, sys, time
from portal.gateway.parent_watch import end_with_parent
def stuck(*_):
    ctypes.PyDLL(None).sleep(600)  # holds the interpreter's lock
if sys.argv[1] == "stuck":
    signal.signal(signal.SIGTERM, stuck)
end_with_parent(2)
print("ready", flush=True)
while True:
    time.sleep(0.1)
"""
PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1], sys.argv[2]], stdout=subprocess.PIPE, text=True)
child.stdout.readline()
print(child.pid, flush=True)
child.wait()
"""


@pytest.mark.parametrize("how", ["well", "stuck"])
def test_a_process_ends_after_its_parent_was_killed(how: str):
    with subprocess.Popen([sys.executable, "-c", PARENT, CHILD, how], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        child = psutil.Process(int(parent.stdout.readline()))
        parent.send_signal(signal.SIGKILL)
        try:
            assert psutil.wait_procs([child], timeout=60)[1] == []
        finally:
            if child.is_running():
                child.kill()
