"""Without a terminal: the list as lines, and commands line by line; and wrong use."""

import array
import fcntl
import os
import re
import signal
import subprocess
import termios
import time

from harness import Process, Skipped, case, expect, expect_match, ordinary_rights, poll, scratch, stop


class Lines:
    """A running todos whose output goes to a file, so that it never waits for us."""

    def __init__(self, folder, name):
        self.path = os.path.join(folder, name)
        with open(self.path + ".out", "wb") as output, open(self.path + ".err", "wb") as errors:
            self.process = subprocess.Popen(
                [Process.executable, folder], stdin=subprocess.PIPE, stdout=output, stderr=errors
            )

    def _text(self, kind):
        with open(self.path + kind, encoding="utf-8") as file:
            return file.read()

    output = property(lambda self: self._text(".out"))
    errors = property(lambda self: self._text(".err"))

    def wait(self, *lines):
        """Until these lines are the last ones."""
        end = "".join(line + "\n" for line in lines)
        poll(f"{lines!r} are last", lambda: self.output.endswith(end), 30)

    def write(self, text):
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        self.process.stdin.close()


def unread(pipe):
    """The number of bytes that wait in a pipe."""
    count = array.array("i", [0])
    fcntl.ioctl(pipe.fileno(), termios.FIONREAD, count)
    return count[0]


