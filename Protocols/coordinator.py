#!/usr/bin/env python3
"""A coordinator in Python, written from lattice-wire-v1.md.

    coordinator.py SOCKET

It serves the feature `ledger` to clients at view level, without a worker, and describes itself to tools. The actions are
`add` and `addLater` with a number, and `fail` with a message. The state is `{"names": [String], "sum": Int}`. It keeps
nothing for a client that is away, waits for clients that read slowly, and knows no subscriptions. It ends when its
standard input does.
Tests/EndToEndTests/PythonCoordinatorTests.swift looks into it with `latticectl`.
"""

import contextlib
import fcntl
import os
import selectors
import socket
import sys

import cbor2

import check
import patches
from worker import MAXIMUM_CHANNELS, MAXIMUM_RUNNING, Connection, Effects, clock

FEATURE, INSTANCE, SCHEMA = "ledger", "", 1
ACTIONS = {"add": {"_0": int}, "addLater": {"_0": int}, "fail": {"_0": str}}
LATER = 0.05
CLIENT, TOOL = 3, 4
DEFAULT_ROWS, MAXIMUM_ROWS = 100, 1000


class Ledger:
    """The only instance of the feature: its state, and the channels that show it."""

    def __init__(self):
        self.state = {"names": [], "sum": 0}
        self.revision, self.order, self.channels = 1, 0, []

    def change(self, cause=None, **changes):
        """Changes the state and sends it on all channels. `cause` describes the event that did it, as in *causes*."""
        before, self.state = self.state, {**self.state, **changes}
        self.revision += 1
        changed = patches.write(patches.between(before, self.state))
        for channel in self.channels:
            channel.show(changed, [] if cause is None else [cause])


class Channel(Effects):
    """One channel of a client."""

    def __init__(self, session, number, opened):
        self.session, self.number, self.ledger = session, number, session.coordinator.ledger
        self.takes_patches, self.wants_causes = opened.get("patches") == 1, opened.get("causes") == 1
        self.applied = 0
        super().__init__()
        self.send("opened", {"revision": self.ledger.revision, "applied": 0, "state": self.payload()})
        self.send("hostStatus", {
            "kind": 2, "incarnation": 1, "processID": os.getpid(), "attempt": 0, "delayMilliseconds": 0, "reason": "",
            "history": []})

    def send(self, kind, view):
        try:
            self.session.connection.send(kind, view, self.number)
        except (BrokenPipeError, ConnectionResetError):
            pass  # The end of the connection is read later.

    def payload(self):
        return cbor2.dumps(self.ledger.state, canonical=True).hex()

    def show(self, changed, events):
        revision = self.ledger.revision
        if self.wants_causes:
            self.send("causes", {"revision": revision, "events": events, "omitted": 0})
        if self.takes_patches:
            self.send("patch", {
                "base": revision - 1, "revision": revision, "applied": self.applied, "changes": changed.hex()})
        else:
            self.send("state", {"revision": revision, "applied": self.applied, "state": self.payload()})

    def complete(self, number, outcome):
        self.send("completion", {"event": number, "revision": self.ledger.revision, "outcome": outcome})

    def name(self, number):
        return f"{FEATURE}/{self.session.identity}/{self.number}/{number}"

    def receive(self, event):
        number, ledger = event["event"], self.ledger
        if number <= self.applied:
            return
        self.applied = number
        cancelled = self.cancelled.pop(number, None)
        left = event.get("context", {}).get("leftMilliseconds")
        if left == 0:
            return self.complete(number, [3, 5, "The deadline passed before the event was applied."])
        if len(self.running) == MAXIMUM_RUNNING:
            return self.complete(number, [3, 1, f"{MAXIMUM_RUNNING} events are running, which is the limit."])
        try:
            action, values = check.read_case(ACTIONS, bytes.fromhex(event["action"]))
        except check.Violation as error:
            return self.complete(number, [3, 3, f"The action cannot be decoded: {error!r}"])
        ledger.order += 1
        cause = {"id": self.name(number), "order": ledger.order, "cause": "sent"}
        names = ledger.state["names"] + [self.name(number)]
        if action == "add":
            ledger.change(cause, names=names, sum=ledger.state["sum"] + values["_0"])
            return self.complete(number, [0])
        ledger.change(cause, names=names)
        if action == "fail":
            return self.complete(number, [1, "Failure", values["_0"]])
        if cancelled is not None:
            return self.complete(number, cancelled)
        now = clock()
        self.running[number] = (now + LATER, values["_0"], float("inf") if left is None else now + left / 1000)

    def add_sum(self, number, value):
        self.ledger.change(sum=self.ledger.state["sum"] + value)
        self.complete(number, [0])


