"""Wrong uses: each gets one clear sentence and the right exit code."""

import os
import signal
import socket as sockets
import struct
import subprocess
import time

import trees
from harness import Process, Skipped, case, expect, expect_match, parse, poll, run, scratch


def refuse(what, arguments, code, pattern):
    status, output, errors = run(*arguments)
    expect(f"{what}: exit code, with {errors!r}", code, status)
    expect(f"{what}: output", b"", output)
    expect_match(f"{what}: errors", pattern, errors)


def one_line(text):
    return rf"\Atally: [^\n]*{text}[^\n]*\n\Z"


@case
def usage():
    for arguments, text in (
        ([], "Missing expected argument '<path>'"), ([".", "--bogus"], "Unknown option '--bogus'"),
        ([".", "extra"], "Unexpected argument 'extra'"), ([".", "--crash-on"], "Missing value for '--crash-on"),
        (["attach", "--send", "explode"], "'explode' is invalid.*'pause', 'resume' or 'cancel'"),
    ):
        refuse(f"tally {arguments}", arguments, 2, one_line(text))
    status, output, errors = run("--help")
    expect("--help", (0, ""), (status, errors))
    expect_match("--help", r"(?s)USAGE: tally .*attach", output.decode())


@case
def no_coordinator():
    refuse("attach to nothing", ["attach", "/no/such.sock"], 2, one_line(r"There is no socket at /no/such.sock"))
    with scratch() as root:
        path = os.path.join(root, "old.sock")
        stale(path)
        refuse("attach to a stale socket", ["attach", path], 2, one_line("No process is serving at"))
        status, _, errors = run("attach", environment={"XDG_RUNTIME_DIR": root})
        expect("attach with no tally running: exit code", 2, status)
        expect_match("attach with no tally running", one_line("no tally of this user is running"), errors)


