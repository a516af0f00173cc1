#!/usr/bin/env python3
"""A worker in another language: what lattice-wire-v1.md says is enough to write one.

It serves the feature `ledger`, whose actions are those of the Swift type

    enum Action: Codable { case add(Int), addLater(Int), fail(String), grow(Int) }

and whose state is `{"names": [String], "padding": String, "sum": Int}`: the name of each event that was applied, and what
they add up to. A coordinator starts it as it starts any worker; Tests/EndToEndTests/PythonWorkerTests.swift does.
"""

import hashlib
import json
import os
import pathlib
import selectors
import socket
import struct
import sys
import time
import urllib.parse

import cbor2

import check

FEATURE = "ledger"
LATER = 0.05
MAXIMUM_CANCELS = 65536
NUMBERS = {name: number for number, name in check.KINDS.items()}


def own_build():
    """Names what runs here: other text, another name."""
    texts = [pathlib.Path(module.__file__).read_bytes() for module in (sys.modules[__name__], check)]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()


class Connection:
    """Whole messages over the socket."""

    def __init__(self, descriptor):
        self.socket = socket.socket(fileno=descriptor)
        self.incoming = b""
        self.chunks = {}
        self.opened = check.OpenedChannels()
        self.is_first = True

    def send(self, kind, view, channel=0):
        body = check.write_body(kind, view)
        pieces = [body[start:start + check.MAXIMUM_BODY] for start in range(0, len(body), check.MAXIMUM_BODY)]
        for piece in pieces[:-1]:
            self.socket.sendall(struct.pack(">IHBBI", len(piece), NUMBERS[kind], 2, 0, channel) + piece)
        self.socket.sendall(check.write_frame(NUMBERS[kind], channel, pieces[-1]))

    def receive(self):
        """What has arrived, as (kind, channel, view); None when the other side is gone."""
        data = self.socket.recv(1 << 18)
        if not data:
            return None
        self.incoming += data
        messages = []
        while (frame := self.take_frame()) is not None:
            number, flags, channel, body = frame
            kind = check.KINDS.get(number)
            if kind is None:
                # Without the flag the peer needs an answer that this worker does not know.
                if not flags & 1:
                    raise check.Violation("unknownKind")
                continue
            self.is_first = False
            if (number < 16) != (channel == 0) or (flags & 2 and kind not in check.DATA_LANE):
                raise check.Violation("badChannel")
            if kind in check.DATA_LANE:
                if kind == "open" and channel not in self.chunks:
                    self.opened.open(channel)
                begun, joined = self.chunks.pop(channel, (number, b""))
                if begun != number:
                    raise check.Violation("outOfOrder")
                body = joined + body
                if len(body) > check.MAXIMUM_MESSAGE:
                    raise check.Violation("tooLarge")
                if flags & 2:
                    self.chunks[channel] = (number, body)
                    continue
            messages.append((kind, channel, check.read_body(kind, body)))
        return messages

    def take_frame(self):
        if len(self.incoming) < 12:
            return None
        length, number, flags, reserved, channel = struct.unpack_from(">IHBBI", self.incoming)
        if reserved or flags & ~3 or not length:
            raise check.Violation("badFlags")
        if length > (check.MAXIMUM_HANDSHAKE if self.is_first else check.MAXIMUM_BODY):
            raise check.Violation("tooLarge")
        if len(self.incoming) < 12 + length:
            return None
        body, self.incoming = self.incoming[12:12 + length], self.incoming[12 + length:]
        return number, flags, channel, body


