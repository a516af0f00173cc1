"""A terminal that runs todos or wordindex, and what is on its screen."""

import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading

from harness import DEADLINE, Failure, Process, expect, poll

HOME, KEPT_ASIDE, BROUGHT_BACK = "\x1b[H", "\x1b[?1049h", "\x1b[?1049l"


class Terminal:
    """Has a reader of its own, so that the program never waits for us."""

    def __init__(self, *arguments, columns=100, rows=24):
        self.control, self.device = pty.openpty()
        self.resize(columns, rows)
        self.attributes = termios.tcgetattr(self.device)
        self.process = subprocess.Popen(
            [Process.executable, *arguments],
            stdin=self.device, stdout=self.device, stderr=self.device, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), env={**os.environ, "TERM": "xterm"},
        )
        self.pid = self.process.pid
        self.seen = b""
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        while True:
            try:
                piece = os.read(self.control, 1 << 16)
            except OSError:
                return
            if not piece:
                return
            self.seen += piece

    def resize(self, columns, rows):
        fcntl.ioctl(self.device, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def press(self, keys):
        os.write(self.control, keys.encode())

    @property
    def text(self):
        return self.seen.decode(errors="replace")

    @property
    def drawings(self):
        return self.text.count(HOME)

    @property
    def lines(self):
        """What was drawn last. Each drawing is the whole screen."""
        drawn = self.text.rpartition(HOME)[2]
        return re.sub(r"\x1b\[[KJ]", "", drawn).rstrip("\r\n").split("\r\n")

    def wait(self, *entries, heading=None):
        """Until these are the entries, "> [x] title" with the cursor or "  [ ] title" without."""
        expected = list(entries)

        def is_shown():
            shown = [line for line in self.lines[1:] if line[2:3] == "["]
            return self.drawings > 0 and shown == expected and (heading is None or heading in self.lines[0])

        self._poll(expected, is_shown)

    def wait_bottom(self, text):
        self._poll(text, lambda: self.lines[-1].startswith(text))

    def wait_line(self, index, text):
        """Until the line with this number begins like this."""
        self._poll(text, lambda: index < len(self.lines) and self.lines[index].startswith(text))

    def _poll(self, expected, condition):
        try:
            poll("screen", condition, 30)
        except Failure:
            raise Failure(f"screen of {self.pid}\n    expected: {expected!r}\n    got:      {self.lines!r}") from None

    def add(self, title):
        self.press("a")
        self.wait_bottom("add: ")
        self.press(title + "\r")
        self.wait_bottom("j/k")

    def finish(self):
        """The exit code, after the terminal was found as it had been."""
        try:
            code = self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            raise Failure(f"todos\n    expected: an end\n    got:      {self.lines!r}") from None
        expect("terminal attributes", self.attributes, termios.tcgetattr(self.device))
        expect("the screen was kept aside", 1, self.text.count(KEPT_ASIDE))
        # The output may arrive a little later than the end.
        poll("the screen is brought back", lambda: self.text.count(BROUGHT_BACK) == 1, 10)
        poll("the cursor is shown", lambda: "\x1b[?25h" in self.text, 10)
        return code

    @property
    def said(self):
        """What stands below the screen that was brought back."""
        return self.text.rpartition(BROUGHT_BACK)[2]

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        os.close(self.device)
        # The other end is closed now, which ends the reader.
        self.reader.join(DEADLINE)
        os.close(self.control)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


@contextlib.contextmanager
def pair(folder):
    """The terminal that keeps the list, and one more."""
    with Terminal(folder) as first:
        first.wait()
        with Terminal(folder) as second:
            second.wait()
            yield first, second


def children(pid):
    """The processes that a process has started."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                if int(file.read().rpartition(b")")[2].split()[1]) == pid:
                    found.append(int(name))
        except OSError:
            pass
    return found


def worker(terminal, other_than=None):
    """The worker of the terminal that keeps the list."""
    def look():
        return [pid for pid in children(terminal.pid) if pid != other_than]
    found = poll("a worker", look, 30)
    expect("one worker", 1, len(found))
    return found[0]
