"""What wordindex finds, beside grep, and who sees it."""

import os
import random
import signal
import subprocess

from harness import Process, case, expect, expect_match, poll, run, scratch
from todos_screen import Terminal, worker


def write(root, path, content):
    path = os.path.join(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def grow(root, files=400, seed=int(os.environ.get("SEED", "7"))):
    """Files of words that are near one another, and what makes a difference to grep."""
    print(f"    SEED={seed}")
    chance = random.Random(seed)
    pieces = [b"word", b"Word", b"words", b"_word", b"word_1", b"w", b"-", b" ", b"\n", b"\xc3\xa9", b"\xff", b".", b"1"]
    for number in range(files):
        text = b"".join(chance.choice(pieces) + chance.choice((b"", b" ")) for _ in range(chance.randrange(200)))
        write(root, f"{number % 7}/{number}.txt", text)
    write(root, "empty", b"")
    write(root, ".hidden/a name: with 9", b"word word\n")
    # Names that differ in their normal form are those of two files, and one that is no UTF-8 is that of a third.
    for number, name in enumerate(("caf\u00e9", "cafe\u0301", "f\udcff")):
        write(root, name, b"word\n" * (number + 1))
    write(root, "binary", b"\0word word\n")
    write(root, "long", b"word " * 200_000)
    os.symlink("long", os.path.join(root, "link"))
    os.symlink("..", os.path.join(root, "1", "loop"))
    os.mkfifo(os.path.join(root, "pipe"))


def grep(word, path):
    """FILE:COUNT lines, by the bytes of their paths."""
    command = ["grep", "-rowFI", "--", word, path]
    found = subprocess.run(command, env={**os.environ, "LC_ALL": "C"}, stdout=subprocess.PIPE, check=False).stdout
    counts = {}
    for line in found.splitlines():
        name = line.rpartition(b":")[0] or os.fsencode(path)
        counts[name] = counts.get(name, 0) + 1
    return b"".join(b"%s:%d\n" % item for item in sorted(counts.items()))


@case
def agrees_with_grep():
    with scratch() as root:
        tree = root + "/tree"
        grow(tree)
        for options in ([], ["--in-process"]):
            for word in ("word", "Word", "w", "1", "word_1", "nowhere"):
                expected = grep(word, tree)
                status, output, errors = run(tree, "--search", word, "--socket", root, *options)
                expect(f"{word} {options}: output", expected, output)
                expect(f"{word} {options}: exit code", 0 if expected else 1, status)
                expect_match("how long it took", r"(?m)^\d+ files in \d+ ms$", errors)
        # A path as it was typed, and a file.
        for path in (tree + "/", tree + "/./1", tree + "/long"):
            status, output, _ = run(path, "--search", "word", "--socket", root)
            expected = grep("word", path) if os.path.isdir(path) else b"%s:200000\n" % os.fsencode(path)
            expect(path, expected, output)


@case
def terminals_share_an_index():
    with scratch() as root:
        tree = root + "/tree"
        grow(tree, 100)
        with Terminal(tree, "--socket", root) as first:
            first.press("word")
            total = sum(int(line.rpartition(b":")[2]) for line in grep("word", tree).splitlines())
            first.wait_line(2, f"{total} times in ")
            with Terminal(tree, "--socket", root) as second:
                second.press("nowhere")
                second.wait_line(2, "0 times in 0 files")
                # The other one's answer stays, and follows what is read again.
                write(tree, "new", b"word nowhere\n")
                second.press("\r")
                second.wait_line(2, "1 time in 1 file")
                first.wait_line(2, f"{total + 1} times in ")
                # A script joins them, and sees what has changed by then.
                write(tree, "newer", b"nowhere nowhere\n")
                status, output, _ = run(tree, "--search", "nowhere", "--socket", root)
                expect("exit code", 0, status)
                expect("output", grep("nowhere", tree), output)
                os.unlink(tree + "/newer")
                second.press("\r")
                second.wait_line(2, "1 time in 1 file")
                first.press("\x1b")
                expect("exit code", 0, first.finish())
                expect("client: exit code", 0, second.finish())
                poll("it says so", lambda: "the terminal that kept the index has quit" in second.said, 10)


@case
def worker_killed():
    """The worker after a killed one continues the index (F1)."""
    with scratch() as root:
        tree = root + "/tree"
        grow(tree, 2000)
        with Terminal(tree, "--socket", root) as first:
            first.press("word")
            process = None
            for _ in range(3):
                process = worker(first, other_than=process)
                os.kill(process, signal.SIGKILL)
            worker(first, other_than=process)
            lines = grep("word", tree).splitlines()
            total = sum(int(line.rpartition(b":")[2]) for line in lines)
            first.wait_line(2, f"{total} times in {len(lines)} files")
            status, output, _ = run(tree, "--search", "word", "--socket", root)
            expect("exit code", 0, status)
            expect("output", grep("word", tree), output)


@case
def used_wrongly():
    with scratch() as root:
        for arguments, sentence in (
            ([], "Missing expected argument '<path>'"),
            ([root, "--search", "two words"], '"two words" is no word; use ASCII letters, digits and underscores'),
            ([root + "/none", "--search", "a"], f"{root}/none: No such file or directory"),
            ([root], "there is no terminal to type a word in; use --search WORD"),
        ):
            status, output, errors = run(*arguments)
            expect(f"{arguments}: exit code", 2, status)
            expect(f"{arguments}: output", b"", output)
            expect(f"{arguments}: says so", True, sentence in errors)
        expect("help", 0, run("--help")[0])


@case
def ended_by_a_signal():
    with scratch() as root:
        tree = root + "/tree"
        grow(tree, 100)
        with Terminal(tree, "--socket", root) as terminal:
            terminal.wait_line(0, "wordindex: ")
            os.kill(terminal.pid, signal.SIGTERM)
            expect("exit code", 143, terminal.finish())
        with Process(tree + "/pipe", "--search", "word", "--socket", root) as process:
            expect("a pipe is no text: exit code", 1, process.finish())
