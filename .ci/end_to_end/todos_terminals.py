"""Two terminals that share a list."""

import re

from harness import case, expect, poll, scratch
from todos_screen import Terminal, pair


@case
def one_list():
    with scratch() as folder, Terminal(folder) as first:
        first.wait(heading="todos: 0 open, 0 done")
        expect("hint", "  nothing to do; press a to add something", first.lines[1])
        with Terminal(folder) as second:
            second.wait(heading="todos: 0 open, 0 done")
            first.add("milk")
            for terminal in (first, second):
                terminal.wait("> [ ] milk", heading="todos: 1 open, 0 done")
            second.add("bread")
            for terminal in (first, second):
                terminal.wait("> [ ] milk", "  [ ] bread", heading="todos: 2 open, 0 done")
            first.press(" ")
            for terminal in (first, second):
                terminal.wait("> [x] milk", "  [ ] bread", heading="todos: 1 open, 1 done")
            second.press("jd")
            for terminal in (first, second):
                terminal.wait("> [x] milk", heading="todos: 0 open, 1 done")
            second.add("tea")
            first.wait("> [x] milk", "  [ ] tea")
            first.press("c")
            for terminal in (first, second):
                terminal.wait("> [ ] tea", heading="todos: 1 open, 0 done")
            # Commands that were sent before q still arrive.
            second.press(" q")
            expect("second: exit code", 0, second.finish())
            first.wait("> [x] tea")
        first.press("q")
        expect("first: exit code", 0, first.finish())


@case
def cursor_is_local():
    with scratch() as folder, pair(folder) as (first, second):
        for title in ("one", "two", "three"):
            first.add(title)
        second.wait("> [ ] one", "  [ ] two", "  [ ] three")
        for keys, shown in (
            ("j", ("  [ ] one", "> [ ] two", "  [ ] three")),
            ("\x1b[B", ("  [ ] one", "  [ ] two", "> [ ] three")),
            ("j", ("  [ ] one", "  [ ] two", "> [ ] three")),
            ("\x1bOA", ("  [ ] one", "> [ ] two", "  [ ] three")),
            ("k", ("> [ ] one", "  [ ] two", "  [ ] three")),
            ("jj ", ("  [ ] one", "  [ ] two", "> [x] three")),
        ):
            first.press(keys)
            first.wait(*shown)
        second.wait("> [ ] one", "  [ ] two", "  [x] three")
        # The cursor stays with its entry when one before it goes.
        second.press("d")
        second.wait("> [ ] two", "  [x] three")
        first.wait("  [ ] two", "> [x] three")


@case
def typing_a_title():
    with scratch() as folder, Terminal(folder, columns=40) as terminal:
        terminal.wait()
        terminal.press("aqd c")
        terminal.wait_bottom("add: qd c_")
        # Half a character, then the rest; a key without a meaning.
        terminal.press("\x7f\x7f\x7f\x1b[15~")
        terminal.wait_bottom("add: q_")
        terminal.press("é牛🥛")
        terminal.wait_bottom("add: qé牛🥛_")
        terminal.press("\x7f\r")
        terminal.wait("> [ ] qé牛")
        terminal.press("adropped")
        terminal.wait_bottom("add: dropped_")
        terminal.press("\x1b")
        terminal.wait_bottom("j/k")
        terminal.press("a  \r")
        terminal.press("alast\r")
        terminal.wait("> [ ] qé牛", "  [ ] last")
        terminal.press("\x03")
        expect("Control-C: exit code", 0, terminal.finish())


@case
def drawn_only_when_changed():
    with scratch() as folder, pair(folder) as (first, second):
        first.add("one")
        first.wait("> [ ] one")
        second.wait("> [ ] one")
        before = first.drawings, second.drawings
        for key in "zkjx\x1b[C":
            first.press(key)
        first.press("a")
        first.wait_bottom("add: _")
        first.press("\x1b")
        first.wait_bottom("j/k")
        first.press(" ")
        first.wait("> [x] one")
        second.wait("> [x] one")
        expect("drawings: a title begun, dropped, and a change", before[0] + 3, first.drawings)
        expect("drawings of the other: the change", before[1] + 1, second.drawings)
        expect("colours", None, re.search(r"\x1b\[[0-9;]*m", first.text))


@case
def fits_the_terminal():
    with scratch() as folder, Terminal(folder, columns=80, rows=6) as terminal:
        terminal.wait()
        for number in range(8):
            terminal.add(f"entry {number} " + "x" * 40)
        tail = " " + "x" * 40
        terminal.wait("> [ ] entry 0" + tail, *(f"  [ ] entry {number}{tail}" for number in range(1, 4)))
        terminal.press("k" + "j" * 7)
        terminal.wait(*(f"  [ ] entry {number}{tail}" for number in range(4, 7)), "> [ ] entry 7" + tail)
        terminal.resize(12, 4)
        terminal.wait("  [ ] entry…", "> [ ] entry…")
        expect("lines", 4, len(terminal.lines))
        expect("too wide", [], [line for line in terminal.lines if len(line) > 12])
        terminal.resize(80, 24)
        poll("all of them", lambda: len(terminal.lines) == 10, 30)
