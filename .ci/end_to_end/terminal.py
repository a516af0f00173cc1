"""What a terminal shows."""

import os
import pty
import re
import select
import struct
import fcntl
import termios
import time

import trees
from harness import DEADLINE, Process, case, expect, expect_match, poll, run, scratch


def run_in_terminal(arguments, columns=100):
    """(exit status, [(time, bytes)]) of what reaches the screen."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(Process.executable, [Process.executable, *arguments])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    seen, end = [], time.monotonic() + DEADLINE
    while time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 1)
        if not ready:
            continue
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:  # The other end is closed.
            break
        if not piece:
            break
        seen.append((time.monotonic(), piece))
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen


@case
def progress_bar():
    with scratch() as root:
        trees.slow(root)
        status, seen = run_in_terminal([root])
        expect("exit code", 0, status)
        screen = b"".join(piece for _, piece in seen).decode(errors="replace")
        expect_match("worker", r"worker \d+ serving, incarnation 1\r\n", screen)
        expect_match("last bar", rf"\r\x1b\[K\[#+\] finished  {trees.SLOW}/{trees.SLOW} files  [^\r\n]*\r\n", screen)
        draws = [moment for moment, piece in seen for _ in re.findall(rb"\r\x1b\[K\[", piece)]
        print(f"    {len(draws)} draws in {draws[-1] - draws[0]:.1f} s")
        expect("more than the last bar is drawn", True, len(draws) > 2)
        # The last one may come early. Times are taken here, so a little of them is ours.
        most = max(sum(1 for draw in draws[:-1] if 0 <= draw - moment < 0.95) for moment in draws)
        expect("draws within a second", True, most <= 10)
        widest = max(len(line) for line in re.findall(r"\r\x1b\[K([^\r\n\x1b]*)", screen))
        expect(f"the bar fits ({widest} of 100 columns)", True, widest < 100)


@case
def narrow_terminal():
    with scratch() as root:
        trees.medium(root, 100)
        status, seen = run_in_terminal([root], columns=30)
        expect("exit code", 0, status)
        screen = b"".join(piece for _, piece in seen).decode(errors="replace")
        drawn = re.findall(r"\r\x1b\[K([^\r\n\x1b]*)", screen)
        expect("something is drawn", True, len(drawn) > 0)
        expect("everything fits", [], [line for line in drawn if len(line) >= 30 and not line.startswith("worker")])


@case
def plain_lines():
    with scratch() as root:
        trees.medium(root, 100)
        status, _, errors = run(root)
        expect("exit code", 0, status)
        expect("no escapes", False, "\x1b" in errors or "\r" in errors)
        lines = errors.splitlines()
        expect_match("first", r"\Asocket /", lines[0])
        expect_match("last", r"\Afinished +100/100 files", lines[-1])
        phases = [line.split()[0] for line in lines]
        expect("a phase is told once", sorted(set(phases)), sorted(phases))
