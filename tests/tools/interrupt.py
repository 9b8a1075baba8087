# SPDX-License-Identifier: BSD-3-Clause
"""usage: interrupt.py SIGNAL group|alone FILE COMMAND...: start the command, send it the signal when the file exists, to all its
processes as a terminal does, or to it alone as a batch system does, and check that the signal ends it."""
import os
import signal
import subprocess
import sys
import time

number, whom, begun = int(sys.argv[1]), sys.argv[2], sys.argv[3]
signal.signal(number, signal.SIG_DFL)  # SIGINT is ignored in commands that a shell starts in the background
p = subprocess.Popen(sys.argv[4:], start_new_session=True, stdin=subprocess.DEVNULL)
while not os.path.exists(begun) and p.poll() is None:
    time.sleep(0.05)
time.sleep(0.5)
(os.killpg if whom == "group" else os.kill)(p.pid, number)
try:
    status = p.wait(200)
except subprocess.TimeoutExpired:
    os.killpg(p.pid, signal.SIGKILL)
    sys.exit("the signal does not end it")
sys.exit(0 if status == -number else f"status {status}")
