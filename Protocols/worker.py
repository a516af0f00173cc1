#!/usr/bin/env python3
"""A worker in Python, written from lattice-wire-v1.md.

It serves the feature `ledger`. Its actions are those of the Swift type

    enum Action: Codable { case add(Int), addLater(Int), fail(String), grow(Int) }

Its state is `{"names": [String], "padding": String, "sum": Int}`: the name of each event that was applied, text of a
length that `grow` sets, and the sum of all numbers that were added. A coordinator starts this program like any worker.
Tests/EndToEndTests/PythonWorkerTests.swift does so.
"""

import hashlib
import json
import math
import os
import pathlib
import selectors
import socket
import sys
import time
import urllib.parse

import cbor2

import check
import patches
import values

FEATURE = "ledger"
ACTIONS = {"add": {"_0": int}, "addLater": {"_0": int}, "fail": {"_0": str}, "grow": {"_0": int}}
STATE = {"names": [str], "padding": str, "sum": int}
LATER = 0.05
# Section 16 of the text.
MAXIMUM_CANCELS, MAXIMUM_RUNNING, MAXIMUM_CHANNELS = 65536, 65536, 4096
# Bytes. Larger payloads are sent in parts.
MAXIMUM_WHOLE = 1 << 20


def clock():
    """Returns the seconds of a clock that continues while the machine sleeps, if the system has such a clock.

    Deadlines continue in that time too.
    """
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class Unsendable(Exception):
    """The error of a state that cannot be sent."""


def own_build():
    """Returns the name of this build: a hash of the source text, so that another text has another name."""
    texts = [pathlib.Path(module.__file__).read_bytes() for module in (sys.modules[__name__], check, patches, values)]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()


class Connection:
    """Sends and receives whole messages over a socket.

    `other` is the side at the other end: "initiator" or "acceptor".
    """

    def __init__(self, descriptor, other):
        self.socket = socket.socket(fileno=descriptor)
        self.incoming = bytearray()
        self.frames = check.FrameReader()
        self.assembler = check.Assembler(other)
        # The other side is trusted, so it may send payloads of any size that a message can name.
        self.parts = check.PartReceiver(maximum=0xFFFFFFFF)
        # By channel: the payload that waits for credit, followed by the messages that wait behind it.
        # By channel: the credit that is left, in bytes.
        self.waiting, self.credit = {}, {}

    def send(self, kind, view, channel=0):
        if channel in self.waiting and kind in check.DATA_LANE:
            return self.waiting[channel].append((kind, view))
        _, field = check.PAYLOADS.get(kind, (None, None))
        payload = bytes.fromhex(view.get(field, ""))
        if len(payload) <= MAXIMUM_WHOLE:
            return self.write(kind, view, channel)
        self.write(kind, {**view, field: "", "length": len(payload)}, channel)
        self.waiting[channel], self.credit[channel] = [payload], check.FIRST_PARTS
        self.send_parts(channel)

    def send_parts(self, channel):
        """Sends parts as far as there is credit, and after the last part the messages that wait behind it."""
        payload = self.waiting[channel][0]
        while payload and self.credit[channel]:
            size = min(len(payload), self.credit[channel], check.MAXIMUM_PART)
            self.write("part", {"bytes": payload[:size].hex()}, channel)
            payload = payload[size:]
            self.credit[channel] -= size
        self.waiting[channel][0] = payload
        if not payload:
            behind = self.waiting.pop(channel)[1:]
            for kind, view in behind:
                self.send(kind, view, channel)

    def take_credit(self, channel, count):
        if channel in self.waiting:
            self.credit[channel] += count
            self.send_parts(channel)

    def write(self, kind, view, channel):
        body = check.write_body(kind, view)
        while len(body) > check.MAXIMUM_BODY:
            self.socket.sendall(check.write_frame(check.NUMBERS[kind], channel, body[:check.MAXIMUM_BODY], more=True))
            body = body[check.MAXIMUM_BODY:]
        self.socket.sendall(check.write_frame(check.NUMBERS[kind], channel, body))

    def receive(self):
        """Returns the messages that have arrived, as (kind, channel, view), or None if the connection is closed."""
        data = self.socket.recv(1 << 18)
        if not data:
            return None
        self.incoming += data
        messages, start = [], 0
        while (found := self.frames.read(self.incoming, start)) is not None:
            (kind, flags, channel, body), start = found
            # The kind is None for a skippable frame of a later version.
            if kind is not None and (whole := self.assembler.receive(kind, flags, channel, body)) is not None:
                if (message := self.whole(kind, channel, whole)) is not None:
                    messages.append(message)
        del self.incoming[:start]
        return messages


    def whole(self, kind, channel, body):
        """Returns a message as (kind, channel, view) with its payload.

        Returns None while parts of the payload are missing, and for *credit*.
        """
        if (found := self.parts.receive(kind, channel, body)) is None:
            for number, count in self.parts.credits():
                self.write("credit", {"bytes": count}, number)
            return None
        kind, parts = found
        view = check.read_body(kind, body) if parts is None else parts[0]
        if kind == "credit":
            return self.take_credit(channel, view["bytes"])
        if parts is not None:
            del view["length"]
            view[check.PAYLOADS[kind][1]] = parts[1].hex()
            # Now there may be room for the next payload.
            for number, count in self.parts.credits():
                self.write("credit", {"bytes": count}, number)
        return kind, channel, view