def run(text, *arguments):
    """(exit code, output, errors) of a whole run that reads the text."""
    done = subprocess.run([Process.executable, *arguments], input=text.encode(), capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@case
def commands():
    with scratch() as folder:
        status, output, errors = run(
            "add  milk  and honey\n\nadd bread\ntoggle 1\ntoggle 1\ntoggle 2\ndelete 1\nclear\nadd \x1b[2Jtea\nquit\nadd x\n",
            folder,
        )
        expect(f"exit code, with {errors!r}", 0, status)
        expected = """\
0 open, 0 done
1 [ ] milk and honey
1 open, 0 done
1 [ ] milk and honey
2 [ ] bread
2 open, 0 done
1 [x] milk and honey
2 [ ] bread
1 open, 1 done
1 [ ] milk and honey
2 [ ] bread
2 open, 0 done
1 [ ] milk and honey
2 [x] bread
1 open, 1 done
1 [x] bread
0 open, 1 done
0 open, 0 done
1 [ ] [2Jtea
1 open, 0 done
"""
        expect("output", expected, output)
        expect_match("worker", r"worker \d+ serving, incarnation 1\n", errors)


@case
def mistakes():
    with scratch() as folder:
        status, output, errors = run("toggle 1\nadd\nfly away\nclear 1\nadd a\ndelete 0\ntoggle -9223372036854775808\n"
                                     "toggle two\nadd b", folder)
        expect("exit code", 1, status)
        expect("output", "0 open, 0 done\n1 [ ] a\n1 open, 0 done\n1 [ ] a\n2 [ ] b\n2 open, 0 done\n", output)
        use = "use add TITLE, toggle N, delete N, clear or quit"
        expect("errors", [
            "todos: the list is empty; there is nothing to toggle",
            "todos: there is no title; use add TITLE",
            f'todos: no command "fly away"; {use}',
            f'todos: no command "clear 1"; {use}',
            'todos: no entry "0"; use delete N with N from 1 to 1',
            'todos: no entry "-9223372036854775808"; use toggle N with N from 1 to 1',
            'todos: no entry "two"; use toggle N with N from 1 to 1',
        ], [line for line in errors.splitlines() if line.startswith("todos:")])


@case
def long_lines():
    with scratch() as folder:
        status, output, errors = run("add " + "y" * 100_000 + "\nadd b\n", folder)
        expect(f"exit code, with {errors!r}", 0, status)
        expect("last list", ["1 [ ] " + "y" * 200, "2 [ ] b", "2 open, 0 done"], output.splitlines()[-3:])


@case
def shared_live():
    with scratch() as folder, Lines(folder, "first") as first:
        first.wait("0 open, 0 done")
        with Lines(folder, "second") as second:
            second.wait("0 open, 0 done")
            second.write("add milk\n")
            first.wait("1 [ ] milk", "1 open, 0 done")
            first.write("toggle 1\n")
            second.wait("1 [x] milk", "0 open, 1 done")
            expect_match("client tells the worker", r"\Aworker \d+ serving, incarnation 1\n\Z", second.errors)
            expect("once per change", 3, second.output.count("open"))
            first.write("quit\n")
            expect(f"exit code, with {first.errors!r}", 0, first.process.wait(30))
            expect(f"client: exit code, with {second.errors!r}", 0, second.process.wait(30))
            expect_match("client says so", r"\ntodos: the terminal that kept the list has quit\n\Z", second.errors)


@case
def undone_commands():
    """Without a terminal, a program that is ended by a signal names the commands that it has not done."""
    with scratch() as folder, Lines(folder, "first") as first:
        first.wait("0 open, 0 done")
        first.write("add milk\n")
        first.wait("1 [ ] milk", "1 open, 0 done")
        worker = int(re.search(r"worker (\d+) serving", first.errors).group(1))
        stop(worker)
        first.write("add bread\nadd tea\n")
        poll("the commands are read", lambda: not unread(first.process.stdin), 30)
        first.write("toggle 1")
        first.process.send_signal(signal.SIGTERM)
        expect(f"exit code, with {first.errors!r}", 143, first.process.wait(30))
        expect("errors", [
            "todos: it is not known whether this was done: add bread", "todos: not done: add tea",
            "todos: not done: toggle 1",
        ], [line for line in first.errors.splitlines() if line.startswith("todos:")])


@case
def wrong_use():
    with scratch() as folder:
        status, output, errors = run("", "--loud")
        expect("unknown option", (2, "", "todos: Unknown option '--loud' (see todos --help)\n"), (status, output, errors))
        status, output, errors = run("", folder, folder)
        expect("two places", (2, ""), (status, output))
        status, output, errors = run("", "--help")
        expect("help", (0, ""), (status, errors))
        expect_match("help", r"j/k move  space toggle", output)
        status, output, errors = run("", folder + "/" + "x" * 120)
        expect("too long", (2, ""), (status, output))
        expect_match("too long", r"\Atodos: .* has \d+ bytes, and a socket path has at most 107 here\. Choose", errors)
        status, output, errors = run("", folder + "/no/such/folder.sock")
        expect("no folder", (2, ""), (status, output))
        expect_match("no folder", r"\Atodos: The coordinator cannot listen for clients\. ", errors)
        with open(folder + "/file", "w", encoding="ascii"):
            status, output, errors = run("", folder + "/file")
            expect("a file is there", (2, ""), (status, output))
            expect("it stays", True, os.path.exists(folder + "/file"))


@case
def before_a_stopped_coordinator():
    """A program that waits for a stopped coordinator handles signals and reports what is wrong (F77)"""
    with scratch() as folder, Lines(folder, "first") as first:
        first.wait("0 open, 0 done")
        stop(first.process.pid)
        for number in (signal.SIGTERM, signal.SIGINT):
            with Lines(folder, number.name) as second:
                poll("it waits for an answer", lambda: len(os.listdir(f"/proc/{second.process.pid}/task")) > 1, 30)
                time.sleep(0.5)
                second.process.send_signal(number)
                expect(f"{number.name}: exit code", 128 + number, second.process.wait(4))
        status, output, errors = run("", folder)
        expect(f"exit code, with {errors!r}", (2, ""), (status, output))
        expect_match("errors", rf"\Atodos: The coordinator at .*, process {first.process.pid}, has not answered within "
                     r"5\.0 seconds\. It is suspended or hangs\. [^\n]*\n\Z", errors)
        first.process.send_signal(signal.SIGCONT)
        status, output, errors = run("add milk\n", folder)
        expect("it goes on", (0, "0 open, 0 done\n1 [ ] milk\n1 open, 0 done\n"), (status, output))


@case
def readers_that_go_away():
    with scratch() as folder:
        reading, writing = os.pipe()
        first = subprocess.Popen([Process.executable, folder], stdin=subprocess.PIPE, stdout=writing,
                                 stderr=subprocess.DEVNULL)
        os.close(writing)
        try:
            expect("the first list", b"0 open, 0 done\n", os.read(reading, 1000))
            os.close(reading)
            with Lines(folder, "second") as second:
                second.wait("0 open, 0 done")
                second.write("add milk\n")
                second.wait("1 [ ] milk", "1 open, 0 done")
                second.write("add bread\n")
                second.wait("1 [ ] milk", "2 [ ] bread", "2 open, 0 done")
            first.stdin.close()
            expect("exit code", 0, first.wait(30))
        finally:
            if first.poll() is None:
                first.kill()
                first.wait()


@case
def output_that_cannot_be_written():
    with scratch() as folder, open("/dev/full", "wb") as full:
        done = subprocess.run([Process.executable, folder], input=b"add milk\n", stdout=full, stderr=subprocess.PIPE,
                              timeout=60)
        expect("exit code", 1, done.returncode)
        expect_match("errors", r"\ntodos: cannot write the list: No space left on device\n\Z", done.stderr.decode())


@case
def runtime_directories():
    """A relative runtime directory is ignored (F29)"""
    for bad in ("relative", "/no/such/folder", "/dev/null"):
        with scratch() as home:
            os.mkdir(home + "/relative")
            done = subprocess.run([Process.executable], input=b"quit\n", capture_output=True, timeout=60, cwd=home,
                                  env={**os.environ, "XDG_RUNTIME_DIR": bad})
            expect(f"{bad}: exit code, with {done.stderr!r}", 0, done.returncode)
            expect(f"{bad}: nothing is made there", [], os.listdir(home + "/relative"))


@case
def runtime_directory_of_another_user():
    """todos refuses a runtime directory of another user (F29)"""
    if os.geteuid() != 0:
        raise Skipped("needs root to make one")
    with scratch() as home:
        os.mkdir(home + "/other")
        os.chown(home + "/other", 65534, 65534)
        done = subprocess.run([Process.executable], input=b"quit\n", capture_output=True, timeout=60,
                              env={**os.environ, "XDG_RUNTIME_DIR": home + "/other"})
        expect("exit code", 2, done.returncode)
        expect("errors", f"todos: The directory for sockets cannot be used. XDG_RUNTIME_DIR is {home}/other, which belongs to user 65534,"
               " not to user 0. Set it to a directory of your own, or unset it.\n", done.stderr.decode())


@case
def a_mask_that_forbids_everything():
    """A process whose umask removes all rights creates a socket that it can serve and remove (F29)"""
    with scratch() as folder:
        done = subprocess.run([Process.executable, folder + "/new/todos.sock"], input=b"quit\n", capture_output=True,
                              timeout=60, preexec_fn=lambda: (ordinary_rights(), os.umask(0o777)))
        expect(f"exit code, with {done.stderr!r}", 0, done.returncode)
        expect("nothing is left in the folder", [], os.listdir(folder + "/new"))