class Channel:
    """One opened instance: its state, its events, and what runs for them."""

    def __init__(self, worker, number, opened):
        self.worker, self.number, self.opened = worker, number, opened
        self.state = {"names": [], "padding": "", "sum": 0}
        self.revision, self.applied = opened["revision"], opened["resumeAfter"]
        self.origins = {}
        self.running = {}
        self.cancelled = set()
        if "state" in opened:
            self.state = cbor2.loads(bytes.fromhex(opened["state"]))
            # The opener has that state.
            payload = ""
        else:
            self.revision += 1
            payload = self.payload()
        self.send("opened", {"revision": self.revision, "applied": self.applied, "state": payload})

    def send(self, kind, view):
        self.worker.connection.send(kind, view, self.number)

    def payload(self):
        return cbor2.dumps(self.state, canonical=True).hex()

    def name(self, event):
        sender, channel, number = self.worker.memory, self.number, event["event"]
        if "origin" in event:
            # Missing: a violation, which ends the session.
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
            return self.reject(number, 4, "the worker is finishing and takes nothing new")
        try:
            ((action, values),) = cbor2.loads(bytes.fromhex(event["action"])).items()
            change = {"add": self.add, "addLater": self.add_later, "fail": self.fail, "grow": self.grow}[action]
            change(number, name, values["_0"])
        except (cbor2.CBORDecodeError, KeyError, ValueError, AttributeError) as error:
            self.reject(number, 3, f"the action cannot be decoded by the worker: {error!r}")

    def reject(self, number, code, reason):
        self.cancelled.discard(number)
        self.send("acknowledgement", {"applied": self.applied, "revision": self.revision})
        self.complete(number, [3, code, reason])

    def publish(self, name):
        self.state["names"].append(name)
        self.change()

    def change(self):
        self.revision += 1
        self.send("state", {"revision": self.revision, "applied": self.applied, "state": self.payload()})

    def complete(self, number, outcome):
        self.send("completion", {"event": number, "revision": self.revision, "outcome": outcome})

    def add(self, number, name, value):
        self.state["sum"] += value
        self.publish(name)
        self.complete(number, [0])

    def add_later(self, number, name, value):
        self.publish(name)
        if number in self.cancelled:
            self.cancelled.discard(number)
            return self.complete(number, [2])
        self.running[number] = (time.monotonic() + LATER, value)

    def fail(self, number, name, message):
        self.publish(name)
        self.complete(number, [1, "Failure", message])

    def grow(self, number, name, count):
        self.state["padding"] += "x" * count
        self.publish(name)
        self.complete(number, [0])

    def finish_due(self, now):
        for number, (due, value) in list(self.running.items()):
            if due <= now:
                del self.running[number]
                self.state["sum"] += value
                self.change()
                self.complete(number, [0])

    def cancel(self, number):
        if self.running.pop(number, None) is not None:
            self.complete(number, [2])
        elif number > self.applied:
            self.cancelled.add(number)
            if len(self.cancelled) > MAXIMUM_CANCELS:
                raise check.Violation("outOfOrder")

    def cancel_all(self):
        for number in list(self.running):
            self.cancel(number)


class Worker:
    def __init__(self, incarnation, token, descriptor):
        self.connection = Connection(descriptor)
        self.memory = None
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
            now = time.monotonic()
            for channel in self.channels.values():
                channel.finish_due(now)
            self.go_on_draining(now)

    def wait(self):
        due = [due for channel in self.channels.values() for due, _ in channel.running.values()]
        if self.drain_until is not None:
            due.append(self.drain_until)
        return max(0, min(due) - time.monotonic()) if due else None

    def receive(self, kind, number, view):
        """Answers whether to go on."""
        if self.memory is None:
            if kind != "welcome":
                print(f"not welcome: {json.dumps(view)}", file=sys.stderr)
                return False
            self.memory = view["memory"]
        elif kind == "ping":
            self.connection.send("pong", view)
        elif kind == "pong":
            pass  # This worker asks nothing: it is an unasked one of a coordinator that is held up.
        elif kind == "drain":
            self.drain_until = time.monotonic() + view["timeoutMilliseconds"] / 1000
        elif kind == "goodbye":
            return False
        elif kind == "open":
            self.open(number, view)
        elif number in self.channels:
            self.receive_on(self.channels[number], kind, view)
        elif kind == "close":
            self.connection.send("closed", {"code": 0, "reason": ""}, number)
        elif number == 0 or number > self.connection.opened.highest:
            raise check.Violation("outOfOrder")
        # Otherwise the channel was closed or refused while the message was on its way.
        return True

    def receive_on(self, channel, kind, view):
        if kind == "event":
            channel.receive(view)
        elif kind == "origin":
            channel.origins[view["index"]] = (view["sender"], view["channel"])
        elif kind == "cancel":
            channel.cancel(view["event"])
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
        else:
            self.channels[number] = Channel(self, number, view)
            return
        self.connection.send("openRefused", {"code": code, "reason": reason}, number)

    def go_on_draining(self, now):
        if self.drain_until is None:
            return
        if now >= self.drain_until:
            for channel in self.channels.values():
                channel.cancel_all()
        if not any(channel.running for channel in self.channels.values()):
            self.connection.send("drained", {})
            # Answered once; what comes now is rejected all the same.
            self.drain_until = float("inf")
            self.go_on_draining = lambda now: None
            self.wait = lambda: None


def main():
    launch = os.environ.pop("LATTICE_WORKER", None)
    if launch is None:
        print("worker.py is started by a coordinator, as its workerExecutable", file=sys.stderr)
        return 2
    incarnation, token = launch.split(":")
    descriptor = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    worker = Worker(int(incarnation), token, descriptor)
    try:
        return worker.run()
    except (check.Violation, KeyError) as error:
        worker.connection.send("goodbye", {"code": 1, "reason": f"worker.py: {error!r}"})
        return 1


if __name__ == "__main__":
    sys.exit(main())