class Effects:
    """The effects of one channel, each of which adds a number some time after its event, and the cancels of events.

    A subclass has `complete(number, outcome)`, `add_sum(number, value)`, and `applied`, the highest event that it took in.
    """

    def __init__(self):
        # The effects that run, by event number: when the effect ends, the number that it adds then, and its deadline.
        self.running = {}
        # The outcomes of events whose cancel arrived first, by the number of the event.
        self.cancelled = {}

    def due(self):
        """Returns when the next effect ends, or None."""
        return min((min(due, deadline) for due, _, deadline in self.running.values()), default=None)

    def finish_due(self, now):
        for number, (due, value, deadline) in list(self.running.items()):
            if deadline <= min(due, now):
                self.cancel(number, [3])
            elif due <= now:
                del self.running[number]
                self.add_sum(number, value)

    def cancel(self, number, canceller, reason=""):
        # Whatever is cancelled here was applied, or will be.
        outcome = [2, canceller, 2, reason]
        if self.running.pop(number, None) is not None:
            self.complete(number, outcome)
        elif number > self.applied:
            self.cancelled.setdefault(number, outcome)
            if len(self.cancelled) > MAXIMUM_CANCELS:
                raise check.Violation("outOfOrder")


class Channel(Effects):
    """One opened instance: its state, its events, and the effects that run for them."""

    def __init__(self, worker, number, opened):
        self.worker, self.number, self.opened = worker, number, opened
        self.state = {"names": [], "padding": "", "sum": 0}
        self.revision, self.applied = opened["revision"], opened["resumeAfter"]
        self.maximum = opened.get("maximumState", check.MAXIMUM_STATE)
        self.takes_patches = opened.get("patches") == 1
        self.origins = {}
        super().__init__()
        if "state" in opened:
            self.state = check.read_payload(STATE, bytes.fromhex(opened["state"]))
            # The opener has that state, so *opened* has an empty payload.
            payload = b""
        else:
            self.revision += 1
            payload = self.encoded(self.state)
        self.send("opened", {"revision": self.revision, "applied": self.applied, "state": payload.hex()})

    def send(self, kind, view):
        self.worker.connection.send(kind, view, self.number)

    def encoded(self, state):
        if not -(1 << 63) <= state["sum"] < 1 << 63:
            raise Unsendable(f"the sum {state['sum']} does not fit into 64 bits")
        payload = cbor2.dumps(state, canonical=True)
        if len(payload) > self.maximum:
            raise Unsendable(f"the state has {len(payload)} bytes, and the opener accepts at most {self.maximum}")
        return payload

    def name(self, event):
        sender, channel, number = self.worker.store_id, self.number, event["event"]
        if "origin" in event:
            if event["origin"]["index"] not in self.origins:
                raise check.Violation("badField")
            sender, channel = self.origins[event["origin"]["index"]]
            number = event["origin"]["number"]
        parts = [self.opened["feature"]] + ([self.opened["instance"]] if self.opened["instance"] else [])
        return "/".join([urllib.parse.quote(part, safe="~") for part in parts] + [sender, str(channel), str(number)])

    def receive(self, event):
        number = event["event"]
        if number <= self.applied:
            return
        name = self.name(event)
        self.applied = number
        if self.worker.drain_until is not None:
            return self.reject(number, 4, "the worker is draining and accepts no new events")
        if len(self.running) == MAXIMUM_RUNNING:
            return self.reject(number, 1, f"{MAXIMUM_RUNNING} events are running, which is the limit")
        left = event.get("context", {}).get("leftMilliseconds", math.inf)
        if left == 0:
            return self.reject(number, 5, "the deadline passed before the event was applied")
        try:
            action, values = check.read_case(ACTIONS, bytes.fromhex(event["action"]))
        except check.Violation as error:
            return self.reject(number, 3, f"the action cannot be decoded by the worker: {error!r}")
        change = {"add": self.add, "addLater": self.add_later, "fail": self.fail, "grow": self.grow}[action]
        change(number, name, values["_0"])
        if number in self.running:
            self.running[number] = (*self.running[number][:2], clock() + left / 1000)

    def reject(self, number, code, reason):
        self.cancelled.pop(number, None)
        self.acknowledge()
        self.complete(number, [3, code, reason])

    def acknowledge(self):
        self.send("acknowledgement", {"applied": self.applied, "revision": self.revision})

    def change(self, number, **changes):
        """Applies changes to the state and sends it. Returns whether that was possible.

        If the new state cannot be sent, the channel keeps the old one and the event ends *failed*.
        """
        state = {**self.state, **changes}
        try:
            payload = self.encoded(state)
        except Unsendable as error:
            self.cancelled.pop(number, None)
            self.acknowledge()
            self.complete(number, [1, "Unsendable", f"{error}, so the state before it was kept"])
            return False
        changed = patches.write(patches.between(self.state, state))
        self.state = state
        self.revision += 1
        if self.takes_patches and len(changed) < len(payload):
            self.send("patch", {
                "base": self.revision - 1, "revision": self.revision, "applied": self.applied,
                "changes": changed.hex()})
        else:
            self.send_state(payload)
        return True

    def send_state(self, payload):
        self.send("state", {"revision": self.revision, "applied": self.applied, "state": payload.hex()})

    def complete(self, number, outcome):
        self.send("completion", {"event": number, "revision": self.revision, "outcome": outcome})

    def add(self, number, name, value):
        if self.change(number, names=self.state["names"] + [name], sum=self.state["sum"] + value):
            self.complete(number, [0])

    def add_later(self, number, name, value):
        if not self.change(number, names=self.state["names"] + [name]):
            return
        if number in self.cancelled:
            return self.complete(number, self.cancelled.pop(number))
        self.running[number] = (clock() + LATER, value, math.inf)

    def fail(self, number, name, message):
        if self.change(number, names=self.state["names"] + [name]):
            self.complete(number, [1, "Failure", message])

    def grow(self, number, name, count):
        # Limited to one byte more than may be sent, which is enough to find that the state is too large.
        padding = self.state["padding"] + "x" * min(count, self.maximum + 1)
        if self.change(number, names=self.state["names"] + [name], padding=padding):
            self.complete(number, [0])

    def add_sum(self, number, value):
        if self.change(number, sum=self.state["sum"] + value):
            self.complete(number, [0])

    def cancel_all(self):
        for number in list(self.running):
            self.cancel(number, [4])


