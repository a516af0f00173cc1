#!/usr/bin/env python3
"""Checks worker.py from the coordinator's end of its socket.

It prints "N passed, N failed", and exits with code 1 if any check failed.
"""

import os
import pathlib
import socket
import subprocess
import sys

import cbor2

import check
import patches
import worker

LIMIT = 20


class Coordinator:
    """A coordinator that starts worker.py and sends it *welcome*. Leaving the context ends the worker."""

    def __enter__(self):
        ours, theirs = socket.socketpair()
        program = pathlib.Path(__file__).resolve().parent / "worker.py"
        self.process = subprocess.Popen(
            [sys.executable, str(program)], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "LATTICE_WORKER": "1:00"})
        theirs.close()
        ours.settimeout(LIMIT)
        self.connection = worker.Connection(ours.detach(), "initiator")
        self.connection.socket.settimeout(LIMIT)
        self.messages = []
        kind, _, hello = self.next()
        assert kind == "hello" and hello["incarnation"] == 1, kind
        self.send("welcome", 0, version=1, role=2, coordinatorID=1, processID=1, features=[], storeID="22" * 16)
        return self

    def __exit__(self, *_):
        self.connection.socket.close()
        self.process.kill()
        self.process.communicate()

    def send(self, kind, channel, **view):
        self.connection.send(kind, view, channel)

    def open(self, channel, **view):
        self.send("open", channel, **{
            "feature": worker.FEATURE, "schema": 1, "instance": "", "revision": 0, "resumeAfter": 0, **view})

    def event(self, channel, number, action, **view):
        self.send("event", channel, event=number, action=action, **view)

    def next(self):
        """Returns the next message, as (kind, channel, view)."""
        while not self.messages:
            self.messages = self.connection.receive()
            assert self.messages is not None, "the worker closed the connection: " + self.process.communicate()[1]
        return self.messages.pop(0)

    def outcome(self, number):
        """Returns the outcome of an event, and the last state before it."""
        state = None
        while True:
            kind, _, view = self.next()
            if kind == "state":
                state = cbor2.loads(bytes.fromhex(view["state"]))
            elif kind == "completion" and view["event"] == number:
                return view["outcome"], state

    def expect(self, *kinds):
        """Receives messages of these kinds in this order, and returns their views."""
        views = []
        for expected in kinds:
            kind, _, view = self.next()
            assert kind == expected, f"{kind} instead of {expected}: {view}"
            views.append(view)
        return views

    def end(self):
        """Waits until the worker ends. Returns its exit code and its standard error."""
        return self.process.wait(LIMIT), self.process.communicate(timeout=LIMIT)[1]


def case(name, value):
    return cbor2.dumps({name: {"_0": value}}, canonical=True).hex()


UNDECODABLE_STATES = {
    "of another type": cbor2.dumps({"names": [], "padding": 1, "sum": 0}),
    "without a field": cbor2.dumps({"names": [], "padding": ""}),
    "with a number that is too large": cbor2.dumps({"names": [], "padding": "", "sum": 1 << 63}),
    "of indefinite length": bytes.fromhex("bf656e616d6573806770616464696e67606373756d00ff"),
    "with bytes behind it": cbor2.dumps({"names": [], "padding": "", "sum": 0}) + b"\0",
    "that ends early": b"\xa3",
}
UNDECODABLE_ACTIONS = {
    "with a value of another type": case("add", "x"),
    "with a number that is too large": case("add", 1 << 63),
    "of no case": case("x" * 3000, 1),
    "without a value": cbor2.dumps({"add": {}}).hex(),
    "of two cases": cbor2.dumps({"add": {"_0": 1}, "grow": {"_0": 1}}).hex(),
    "that is an array": "80",
    "of indefinite length": "bf63616464a1625f3001ff",
    "with bytes behind it": case("add", 1) + "00",
    "that ends early": "a1",
    "that is empty": "",
}


def refuses_states_that_it_cannot_decode():
    with Coordinator() as coordinator:
        for number, (name, state) in enumerate(UNDECODABLE_STATES.items(), 1):
            coordinator.open(2 * number, state=state.hex())
            (refused,) = coordinator.expect("openRefused")
            assert refused["code"] == 3, f"{name}: {refused}"
        coordinator.open(100)
        coordinator.expect("opened")