def stale(path):
    with sockets.socket(sockets.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()


@case
def socket_paths():
    with scratch() as root:
        trees.small(root + "/tree", 10)
        tree = root + "/tree"
        refuse("too long", [tree, "--socket", f"{root}/{'s' * 200}"], 2, one_line(r"has \d+ bytes, and .* at most 107"))
        refuse("empty", [tree, "--socket", ""], 2, one_line("The socket path is empty"))
        refuse("no directory", [tree, "--socket", f"{root}/a/b/c.sock"], 2, one_line("could not|cannot|Could not"))
        trees.write(root, b"file", b"content")
        refuse("a file", [tree, "--socket", f"{root}/file"], 2, one_line("is not a socket. Remove it or choose"))
        with open(f"{root}/file", "rb") as file:
            expect("the file in the way", b"content", file.read())
        os.symlink("elsewhere", f"{root}/link.sock")
        refuse("a link", [tree, "--socket", f"{root}/link.sock"], 2, one_line("is a symbolic link"))
        os.mkdir(f"{root}/open")
        os.chmod(f"{root}/open", 0o777)
        refuse("everybody's directory", [tree, "--socket", f"{root}/open/s"], 2, one_line("can be changed by other users"))
        os.mkdir(f"{root}/real")
        os.symlink("real", f"{root}/link")
        refuse("linked directory", [tree, "--socket", f"{root}/link/s"], 2, one_line("is a symbolic link"))


@case
def directory_of_another_user():
    """A socket in a directory of another user is refused (F29)."""
    if os.geteuid() != 0:
        raise Skipped("needs root to make one")
    with scratch() as root:
        os.chmod(root, 0o755)
        os.mkdir(f"{root}/other", 0o700)
        os.chown(f"{root}/other", 65534, 65534)
        refuse("somebody else's directory", [root, "--socket", f"{root}/other/s"], 2, one_line("belongs to user 65534"))


@case
def runtime_directory_of_another_user():
    """A runtime directory of another user is refused, and the error names it with its owner (F29)."""
    if os.geteuid() != 0:
        raise Skipped("needs root to make one")
    with scratch() as root:
        os.mkdir(f"{root}/other", 0o700)
        os.chown(f"{root}/other", 65534, 65534)
        text = rf"XDG_RUNTIME_DIR is {root}/other, which belongs to user 65534, not to user 0\. Set it to"
        for arguments in ([root], ["attach"]):
            status, output, errors = run(*arguments, environment={"XDG_RUNTIME_DIR": f"{root}/other"})
            expect(f"{arguments}: exit code", 2, status)
            expect_match(f"{arguments}: errors", one_line(text), errors)
        expect("nothing is made there", [], os.listdir(f"{root}/other"))
        # Whoever names a socket has no need of it.
        environment = {"XDG_RUNTIME_DIR": f"{root}/other"}
        expect("a socket of its own", 0, run(root, "--socket", f"{root}/s", environment=environment)[0])


@case
def another_coordinator():
    """A second coordinator at the same path is refused (F30)."""
    with scratch() as root:
        trees.slow(root + "/tree")
        path = f"{root}/s.sock"
        with Process(root + "/tree", "--json", "--socket", path) as process:
            expect("socket", path, process.socket())
            expect("mode of the socket", 0o600, os.stat(path).st_mode & 0o777)
            refuse("a path in use", [root, "--socket", path], 2, one_line("Another coordinator is serving at"))
            run("attach", path, "--send", "cancel")
            expect("the first one ends by itself", 1, process.finish())
        expect("socket file left", False, os.path.exists(path))
        stale(path)
        expect("a stale socket is replaced", 0, run(root + "/tree", "--json", "--socket", path)[0])


@case
def default_socket_and_newest():
    with scratch() as root:
        trees.slow(root + "/tree")
        environment = {"XDG_RUNTIME_DIR": root}
        with Process(root + "/tree", environment=environment) as first:
            first.worker()
            expect("pause", (0, b"pause: finished\n", ""),
                   run("attach", "--send", "pause", environment=environment))
            with Process(root + "/tree", environment=environment) as second:
                expect("folder", f"{root}/tally", os.path.dirname(second.socket()))
                expect("mode of the folder", 0o700, os.stat(f"{root}/tally").st_mode & 0o777)
                second.worker()
                expect("cancel goes to the newest", (0, b"cancel: finished\n", ""),
                       run("attach", "--send", "cancel", environment=environment))
                expect("the newest", 1, second.finish())
            # One that was killed leaves its file behind; attach looks past it.
            with Process(root + "/tree", environment=environment) as third:
                third.worker()
                third.process.send_signal(signal.SIGKILL)
                third.finish()
            expect("past a dead one", (0, b"cancel: finished\n", ""),
                   run("attach", "--send", "cancel", environment=environment))
            expect("the first one", 1, first.finish())


# ---- A client made from the text of the protocol alone.


def head(major, number):
    if number < 24:
        return bytes([major << 5 | number])
    size = next(size for size in (1, 2, 4, 8) if number < 1 << 8 * size)
    return bytes([major << 5 | {1: 24, 2: 25, 4: 26, 8: 27}[size]]) + number.to_bytes(size, "big")


def cbor(value):
    if isinstance(value, int):
        return head(0, value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    return head(5, len(value)) + b"".join(cbor(key) + cbor(item) for key, item in value.items())


def frame(kind, channel, body):
    body = cbor(body)
    return struct.pack(">IHBBI", len(body), kind, 0, 0, channel) + body


def hello(minimum=1, maximum=1, role=3):
    return frame(1, 0, {1: minimum, 2: maximum, 3: role, 4: 0, 5: b"", 6: b"\x11" * 16, 7: os.getpid(), 8: []})


def read_exactly(connection, count):
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            return data
        data += piece
    return data


def converse(path, *frames):
    """Sends the frames and gives what comes back until the other side closes or is silent: (kind, body) each."""
    found = []
    with sockets.socket(sockets.AF_UNIX) as connection:
        connection.settimeout(20)
        connection.connect(path)
        connection.sendall(b"".join(frames))
        while len(header := read_exactly(connection, 12)) == 12:
            length, kind, _, _, _ = struct.unpack(">IHBBI", header)
            found.append((kind, read_exactly(connection, length)))
            if kind in (4, 18):
                return found
    return found


@case
def strange_clients():
    """A coordinator refuses garbage and forbidden messages from clients, and keeps serving (F35)."""
    with scratch() as root:
        trees.slow(root + "/tree")
        path = f"{root}/s.sock"
        with Process(root + "/tree", "--json", "--socket", path) as process:
            process.worker()
            run("attach", path, "--send", "pause")
            found = converse(path, hello(7, 9))
            expect("another version: answers", [3], [kind for kind, _ in found])
            expect("another version: code", True, found[0][1].startswith(b"\xa4\x01\x01\x02"))
            expect_match("another version: sentence", "version", found[0][1].decode(errors="replace"))
            found = converse(path, hello(role=1))
            expect("a worker where clients connect", [3], [kind for kind, _ in found])
            found = converse(path, hello(), frame(16, 1, {1: "nothing", 2: 1, 3: "", 5: 0, 6: 0}))
            expect("an unknown feature: answers", [2, 18], [kind for kind, _ in found])
            expect("an unknown feature: code", True, found[1][1].startswith(b"\xa2\x01\x01\x02"))
            expect_match("an unknown feature: sentence", "nothing", found[1][1].decode(errors="replace"))
            found = converse(path, hello(), frame(16, 1, {1: "tally", 2: 99, 3: "", 5: 0, 6: 0}))
            expect("another schema: code", True, found[1][0] == 18 and found[1][1].startswith(b"\xa2\x01\x02\x02"))
            found = converse(path, hello(), struct.pack(">IHBBI", 5, 999, 0, 0, 0) + b"12345")
            expect("an unknown kind: answers", [2, 4], [kind for kind, _ in found])
            found = converse(path, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            expect("another protocol: answers", [3], [kind for kind, _ in found])
            expect("another protocol: code", True, found[0][1].startswith(b"\xa4\x01\x06\x02"))
            # Nobody was disturbed.
            run("attach", path, "--send", "resume")
            expect("exit code", 0, process.finish())
            expect("files", trees.SLOW, parse(process, process.output)[0]["total"]["files"])


@case
def silent_clients():
    """Clients that never finish the handshake are disconnected, and others are served (F46)."""
    with scratch() as root:
        trees.slow(root + "/tree")
        path = f"{root}/s.sock"
        with Process(root + "/tree", "--json", "--socket", path) as process:
            process.worker()
            run("attach", path, "--send", "pause")
            connections = [sockets.socket(sockets.AF_UNIX) for _ in range(20)]
            for connection in connections:
                connection.settimeout(20)
                connection.connect(path)
            began = time.monotonic()
            answers = [read_exactly(connection, 12)[4:6] for connection in connections]
            expect("who says nothing is refused", [b"\x00\x03"] * 20, answers)
            taken = time.monotonic() - began
            expect(f"after 5 seconds ({taken:.1f})", True, 3 < taken < 15)
            for connection in connections:
                connection.close()
            run("attach", path, "--send", "resume")
            expect("exit code", 0, process.finish())


@case
def output_that_cannot_be_written():
    with scratch() as root:
        trees.small(root, 10)
        with open("/dev/full", "wb") as full:
            done = subprocess.run([Process.executable, root], stdin=subprocess.DEVNULL, stdout=full,
                                  stderr=subprocess.PIPE, timeout=60)
        expect("exit code", 1, done.returncode)
        expect_match("errors", r"\ntally: cannot write the result: No space left on device\n\Z", done.stderr.decode())
        trees.slow(root + "/tree")
        path = f"{root}/s.sock"
        with Process(root + "/tree", "--socket", path) as process, open("/dev/full", "wb") as full:
            process.worker()
            done = subprocess.run([Process.executable, "attach", path, "--send", "cancel"], stdin=subprocess.DEVNULL,
                                  stdout=full, stderr=subprocess.PIPE, timeout=60)
            expect("exit code of attach", 1, done.returncode)
            expect("errors of attach", "tally: cannot write the result: No space left on device\n", done.stderr.decode())
            process.finish()


@case
def readers_that_go_away():
    with scratch() as root:
        trees.small(root, 10)
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([Process.executable, root], stdin=subprocess.DEVNULL, stdout=writing, stderr=writing,
                              timeout=60, env={**os.environ, "XDG_RUNTIME_DIR": root})
        os.close(writing)
        expect("exit code", 0, done.returncode)
        expect("sockets left", [], os.listdir(root + "/tally"))