class Session:
    """The connection of a client or a tool."""

    def __init__(self, coordinator, connection):
        self.coordinator, self.connection = coordinator, connection
        self.role, self.identity, self.process, self.channels = None, "", None, {}
        self.since = clock()

    def receive(self, kind, number, view):
        """Handles a message. Returns whether the session continues."""
        if (self.role is None) != (kind == "hello"):
            raise check.Violation("handshake")
        if kind == "hello":
            return self.welcome(view)
        if kind == "ping":
            self.connection.send("pong", view)
        elif kind == "goodbye":
            return False
        elif kind == "describe":
            self.connection.send("description", self.coordinator.describe(view))
        elif kind == "operate":
            self.connection.send("operated", self.coordinator.operate(view, self.role == TOOL))
        elif kind == "open":
            self.open(number, view)
        elif number in self.channels:
            self.receive_on(self.channels[number], kind, view)
        elif kind == "close":
            self.connection.send("closed", {"code": 0, "reason": ""}, number)
        elif kind != "pong" and (number == 0 or number > self.connection.assembler.opened.highest):
            raise check.Violation("outOfOrder")
        return True

    def welcome(self, hello):
        if hello["role"] not in (CLIENT, TOOL):
            self.connection.send("refuse", {
                "code": 3, "reason": "This coordinator starts no workers.", "minimumVersion": 1, "maximumVersion": 1})
            return False
        self.role, self.process = hello["role"], hello["processID"]
        self.identity = hello["identity"] or os.urandom(16).hex()
        self.connection.send("welcome", {
            "version": 1, "role": 2, "coordinatorID": self.coordinator.id, "processID": os.getpid(),
            "features": [{"identifier": FEATURE, "schema": SCHEMA, "level": 2}], "storeID": self.coordinator.store_id})
        return True

    def open(self, number, view):
        refusal = None
        if self.role == TOOL:
            refusal = 9, "A tool opens no features."
        elif view["feature"] != FEATURE or view["instance"] != INSTANCE:
            refusal = 1, f"The coordinator hosts one instance of {FEATURE} and nothing else."
        elif view["schema"] != SCHEMA:
            refusal = 2, f"The coordinator has schema {SCHEMA}."
        elif len(self.channels) == MAXIMUM_CHANNELS:
            refusal = 4, f"The client has {MAXIMUM_CHANNELS} channels, which is the limit."
        if refusal is not None:
            return self.connection.send("openRefused", {"code": refusal[0], "reason": refusal[1]}, number)
        channel = Channel(self, number, view)
        self.channels[number] = channel
        self.coordinator.ledger.channels.append(channel)

    def receive_on(self, channel, kind, view):
        if kind == "event":
            channel.receive(view)
        elif kind == "cancel":
            channel.cancel(view["event"], [1], view.get("reason", ""))
        elif kind == "resync":
            channel.send("state", {
                "revision": channel.ledger.revision, "applied": channel.applied, "state": channel.payload()})
        elif kind == "close":
            self.leave(channel)
            channel.send("closed", {"code": 0, "reason": ""})
        else:
            raise check.Violation("outOfOrder")

    def leave(self, channel):
        del self.channels[channel.number]
        self.coordinator.ledger.channels.remove(channel)

    def end(self):
        for channel in list(self.channels.values()):
            self.leave(channel)
        self.connection.socket.close()


