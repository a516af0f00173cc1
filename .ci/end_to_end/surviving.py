"""What survives the death of a worker, a client and the coordinator."""

import os
import random
import re
import signal
import time

import count
import trees
from harness import (
    Failure, Process, case, expect, expect_match, expect_report, is_alive, parse, poll, run, scratch, stop,
)

SEED = int(os.environ.get("SEED", random.randrange(1 << 32)))


def kill(pid, number=signal.SIGKILL):
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False


def without_incarnations(output):
    return re.sub(rb'"incarnations":\d+', b'"incarnations":N', output)


def wait_for_moment(process, seconds):
    """A moment chosen at random; the end of the process comes first at times, and is as good."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.process.poll() is None:
        time.sleep(min(0.002, max(end - time.monotonic(), 0)))


@case
def worker_killed_at_random():
    """No counted file is lost when a worker is killed at any moment (F1, F2, F66)."""
    print(f"    SEED={SEED}")
    generator = random.Random(SEED)
    with scratch() as root:
        trees.medium(root, 300)
        trees.small(root + "/small", 3_000)
        with Process(root, "--json") as process:
            process.worker()
            began = time.monotonic()
            status = process.finish()
            duration, reference = time.monotonic() - began, process.output
        expect("without a kill: exit code", 0, status)
        expected = count.report(root)
        expect_report("without a kill", expected, parse("tally", reference)[0])
        hits = 0
        for number in range(20):
            moment = generator.random() * duration
            with Process(root, "--json") as process:
                worker = process.worker()
                wait_for_moment(process, moment)
                hits += kill(worker)
                status = process.finish()
                expect(f"kill {number} after {moment:.3f} s: exit code, with {process.errors!r}", 0, status)
                got, incarnations = parse(process, process.output)
                expect_report(f"kill {number} after {moment:.3f} s", expected, got)
                expect(f"kill {number}: bytes", without_incarnations(reference), without_incarnations(process.output))
                expect(f"kill {number}: incarnations are among", True, incarnations in (1, 2))
        print(f"    {hits} of 20 kills met a worker; a run takes {duration:.2f} s")
        expect("some kills met a worker", True, hits > 0)


@case
def five_kills_in_one_run():
    with scratch() as root:
        trees.slow(root)
        expected = count.report(root)
        with Process(root, "--json") as process:
            socket = process.socket()
            for incarnation in range(1, 6):
                worker = process.worker(incarnation)
                with Process("attach", socket) as client:
                    client.wait_error(SERVING_ANY)
                    expect(f"kill {incarnation} meets a worker", True, kill(worker))
                    client.wait_error(rf"worker \d+ serving, incarnation {incarnation + 1}\n")
                    # Killed too; the next one takes its place.
                    client.end()
            expect("exit code", 0, process.finish())
            got, incarnations = parse(process, process.output)
            expect_report("five kills", expected, got)
            expect("incarnations", 6, incarnations)
            pids = [process.worker(incarnation) for incarnation in range(1, 7)]
            expect("workers left", [], [pid for pid in pids if is_alive(pid)])


SERVING_ANY = r"worker \d+ serving, incarnation \d+\n"


@case
def several_clients_to_the_end():
    with scratch() as root:
        trees.slow(root)
        expected = count.report(root)
        with Process(root, "--json") as process:
            socket = process.socket()
            clients = [Process("attach", socket) for _ in range(3)]
            try:
                for client in clients:
                    client.wait_error(SERVING_ANY)
                clients[0].end()
                kill(process.worker())
                expect("exit code", 0, process.finish())
                expect_report("with clients", expected, parse(process, process.output)[0])
                for client in clients[1:]:
                    expect(f"attach: exit code, with {client.errors!r}", 0, client.finish())
                    expect_match("attach shows the end", rf"(?m)^finished +{trees.SLOW}/{trees.SLOW} files", client.errors)
                    expect_match("attach shows the new worker", r"(?m)^worker \d+ serving, incarnation 2$", client.errors)
            finally:
                for client in clients:
                    client.end()


@case
def files_that_crash_workers():
    """The outcome of a crash names the signal (F3)."""
    with scratch() as root:
        trees.small(root, 1_000)
        crashing = []
        for number in range(7, 1_000, 20):
            folder = os.path.join(root, f"{number // 100:03d}")
            old = next(name for name in os.listdir(folder) if name.startswith(f"{number:05d}."))
            os.rename(os.path.join(folder, old), os.path.join(folder, f"{number:05d}.crash"))
            crashing.append(b"%03d/%05d.crash" % (number // 100, number))
        expect("files that crash", 50, len(crashing))
        with Process(root, "--json", "--crash-on", "*.crash") as process:
            status = process.finish(600)
            got, incarnations = parse(process, process.output)
        reasons = {failure["path"]: failure.pop("reason") for failure in got["failures"]}
        expected = count.report(root, except_for=set(crashing))
        expect("listed", [path.decode() for path in crashing], sorted(reasons))
        for reason in reasons.values():
            expect_match("reason", r"killed by signal \d+ \(SIG(ILL|TRAP)\)", reason)
        got["failures"] = []
        expect_report("the other 950", expected, got)
        expect("the other 950", 950, got["total"]["files"])
        expect("exit code", 1, status)
        print(f"    {incarnations} incarnations")


@case
def children_ignored_at_the_start():
    """Files that crash workers are found although SIGCHLD is ignored when the program starts (F88)."""
    with scratch() as root:
        trees.small(root, 100)
        for number in range(3):
            with open(f"{root}/{number}.crash", "wb") as file:
                file.write(b"a line\n")
        ignore = lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        with Process(root, "--json", "--crash-on", "*.crash", preexec=ignore) as process:
            expect("exit code", 1, process.finish())
            got, _ = parse(process, process.output)
        expect("listed", [f"{number}.crash" for number in range(3)], sorted(each["path"] for each in got["failures"]))
        for failure in got["failures"]:
            expect_match("reason", r"killed by signal \d+ \(SIG(ILL|TRAP)\)", failure["reason"])


def phase_line(phase):
    return rf"(?m)^{phase} +\d+/\d+"


def sent(socket, event):
    return run("attach", socket, "--send", event)


@case
def pause_and_resume():
    with scratch() as root:
        trees.slow(root)
        expected = count.report(root)
        with Process(root, "--json") as process:
            socket, worker = process.socket(), process.worker()
            expect("pause", (0, b"pause: finished\n", ""), sent(socket, "pause"))
            process.wait_error(phase_line("paused"))
            # It stays paused, in another worker too.
            kill(worker)
            process.worker(2)
            with Process("attach", socket) as client:
                client.wait_error(phase_line("paused"))
                expect("resume", (0, b"resume: finished\n", ""), sent(socket, "resume"))
                client.wait_error(phase_line("counting"))
            expect("exit code", 0, process.finish())
            expect_report("paused, killed and resumed", expected, parse(process, process.output)[0])


@case
def cancel():
    with scratch() as root:
        trees.endless(root)
        expected = count.report(root, except_for=(b"zz1.dat", b"zz2.dat"))
        with Process(root, "--json") as process:
            socket, worker = process.socket(), process.worker()
            sent(socket, "pause")
            expect("cancel", (0, b"cancel: finished\n", ""), sent(socket, "cancel"))
            expect("exit code", 1, process.finish())
            check_partial("cancelled", expected, parse(process, process.output)[0])
            expect("worker left", False, is_alive(worker))
            expect("socket file left", False, os.path.exists(socket))


@case
def pause_in_the_middle_of_a_file():
    with scratch() as root:
        trees.endless(root)
        with Process(root, "--json") as process:
            socket, worker = process.socket(), process.worker()
            expect("pause", (0, b"pause: finished\n", ""), sent(socket, "pause"))
            poll("the worker stops reading", lambda: is_idle(worker), 20)
            expect("resume", (0, b"resume: finished\n", ""), sent(socket, "resume"))
            before = read_bytes(worker)
            poll("the worker reads again", lambda: read_bytes(worker) > before + (64 << 20), 20)
            expect("cancel", (0, b"cancel: finished\n", ""), sent(socket, "cancel"))
            expect("exit code", 1, process.finish())


@case
def a_crash_while_paused():
    with scratch() as root:
        trees.endless(root)
        with Process(root, "--json") as process:
            socket, worker = process.socket(), process.worker()
            poll("the worker reads the long files", lambda: read_bytes(worker) > 64 << 20)
            expect("pause", (0, b"pause: finished\n", ""), sent(socket, "pause"))
            poll("the worker stops reading", lambda: is_idle(worker), 20)
            # The files that the worker had claimed are counted alone, but only after counting is resumed.
            kill(worker, signal.SIGABRT)
            worker = process.worker(2)
            with Process("attach", socket) as client:
                client.wait_error(rf"{phase_line('paused')}(?s:.*)worker {worker} serving")
            expect("the next one reads nothing", True, is_idle(worker))
            expect("resume", (0, b"resume: finished\n", ""), sent(socket, "resume"))
            poll("the next one reads", lambda: read_bytes(worker) > 64 << 20, 20)
            expect("cancel", (0, b"cancel: finished\n", ""), sent(socket, "cancel"))
            expect("exit code", 1, process.finish())


def read_bytes(pid):
    """How much a process has read so far."""
    with open(f"/proc/{pid}/io", encoding="ascii") as file:
        return int(re.search(r"rchar: (\d+)", file.read())[1])


def is_idle(pid):
    """Whether a process reads next to nothing for a while; messages are reads too."""
    before = read_bytes(pid)
    time.sleep(0.3)
    return read_bytes(pid) - before < 1 << 20


def check_partial(what, expected, got):
    """Part of the files, each with the right numbers, and totals that agree with them."""
    right = {file["path"]: file for file in expected["files"]}
    for file in got["files"]:
        expect(f"{what}: {file['path']}", right.get(file["path"]), file)
    expect(f"{what}: total", len(got["files"]), got["total"]["files"])
    expect(f"{what}: bytes", sum(file["bytes"] for file in got["files"]), got["total"]["bytes"])


@case
def ended_by_a_signal():
    """A signal ends the program in order, and the report has the files that were counted so far (F31)."""
    with scratch() as root:
        trees.endless(root)
        expected = count.report(root, except_for=(b"zz1.dat", b"zz2.dat"))
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            for is_paused in (True, False):
                what = f"{number.name}{' while paused' if is_paused else ''}"
                with Process(root, "--json") as process:
                    socket, worker = process.socket(), process.worker()
                    if is_paused:
                        sent(socket, "pause")
                    process.process.send_signal(number)
                    expect(f"{what}: exit code, with {process.errors!r}", code, process.finish(20))
                    expect(f"{what}: worker left", False, is_alive(worker))
                    expect(f"{what}: socket file left", False, os.path.exists(socket))
                    check_partial(what, expected, parse(process, process.output)[0])


@case
def ended_by_a_signal_with_a_stopped_worker():
    """A stopped worker does not delay the end of the program (F17, F31)."""
    with scratch() as root:
        trees.endless(root)
        with Process(root, "--json") as process:
            socket, worker = process.socket(), process.worker()
            stop(worker)
            process.process.send_signal(signal.SIGTERM)
            expect(f"exit code, with {process.errors!r}", 143, process.finish(20))
            expect("worker left", False, is_alive(worker))
            expect("socket file left", False, os.path.exists(socket))
            parse(process, process.output)


@case
def coordinator_killed():
    """When the coordinator is killed, no process or file of it is left (F24)."""
    with scratch() as root:
        trees.endless(root)
        for _ in range(5):
            with Process(root) as process:
                socket, worker = process.socket(), process.worker()
                with Process("attach", socket) as client:
                    client.wait_error(SERVING_ANY)
                    kill(process.pid)
                    began = time.monotonic()
                    poll("the worker is gone after its coordinator", lambda: not is_alive(worker), 5)
                    taken = time.monotonic() - began
                    if taken > 1:
                        raise Failure(f"worker gone\n    expected: within 1 s\n    got:      after {taken:.2f} s")


@case
def coordinator_killed_while_it_starts():
    """A coordinator that is killed at any moment of its start leaves no worker behind (F25)."""
    print(f"    SEED={SEED}")
    generator = random.Random(SEED)
    with scratch() as root:
        trees.endless(root)
        met = 0
        for number in range(40):
            mark = f"{os.getpid()}-{number}"
            moment = generator.random() * 0.3
            with Process(root, environment={"TALLY_TEST_MARK": mark}) as process:
                wait_for_moment(process, moment)
                kill(process.pid)
                process.process.wait()
                met += bool(marked(mark))
                poll(f"kill {number} after {moment:.3f} s: nothing of it is left", lambda: not marked(mark), 10)
        print(f"    {met} of 40 kills met a worker")
        expect("some kills met a worker", True, met > 0)


def marked(mark):
    """The processes that were started, by whomever, with the mark in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if b"TALLY_TEST_MARK=" + mark.encode() + b"\0" in file.read() and is_alive(pid):
                    found.append(pid)
        except OSError:
            continue
    return found
