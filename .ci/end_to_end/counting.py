"""What is counted: the same as an independent count says, for every kind of tree."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

import count
import trees
from harness import (
    Failure, Process, Skipped, case, expect, expect_match, expect_report, ordinary_rights, parse, peak_memory, run,
    scratch,
)

LIMIT = 200 << 20


def check(root, code=0, **options):
    """Runs `tally ROOT --json` and compares everything it prints."""
    expected = count.report(root)
    status, output, errors = run(root, "--json", **options)
    got, incarnations = parse(f"tally {root} --json", output)
    expect_report(f"tally {root} --json", expected, got)
    expect(f"tally {root}: incarnations", 1, incarnations)
    expect(f"tally {root}: exit code, with {errors!r}", code, status)
    expect_match(f"tally {root}: every worker is told", r"(?m)^worker \d+ serving, incarnation 1$", errors)
    return got


@case
def odd_trees():
    with scratch() as root:
        trees.odd(root)
        got = check(root)
        extensions = {entry["extension"] for entry in got["extensions"]}
        expect("extension of .bashrc and of a.", True, "" in extensions and "bashrc" not in extensions)
        expect("extension of a.tar.gz", True, "gz" in extensions and "tar.gz" not in extensions)
        expect("a hex path beside a name that is not UTF-8", "fffe2e626164",
               next(file["pathHex"] for file in got["files"] if file["path"].endswith(".bad")))


@case
def table_agrees():
    with scratch() as root:
        trees.odd(root)
        expected = count.report(root)
        status, output, _ = run(root)
        expect("exit code", 0, status)
        lines = output.decode().split("\n")
        expect("first line", ["lines", "words", "bytes", "path"], lines[0].split())
        total = expected["total"]
        expect("total", [str(total[key]) for key in ("lines", "words", "bytes")] + ["total", f"({total['files']}", "files)"],
               lines[total["files"] + 1].split())
        expect("rows", [[str(file[key]) for key in ("lines", "words", "bytes")] for file in expected["files"]],
               [line.split()[:3] for line in lines[1 : total["files"] + 1]])
        expect("control characters in the table", [], [byte for byte in output if byte < 32 and byte != 10])


@case
def empty_tree():
    with scratch() as root:
        check(root)


@case
def path_is_a_file():
    with scratch() as root:
        trees.write(root, b"a file.txt", b"one two\nthree")
        got = check(os.path.join(root, "a file.txt"))
        expect("path", ["a file.txt"], [file["path"] for file in got["files"]])


@case
def path_is_a_link():
    with scratch() as root:
        trees.small(os.path.join(root, "real"), 50)
        os.symlink("real", os.path.join(root, "link"))
        for path in ("link", "link/", "real/../link/000"):
            check(os.path.join(root, path))


@case
def path_is_relative():
    with scratch() as root:
        trees.small(os.path.join(root, "real"), 50)
        before = os.getcwd()
        os.chdir(os.path.join(root, "real"))
        try:
            for path in (".", "000", "../real"):
                check(path)
        finally:
            os.chdir(before)


@case
def files_that_tell_no_size():
    """Files without a size are read until their end in pieces of any size, and given up at a limit if they have no end."""
    check("/proc/kallsyms")
    status, output, _ = run(f"/proc/{os.getpid()}/pagemap", "--json")
    got, _ = parse("tally pagemap --json", output)
    expect("exit code of a file without an end", 1, status)
    expect("its failure", ["it has no end: it reports no size, and continues after 16 MiB"],
           [failure["reason"] for failure in got["failures"]])


@case
def path_is_missing():
    for path in ("/no/such/path", "", "/etc/hostname/below"):
        status, output, errors = run(path)
        expect(f"tally {path!r}: exit code", 2, status)
        expect(f"tally {path!r}: output", b"", output)
        expect_match(f"tally {path!r}: errors", r"\Atally: [^\n]*: (No such file or directory|Not a directory)\n\Z", errors)


@case
def path_is_not_utf8():
    with scratch() as root:
        path = os.fsencode(root) + b"/\xff\xe9"
        trees.write(path, b"a.txt", b"a\n")
        status, output, errors = run(path, "--json")
        got, _ = parse("tally PATH", output or b"{}")
        expect(f"a PATH that is not UTF-8: exit code, with {errors!r}", 0, status)
        expect("a PATH that is not UTF-8: files", ["a.txt"], [file["path"] for file in got["files"]])


@case
def unreadable():
    with scratch() as root:
        trees.small(root, 120)
        trees.write(root, b"closed/file.txt", b"a\n")
        trees.write(root, b"closed\xff.txt", b"a\n")
        closed = [os.path.join(os.fsencode(root), path) for path in (b"000/00001.md", b"closed\xff.txt", b"closed")]
        trees.write(root, b"000/00001.md", b"a\n")
        for path in closed:
            os.chmod(path, 0)
        expected = count.report(root, reasons={
            b"000/00001.md": "Permission denied", b"closed\xff.txt": "Permission denied", b"closed": "Permission denied"},
            except_for={b"closed/file.txt"})
        status, output, _ = run(root, "--json", preexec=ordinary_rights)
        _, table, _ = run(root, preexec=ordinary_rights)
        for path in closed:
            os.chmod(path, 0o700)
        got, _ = parse("unreadable", output)
        expect_report("unreadable", expected, got)
        expect("exit code", 1, status)
        expect_match("table", r"(?s)not counted \(3 files\):\n  000/00001.md: Permission denied\n", table.decode())


@case
def unreadable_root():
    with scratch() as root:
        os.makedirs(os.path.join(root, "closed"), 0)
        status, output, _ = run(os.path.join(root, "closed"), "--json", preexec=ordinary_rights)
        got, _ = parse("an unreadable PATH", output)
        expect("failures", [{"path": ".", "reason": "Permission denied"}], got["failures"])
        expect("exit code", 1, status)


@contextlib.contextmanager
def too_deep():
    """A tree with a file above and one below what a path may be."""
    with scratch() as root:
        trees.write(root, b"top.txt", b"a\n")
        descriptor = os.open(root, os.O_RDONLY)
        for _ in range(25):
            os.mkdir("d" * 200, dir_fd=descriptor)
            below = os.open("d" * 200, os.O_RDONLY, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = below
        file = os.open("bottom.txt", os.O_WRONLY | os.O_CREAT, dir_fd=descriptor)
        os.write(file, b"b\n")
        os.close(file)
        os.close(descriptor)
        yield root
        shutil.rmtree(root)
        os.mkdir(root)


def check_too_deep(process):
    status = process.finish()
    got, _ = parse(process, process.output)
    expect("the files", [f'{"d" * 200}/' * 25 + "bottom.txt", "top.txt"], [file["path"] for file in got["files"]])
    expect("failures", [], got["failures"])
    expect("exit code", 0, status)


@case
def longer_than_a_path_may_be():
    with too_deep() as root, Process(root, "--json") as process:
        check_too_deep(process)


def chain(root, depth, name="d"):
    """Folders in one another, each with a file; nothing but descriptors reaches the lowest."""
    folder = os.open(root, os.O_RDONLY)
    for level in range(depth):
        os.close(os.open(f"{level}.txt", os.O_WRONLY | os.O_CREAT, dir_fd=folder))
        os.mkdir(name, dir_fd=folder)
        below = os.open(name, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = below
    os.close(folder)


@case
def deep_chains():
    """A tree that is twice as deep has a table that is twice as long, and takes about twice as long to count."""
    sizes, times = {}, {}
    for depth in (2_500, 5_000):
        with scratch() as root:
            chain(root, depth)
            began = time.monotonic()
            status, output, errors = run(root)
            times[depth] = time.monotonic() - began
            expect(f"exit code, with {errors[-200:]!r}", 0, status)
            expect("files", f"total ({depth} files)", re.search(r"total \(.*\)", output.decode())[0])
            sizes[depth] = len(output)
            subprocess.run(["rm", "-rf", root], check=True)
            os.mkdir(root)
    print("    seconds: " + ", ".join(f"{depth}: {taken:.2f}" for depth, taken in times.items()))
    expect(f"bytes in proportion: {sizes}", True, sizes[5_000] < 3 * sizes[2_500])


@case
def more_than_a_state_holds():
    """A tally that is larger than a state can be reports that and ends, with the files that it has counted so far (F69)."""
    number = 3_000
    with scratch() as root:
        trees.small(root, number)
        status, output, errors = run(root, "--json", "--state-limit", "8192")
        expect(f"exit code, with {errors[-200:]!r}", 1, status)
        expect_match("the reason", r'(?m)^tally: The state of "tally" has \d+ bytes, but at most \d+ can be sent', errors)
        files = json.loads(output)["total"]["files"]
        expect(f"some of {number} files: {files}", True, 0 < files < number)


@case
def many_at_once():
    """More programs than cores run with little work, so that waits end at every possible moment."""
    with too_deep() as root:
        for _ in range(50):
            with contextlib.ExitStack() as stack:
                for process in [stack.enter_context(Process(root, "--json")) for _ in range(3)]:
                    check_too_deep(process)


@case
def ten_thousand_files():
    with scratch() as root:
        trees.small(root, 10_000)
        check(root)


@case
def large_file():
    size = 2 << 30
    if shutil.disk_usage(tempfile.gettempdir()).free < 4 << 30:
        raise Skipped("less than 4 GiB free")
    with scratch() as root:
        trees.large(root, size)
        expected = count.report(root)
        with Process(root, "--json") as process:
            worker, peaks = process.worker(), {}
            while process.process.poll() is None:
                for pid in (process.pid, worker):
                    peaks[pid] = max(peaks.get(pid, 0), peak_memory(pid))
                try:
                    process.process.wait(0.02)
                except Exception:  # Not yet.
                    continue
            expect("exit code", 0, process.finish())
            got, _ = parse(process, process.output)
        expect_report("a large file", expected, got)
        for name, pid in (("coordinator", process.pid), ("worker", worker)):
            print(f"    peak memory of the {name}: {peaks[pid] >> 20} MiB")
            if not 0 < peaks[pid] < LIMIT:
                raise Failure(f"peak memory of the {name}\n    expected: under {LIMIT}\n    got:      {peaks[pid]}")