def rejects_actions_that_it_cannot_decode():
    with Coordinator() as coordinator:
        coordinator.open(2)
        for number, (name, action) in enumerate(UNDECODABLE_ACTIONS.items(), 1):
            coordinator.event(2, number, action)
            outcome, state = coordinator.outcome(number)
            assert outcome[:2] == [3, 3] and state is None, f"{name}: {outcome}, {state}"
        coordinator.event(2, 100, case("add", 7))
        outcome, state = coordinator.outcome(100)
        assert outcome == [0] and state["sum"] == 7, (outcome, state)


def keeps_deadlines():
    with Coordinator() as coordinator:
        coordinator.open(2)
        coordinator.event(2, 1, case("add", 1), context={"leftMilliseconds": 0})
        outcome, state = coordinator.outcome(1)
        assert outcome[:2] == [3, 5] and state is None, (outcome, state)
        coordinator.event(2, 2, case("addLater", 2), context={"leftMilliseconds": 1})
        outcome, state = coordinator.outcome(2)
        assert outcome == [2, [3], 2, ""] and state["sum"] == 0 and len(state["names"]) == 1, (outcome, state)
        coordinator.event(2, 3, case("addLater", 3), context={"leftMilliseconds": (1 << 64) - 1})
        outcome, state = coordinator.outcome(3)
        assert outcome == [0] and state["sum"] == 3, (outcome, state)


def cuts_sentences():
    with Coordinator() as coordinator:
        coordinator.open(2)
        coordinator.event(2, 1, case("fail", "é" * 3000))
        outcome, _ = coordinator.outcome(1)
        assert outcome == [1, "Failure", "é" * 1024], outcome


def keeps_the_state_before_one_that_is_too_large():
    with Coordinator() as coordinator:
        coordinator.open(2, maximumState=200)
        for number, (action, kept) in enumerate([
            (case("grow", 1000), None), (case("grow", 1 << 40), None), (case("add", 1), 1),
            (case("add", (1 << 63) - 1), None), (case("add", 2), 3),
        ], 1):
            coordinator.event(2, number, action)
            outcome, state = coordinator.outcome(number)
            if kept is None:
                assert outcome[:2] == [1, "Unsendable"] and state is None, (outcome, state)
            else:
                assert outcome == [0] and state["sum"] == kept and state["padding"] == "", (outcome, state)


def keeps_the_state_before_one_that_an_effect_makes_too_large():
    with Coordinator() as coordinator:
        coordinator.open(2)
        for number, value in enumerate([(1 << 63) - 1, 1], 1):
            coordinator.event(2, number, case("addLater", value))
            outcome, state = coordinator.outcome(number)
        assert outcome[:2] == [1, "Unsendable"] and state["sum"] == (1 << 63) - 1, (outcome, state)


def sends_patches_to_openers_that_accept_them():
    with Coordinator() as coordinator:
        coordinator.open(2, patches=1)
        (opened,) = coordinator.expect("opened")
        revision, state, kinds = opened["revision"], bytes.fromhex(opened["state"]), []
        for number, action in enumerate([case("grow", 100), case("add", 5), case("add", 0)], 1):
            coordinator.event(2, number, action)
            kind, _, view = coordinator.next()
            kinds.append(kind)
            if kind == "patch":
                assert view["base"] == revision, view
                state = patches.apply(bytes.fromhex(view["changes"]), state)
            else:
                state = bytes.fromhex(view["state"])
            revision = view["revision"]
            (completion,) = coordinator.expect("completion")
            assert view["applied"] == number and completion["revision"] == revision, (view, completion)
        # The first change contains the whole state, so it is not shorter than the state.
        assert kinds == ["state", "patch", "patch"], kinds
        found = cbor2.loads(state)
        assert found["sum"] == 5 and len(found["names"]) == 3 and len(found["padding"]) == 100, found
        coordinator.send("resync", 2, revision=revision)
        (whole,) = coordinator.expect("state")
        assert whole == {"revision": revision, "applied": 3, "state": state.hex()}, whole


def opens_nothing_whose_first_state_is_too_large():
    with Coordinator() as coordinator:
        coordinator.open(2, maximumState=3)
        (refused,) = coordinator.expect("openRefused")
        assert refused["code"] == 3, refused