class Worker:
    def __init__(self, incarnation, token, descriptor):
        self.connection = Connection(descriptor, "acceptor")
        self.store_id = None
        self.channels = {}
        self.drain_until = None
        self.connection.send("hello", {
            "versions": [1, 1], "role": 1, "incarnation": incarnation, "token": token, "identity": "",
            "processID": os.getpid(), "features": [{"identifier": FEATURE, "schema": 1, "level": 1}],
            "build": own_build()})

    def run(self):
        selector = selectors.DefaultSelector()
        selector.register(self.connection.socket, selectors.EVENT_READ)
        while True:
            if selector.select(self.wait()):
                messages = self.connection.receive()
                if messages is None:
                    return 0
                for kind, channel, view in messages:
                    if not self.receive(kind, channel, view):
                        return 0
            now = clock()
            for channel in self.channels.values():
                channel.finish_due(now)
            self.go_on_draining(now)

    def wait(self):
        due = [due for channel in self.channels.values() if (due := channel.due()) is not None]
        if self.drain_until is not None:
            due.append(self.drain_until)
        return max(0, min(due) - clock()) if due else None

    def receive(self, kind, number, view):
        """Handles a message. Returns whether the worker continues."""
        if self.store_id is None:
            if kind != "welcome":
                print(f"worker.py: the coordinator refused this worker: {json.dumps(view)}", file=sys.stderr)
                return False
            self.store_id = view["storeID"]
        elif kind == "ping":
            self.connection.send("pong", view)
        elif kind == "pong":
            pass  # This worker sends no pings, so the pong is an unasked one.
        elif kind == "drain":
            self.drain_until = clock() + view["timeoutMilliseconds"] / 1000
        elif kind == "goodbye":
            return False
        elif kind == "open":
            self.open(number, view)
        elif number in self.channels:
            self.receive_on(self.channels[number], kind, view)
        elif kind == "close":
            self.connection.send("closed", {"code": 0, "reason": ""}, number)
        elif number == 0 or number > self.connection.assembler.opened.highest:
            raise check.Violation("outOfOrder")
        # Otherwise the channel was closed or refused while the message was under way, and the message is dropped.
        return True

    def receive_on(self, channel, kind, view):
        if kind == "event":
            channel.receive(view)
        elif kind == "origin":
            channel.origins[view["index"]] = (view["sender"], view["channel"])
        elif kind == "cancel":
            channel.cancel(view["event"], view.get("canceller", [0]), view.get("reason", ""))
        elif kind == "resync":
            channel.send_state(channel.encoded(channel.state))
        elif kind == "close":
            channel.cancel_all()
            del self.channels[channel.number]
            channel.send("closed", {"code": 0, "reason": ""})
        else:
            raise check.Violation("outOfOrder")

    def open(self, number, view):
        if view["feature"] != FEATURE:
            code, reason = 1, f"the worker has no feature \"{view['feature']}\"; it has: {FEATURE}"
        elif view["schema"] != 1:
            code, reason = 2, f"the worker has schema 1 of \"{FEATURE}\", the coordinator {view['schema']}"
        elif len(self.channels) == MAXIMUM_CHANNELS:
            code, reason = 4, f"the worker has {MAXIMUM_CHANNELS} channels, which is the limit"
        else:
            try:
                self.channels[number] = Channel(self, number, view)
                return
            except check.Violation as error:
                code, reason = 3, f"the state to restore cannot be decoded by the worker: {error!r}"
            except Unsendable as error:
                code, reason = 3, str(error)
        self.connection.send("openRefused", {"code": code, "reason": reason}, number)

    def go_on_draining(self, now):
        if self.drain_until is None:
            return
        if now >= self.drain_until:
            for channel in self.channels.values():
                channel.cancel_all()
        if not any(channel.running for channel in self.channels.values()):
            self.connection.send("drained", {})
            # A drain is answered once. Events that arrive after it are still rejected.
            self.drain_until = float("inf")
            self.go_on_draining = lambda now: None
            self.wait = lambda: None


def main():
    launch = os.environ.pop("LATTICE_WORKER", None)
    if launch is None:
        print("worker.py is a worker. Start it by a coordinator, with its path as workerExecutable.", file=sys.stderr)
        return 2
    incarnation, token = launch.split(":")
    descriptor = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    try:
        return serve(Worker(int(incarnation), token, descriptor))
    except (BrokenPipeError, ConnectionResetError):
        # The coordinator has ended.
        return 0


def serve(worker):
    try:
        return worker.run()
    except check.Violation as error:
        worker.connection.send("goodbye", {"code": 1, "reason": f"worker.py: {error!r}"})
        return 1


if __name__ == "__main__":
    sys.exit(main())
