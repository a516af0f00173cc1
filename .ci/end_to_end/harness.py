"""Starts tally, reads what it prints as it prints it, and compares. Everything that waits has a deadline."""

import ctypes
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time

DEADLINE = 120
CASES = []
SERVING = r"worker (\d+) serving, incarnation (\d+)"


class Failure(Exception):
    """What was expected, and what came instead."""


class Skipped(Exception):
    """Why this cannot be tried here."""


def case(function):
    CASES.append(function)
    return function


def expect(what, expected, got):
    if expected != got:
        raise Failure(f"{what}\n    expected: {expected!r}\n    got:      {got!r}"[:4000])


def expect_match(what, pattern, got):
    if not re.search(pattern, got):
        raise Failure(f"{what}\n    expected: a match of {pattern}\n    got:      {got!r}"[:4000])


def poll(what, condition, seconds=DEADLINE, interval=0.005):
    """Looks until the condition gives something true, and returns that."""
    end = time.monotonic() + seconds
    while True:
        if result := condition():
            return result
        if time.monotonic() > end:
            raise Failure(f"{what}\n    expected: within {seconds} s\n    got:      not yet")
        time.sleep(interval)


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def stop(pid):
    """Stops a process, which does nothing more when this returns.

    The signal interrupts one thread. The others run on until that one has a processor and stops them all.
    """
    os.kill(pid, signal.SIGSTOP)
    poll(f"{pid} is stopped", lambda: all(state == b"T" for state in thread_states(pid)), 30)


def thread_states(pid):
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/stat", "rb") as file:
            yield file.read().rpartition(b")")[2].split()[0]


def peak_memory(pid):
    """VmHWM in bytes; 0 when the process is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            found = re.search(r"VmHWM:\s*(\d+) kB", file.read())
            return int(found[1]) * 1024 if found else 0
    except OSError:
        return 0


def ordinary_rights():
    """Takes from root the right to read everything, in the process that is about to be started."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            if libc.prctl(24, capability, 0, 0, 0) != 0:  # PR_CAPBSET_DROP
                os._exit(99)


class Process:
    """A running tally. Its output is gathered by threads, so that it never waits for us."""

    executable = ""

    def __init__(self, *arguments, preexec=None, environment=None, stdin=subprocess.DEVNULL):
        self.arguments = [os.fsencode(argument) for argument in arguments]
        self.process = subprocess.Popen(
            [os.fsencode(self.executable), *self.arguments],
            stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=preexec,
            env={**os.environ, **(environment or {})},
        )
        self.pid = self.process.pid
        self.output, self.error = b"", b""
        self.changed = threading.Condition()
        self.readers = [
            threading.Thread(target=self._read, args=(stream, name), daemon=True)
            for stream, name in ((self.process.stdout, "output"), (self.process.stderr, "error"))
        ]
        for reader in self.readers:
            reader.start()

    def _read(self, stream, name):
        pieces = []
        while piece := os.read(stream.fileno(), 1 << 16):
            if name == "output":
                pieces.append(piece)
                continue
            with self.changed:
                self.error += piece
                self.changed.notify_all()
        with self.changed:
            if name == "output":
                self.output = b"".join(pieces)
            self.changed.notify_all()
        stream.close()

    @property
    def errors(self):
        return self.error.decode(errors="replace")

    def wait_error(self, pattern, seconds=DEADLINE):
        """The first match of the pattern in standard error."""
        end = time.monotonic() + seconds
        with self.changed:
            while not (found := re.search(pattern, self.errors)):
                if self.process.poll() is not None and not any(reader.is_alive() for reader in self.readers):
                    raise Failure(f"{self}\n    expected: {pattern} on standard error\n    got:      {self.errors!r}")
                if time.monotonic() > end:
                    raise Failure(f"{self}\n    expected: {pattern} within {seconds} s\n    got:      {self.errors!r}")
                self.changed.wait(0.02)
        return found

    def worker(self, incarnation=1):
        """The process identifier of the worker's n-th life."""
        return int(self.wait_error(rf"worker (\d+) serving, incarnation {incarnation}\n")[1])

    def socket(self):
        return self.wait_error(r"(?m)^socket (.*)$")[1]

    def finish(self, seconds=DEADLINE):
        """The exit code, -N for signal N."""
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self}\n    expected: an end within {seconds} s\n    got:      {self.errors!r}") from None
        for reader in self.readers:
            reader.join(DEADLINE)
        return code

    def end(self):
        """Ends it whatever it does."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def __str__(self):
        return "tally " + " ".join(argument.decode(errors="replace") for argument in self.arguments)


def run(*arguments, **options):
    """(exit code, output, errors) of a whole run."""
    with Process(*arguments, **options) as process:
        return process.finish(), process.output, process.errors


def parse(process, output):
    """The object without `incarnations`, and that number."""
    try:
        value = json.loads(output)
    except ValueError as error:
        raise Failure(f"{process}\n    expected: one JSON object\n    got:      {error}: {output[:300]!r}") from None
    return value, value.pop("incarnations", None)


def expect_report(what, expected, got):
    """Compares two objects member by member, so that the difference is what is shown."""
    expect(f"{what}: members", sorted(expected), sorted(got))
    for key in expected:
        if isinstance(expected[key], list) and expected[key] != got[key]:
            for left, right in zip(expected[key], got[key]):
                expect(f"{what}: {key}", left, right)
            expect(f"{what}: number of {key}", len(expected[key]), len(got[key]))
        expect(f"{what}: {key}", expected[key], got[key])


def scratch():
    """A new folder in the temporary directory, short enough for sockets in it."""
    return tempfile.TemporaryDirectory(prefix="tally-")