class Coordinator:
    def __init__(self, path):
        self.path, self.since = path, clock()
        self.id, self.store_id = int.from_bytes(os.urandom(7)), os.urandom(16).hex()
        self.ledger, self.sessions = Ledger(), {}
        # Tools find the coordinator by this file.
        self.lock = open(path + ".lock", "w")
        fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        os.chmod(path, 0o600)
        self.listener.listen()

    # ---- What is described

    def sections(self):
        """The sections, by name: a sentence, the keys that rank, and the rows."""
        return {
            "coordinator": ("The coordinator itself.", [], [self.row()]),
            "instances": ("The instance of the feature.", [], [{
                "feature": FEATURE, "instance": INSTANCE, "schema": SCHEMA, "status": "serving",
                "revision": self.ledger.revision, "viewRevision": self.ledger.revision, "running": len(self.events()),
                "subscribers": len(self.ledger.channels)}]),
            "clients": ("The clients that are connected.", ["running"], [{
                "client": session.identity, "state": "connected", "processID": session.process,
                "connectedMilliseconds": milliseconds(session.since), "channels": len(session.channels),
                "running": sum(len(channel.running) for channel in session.channels.values())}
                for session in self.of_role(CLIENT)]),
            "tools": ("The tools that are connected.", [], [
                {"processID": session.process} for session in self.of_role(TOOL)]),
            "events": ("The events that have not ended.", [], [
                {"event": name, "feature": FEATURE, "instance": INSTANCE, "phase": "running"} for name in self.events()]),
            # A section that no other coordinator has.
            "pages": ("The pages of the ledger.", ["lines"], [
                {"page": 1, "lines": len(self.ledger.state["names"]), "ink": "blue"}]),
        }

    def row(self):
        return {
            "coordinatorID": f"{self.id:016x}", "processID": os.getpid(), "userID": os.getuid(), "program": __file__,
            "uptimeMilliseconds": milliseconds(self.since), "socket": self.path, "instances": 1,
            "clients": len(self.of_role(CLIENT)), "workers": 0}

    def of_role(self, role):
        return [session for session in self.sessions.values() if session.role == role]

    def events(self):
        """The channels and numbers of the running events, by their names."""
        return {
            channel.name(number): (channel, number) for channel in self.ledger.channels for number in channel.running}

    def describe(self, request):
        sections, name = self.sections(), request["section"]
        if name == "":
            keys, rows = [], [
                {"section": name, "about": about, "rows": len(rows), "sortKeys": keys}
                for name, (about, keys, rows) in sections.items()]
        elif name in sections:
            _, keys, rows = sections[name]
        else:
            return refused(request, 1, f"There is no section {name}. There are: {', '.join(sections)}.")
        if "after" in request:
            return refused(request, 2, "The rows have no numbers.")
        if (sort_key := request.get("sortKey")) is not None:
            if sort_key not in keys:
                return refused(request, 2, f"The section is not ranked by {sort_key}.")
            rows = sorted(rows, key=lambda row: -row[sort_key])
        if request.get("reverse") == 1:
            rows = rows[::-1]
        if (text := request.get("filter")) is not None:
            rows = [row for row in rows if any(type(value) is str and text in value for value in row.values())]
        first = request.get("offset", 0)
        last = first + min(request.get("limit", DEFAULT_ROWS), MAXIMUM_ROWS)
        page = rows[first:last]
        description = {
            "request": request["request"], "code": 0, "reason": "", "total": len(rows), "shown": len(page),
            "rows": cbor2.dumps(page, canonical=True).hex()}
        return {**description, "cut": 1} if last < len(rows) else description

    def operate(self, request, is_tool):
        def answer(code, reason, rows=None):
            rows = "" if rows is None else cbor2.dumps(rows, canonical=True).hex()
            return {"request": request["request"], "code": code, "reason": reason, "rows": rows}

        arguments = cbor2.loads(bytes.fromhex(request["arguments"]))
        if not is_tool:
            return answer(3, "A client may not act. Connect as a tool.")
        if request["act"] != "cancel":
            return answer(1, f"There is no act {request['act']}. There is: cancel.")
        if not {"event"} <= arguments.keys() <= {"event", "reason"}:
            return answer(5, "The arguments are event and, optional, reason.")
        if arguments["event"] not in (events := self.events()):
            return answer(2, "No such event is running. Look for its ID in the section events.")
        channel, number = events[arguments["event"]]
        channel.cancel(number, [5, "a tool"], arguments.get("reason", ""))
        return answer(0, "The event was running and is cancelled.", [{"event": arguments["event"]}])

    # ---- The loop

    def run(self):
        selector = selectors.DefaultSelector()
        selector.register(self.listener, selectors.EVENT_READ)
        selector.register(sys.stdin, selectors.EVENT_READ)
        print("ready", flush=True)
        while True:
            due = [due for channel in self.ledger.channels if (due := channel.due()) is not None]
            for key, _ in selector.select(max(0, min(due) - clock()) if due else None):
                if key.fileobj is sys.stdin:
                    return
                if key.fileobj is self.listener:
                    connection = Connection(self.listener.accept()[0].detach(), "initiator")
                    self.sessions[connection.socket] = Session(self, connection)
                    selector.register(connection.socket, selectors.EVENT_READ)
                elif not self.serve(self.sessions[key.fileobj]):
                    selector.unregister(key.fileobj)
                    self.sessions.pop(key.fileobj).end()
            now = clock()
            for channel in list(self.ledger.channels):
                channel.finish_due(now)

    def serve(self, session):
        """Handles what has arrived in a session. Returns whether the session continues."""
        try:
            messages = session.connection.receive()
            return messages is not None and all(session.receive(*message) for message in messages)
        except check.Violation as error:
            with contextlib.suppress(OSError):
                session.connection.send("goodbye", {"code": 1, "reason": f"coordinator.py: {error!r}"})
            return False
        except OSError:
            return False


def refused(request, code, reason):
    return {"request": request["request"], "code": code, "reason": reason, "total": 0, "shown": 0, "rows": ""}


def milliseconds(since):
    return int((clock() - since) * 1000)


def main():
    if len(sys.argv) != 2:
        print("usage: coordinator.py SOCKET", file=sys.stderr)
        return 64
    coordinator = Coordinator(sys.argv[1])
    try:
        coordinator.run()
    finally:
        for path in (coordinator.path, coordinator.path + ".lock"):
            os.unlink(path)


if __name__ == "__main__":
    sys.exit(main())
