"""What survives whose end, and how a terminal is left."""

import os
import signal

from harness import case, expect, is_alive, poll, scratch
from todos_screen import Terminal, pair, worker


@case
def coordinator_quits():
    with scratch() as folder, Terminal(folder) as first:
        first.add("milk")
        with Terminal(folder) as second, Terminal(folder) as third:
            second.wait("> [ ] milk")
            third.wait("> [ ] milk")
            third.press("a")
            third.wait_bottom("add: _")
            process = worker(first)
            first.press("q")
            expect("exit code", 0, first.finish())
            for terminal in (second, third):
                expect("client: exit code", 0, terminal.finish())
                poll(
                    "it says so", lambda: terminal.said == "todos: the terminal that kept the list has quit\r\n", 10
                )
            poll("the worker is gone", lambda: not is_alive(process), 5)
            expect("socket left", False, os.path.exists(folder + "/todos.sock"))


@case
def coordinator_killed():
    """When the coordinator is killed, its worker ends and its clients report that (F24)."""
    with scratch() as folder, Terminal(folder) as first:
        first.add("milk")
        with Terminal(folder) as second:
            second.wait("> [ ] milk")
            os.kill(first.pid, signal.SIGKILL)
            first.process.wait()
            expect("client: exit code", 0, second.finish())
        # The socket file that is left does not prevent a new start.
        with Terminal(folder) as next_one:
            next_one.wait(heading="todos: 0 open, 0 done")


@case
def client_killed():
    """A client that is killed while its event is in flight affects no other client (F56)."""
    with scratch() as folder, Terminal(folder) as first:
        first.add("milk")
        process = worker(first)
        with Terminal(folder) as second:
            for _ in range(3):
                with Terminal(folder) as killed:
                    killed.wait("> [ ] milk")
                    killed.press("ahalf a title")
                    killed.wait_bottom("add: half a title_")
                    os.kill(killed.pid, signal.SIGKILL)
                    killed.process.wait()
                second.press(" ")
                first.wait("> [x] milk")
                first.press(" ")
                second.wait("> [ ] milk")
        expect("the same worker", process, worker(first))
        first.press("q")
        expect("exit code", 0, first.finish())


@case
def worker_killed():
    """Clients see that a worker was killed and restarted (F1)."""
    with scratch() as folder, pair(folder) as (first, second):
        first.add("milk")
        second.add("bread")
        process = None
        for number in range(3):
            process = worker(first, other_than=process)
            os.kill(process, signal.SIGKILL)
            second.press(" ")
            mark = "x" if number % 2 == 0 else " "
            for terminal in (first, second):
                terminal.wait(f"> [{mark}] milk", "  [ ] bread")
        first.add("tea")
        second.wait("> [x] milk", "  [ ] bread", "  [ ] tea")
        # Identifiers go on where they were: this one is the third entry and no other.
        second.press("jjd")
        first.wait("> [x] milk", "  [ ] bread")


@case
def ended_by_a_signal():
    """A signal ends a program in order and in time (F31)."""
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
        with scratch() as folder, pair(folder) as (first, second):
            process = worker(first)
            second.press("a")
            second.wait_bottom("add: _")
            second.process.send_signal(number)
            expect(f"client, {number.name}: exit code", code, second.finish())
            first.add("still here")
            first.wait("> [ ] still here")
            first.process.send_signal(number)
            expect(f"coordinator, {number.name}: exit code", code, first.finish())
            expect("nothing said", "", first.said)
            poll("the worker is gone", lambda: not is_alive(process), 5)
            expect("socket left", False, os.path.exists(folder + "/todos.sock"))


@case
def started_at_once():
    """Many programs can start and connect at once (F45)."""
    for _ in range(5):
        with scratch() as folder:
            terminals = [Terminal(folder) for _ in range(3)]
            try:
                for terminal in terminals:
                    terminal.wait(heading="todos: 0 open, 0 done")
                terminals[0].add("milk")
                for terminal in terminals:
                    terminal.wait("> [ ] milk")
            finally:
                for terminal in terminals:
                    terminal.end()