def ends_the_session_over_too_many_unfinished_messages():
    with Coordinator() as coordinator:
        frame = [
            check.write_frame(check.NUMBERS["open"], channel, b"\xa0", more=True)
            for channel in range(2, 2 * check.MAXIMUM_ASSEMBLIES + 4, 2)]
        coordinator.connection.socket.sendall(b"".join(frame))
        (goodbye,) = coordinator.expect("goodbye")
        assert goodbye["code"] == 1 and "tooLarge" in goodbye["reason"], goodbye


def ends_the_session_over_a_channel_number_of_its_own():
    with Coordinator() as coordinator:
        coordinator.open(3)
        (goodbye,) = coordinator.expect("goodbye")
        assert goodbye["code"] == 1 and "outOfOrder" in goodbye["reason"], goodbye


def takes_and_sends_states_in_parts():
    with Coordinator() as coordinator:
        state = cbor2.dumps({"names": [], "padding": "x" * (3 << 20), "sum": 5}, canonical=True)
        coordinator.open(2, state=state.hex())
        # The state needs credit, which the worker gives.
        (opened,) = coordinator.expect("opened")
        assert opened["state"] == "", "the opener has it"
        coordinator.event(2, 1, case("grow", 1 << 20))
        coordinator.event(2, 2, case("add", 7))
        states, completed = [], []
        while len(states) < 2 or len(completed) < 2:
            kind, _, view = coordinator.next()
            if kind == "state":
                states.append(cbor2.loads(bytes.fromhex(view["state"])))
            else:
                completed.append((view["event"], view["outcome"]))
        assert [len(state["padding"]) for state in states] == [4 << 20, 4 << 20], "not all of it came"
        assert [state["sum"] for state in states] == [5, 12], "not in order"
        assert completed == [(1, [0]), (2, [0])], completed


def ends_the_session_over_parts_that_go_against_the_rules():
    length = {"feature": worker.FEATURE, "schema": 1, "instance": "", "revision": 0, "resumeAfter": 0, "length": 10}
    for messages, code in [
        ([("part", {"bytes": "00"})], "outOfOrder"),
        ([("open", length), ("part", {"bytes": "00" * 11})], "tooLarge"),
        ([("open", length), ("event", {"event": 1, "action": ""})], "outOfOrder"),
    ]:
        with Coordinator() as coordinator:
            for kind, view in messages:
                coordinator.connection.write(kind, view, 2)
            (goodbye,) = coordinator.expect("goodbye")
            assert goodbye["code"] == 1 and code in goodbye["reason"], goodbye


def ends_in_order_when_the_coordinator_closes_the_socket():
    with Coordinator() as coordinator:
        coordinator.open(2)
        coordinator.expect("opened")
        # The worker has unread messages when the socket closes, so its next read or write fails with an error.
        for number in range(1, 50):
            coordinator.event(2, number, case("add", 1))
        coordinator.connection.socket.close()
        found = coordinator.end()
        assert found == (0, ""), found


def ends_in_order_after_goodbye():
    with Coordinator() as coordinator:
        coordinator.send("goodbye", 0, code=0, reason="")
        found = coordinator.end()
        assert found == (0, ""), found


def main():
    checks = [
        refuses_states_that_it_cannot_decode, rejects_actions_that_it_cannot_decode, keeps_deadlines, cuts_sentences,
        keeps_the_state_before_one_that_is_too_large, keeps_the_state_before_one_that_an_effect_makes_too_large,
        sends_patches_to_openers_that_accept_them, opens_nothing_whose_first_state_is_too_large,
        ends_the_session_over_too_many_unfinished_messages,
        ends_the_session_over_a_channel_number_of_its_own,
        takes_and_sends_states_in_parts, ends_the_session_over_parts_that_go_against_the_rules,
        ends_in_order_when_the_coordinator_closes_the_socket, ends_in_order_after_goodbye]
    failed = 0
    for run in checks:
        try:
            run()
        except (AssertionError, OSError, subprocess.TimeoutExpired, check.Violation) as error:
            failed += 1
            print(f"FAILED worker.py {run.__name__.replace('_', ' ')}: {error!r}", file=sys.stderr)
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
