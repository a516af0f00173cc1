#!/usr/bin/env python3
"""A node in Python that calls actors and answers calls, written from section 12 of lattice-wire-v1.md.

    node.py PATH NAME METHOD [ARGUMENT ...]

The program connects to the coordinator at PATH as a client and publishes an actor under the name "python". Then it
looks for the actor NAME and calls its METHOD with the arguments, which are JSON. It prints the answer as JSON, with the
`elements` if the answer is a stream. After that it answers calls until the coordinator ends.

Its own actor has a table of stable names with these methods:

- `double` takes a number and returns its double;
- `count` takes a number and answers with a stream of the numbers below it;
- `fail` throws the error `{"reason": "no luck"}`;
- `wait` ends when it is cancelled or when its deadline passes.

Swift also calls methods by the names that its compiler makes. A call is therefore for one of these methods if the name
of the called method contains the method's name.
"""

import json
import os
import selectors
import socket
import sys

import cbor2

import check
import values
from worker import Connection, clock

ACTOR = 1
WINDOW = 65536
ERROR_TYPE = "EndToEndTests.PythonError"
METHODS, PROBE = 2, 4  # operations of a node (section 12.7 of the text)
LISTED_METHOD = {1: ("identifier", check.METHOD), 2: ("digest", check.U64), 3: ("signature?", check.SENTENCE)}
TABLE = {
    "double(_:)": "(Int) -> Int", "count(_:)": "(Int) -> ActorStream<Int>", "fail()": "() -> Void",
    "wait()": "() -> Void"}
CODES = {
    0: "returned", 1: "threw", 2: "failed", 3: "cancelled", 4: "no such actor", 5: "no such method", 6: "undecodable",
    7: "overloaded", 8: "deadline passed", 9: "too large", 10: "lost", 11: "no such node", 12: "no such name",
    13: "refused", 14: "unencodable", 15: "interrupted"}


def encode(value):
    return cbor2.dumps(value, canonical=True)


def digest(signature):
    """Returns the 64-bit FNV-1a hash of a signature."""
    value = 0xCBF29CE484222325
    for byte in signature.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


class Node:
    def __init__(self, path):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        self.connection = Connection(connection.detach(), "acceptor")
        self.last, self.waiting = 0, {}
        # The lists of actors that serve a watched name, by the numbers of the watches.
        self.last_watch, self.lists = 0, {}
        # Streams that answer this node's calls, by call number: elements, the sender's remaining credit, and the
        # bytes taken since the last credit.
        self.streams = {}
        # Streams that this node sends, by call number: the elements that are still to be sent, and the credit for them.
        self.sending = {}
        # Calls that run here, by call number: the deadline in seconds of `clock`, or None.
        self.running = {}
        # The numbers of cancels that arrived before their calls, and the highest call number that has arrived.
        self.cancelled, self.highest = set(), 0

    def start(self):
        self.connection.send("hello", {
            "minimumVersion": 1, "maximumVersion": 1, "role": 3, "incarnation": 0, "token": "",
            "identity": os.urandom(16).hex(), "processID": os.getpid(), "features": [], "node": os.urandom(16).hex()})
        while True:
            for kind, _, view in self.receive():
                if kind == "refuse":
                    sys.exit(f"node.py: refused: {view['reason']}")
                if kind == "welcome":
                    self.hub = view["node"]
                    return

    def receive(self, limit=None):
        with selectors.DefaultSelector() as selector:
            selector.register(self.connection.socket, selectors.EVENT_READ)
            if not selector.select(limit):
                return []
        messages = self.connection.receive()
        if messages is None:
            sys.exit(0)
        return messages

    # ---- Calls of this node

    def call(self, actor, method, arguments, node=None):
        """Makes a call and returns its reply. Serves the calls of others while it waits."""
        self.last += 1
        view = {"call": self.last, "actor": actor, "method": method, "arguments": b"".join(arguments).hex()}
        if node is not None and node != self.hub:
            view["node"] = node
        self.connection.send("actorCall", view)
        number = self.last
        while number not in self.waiting:
            self.serve()
        return self.waiting.pop(number)

    def find(self, name):
        """Returns the place of an actor that serves a name. Serves the calls of others while it waits."""
        self.last_watch += 1
        watch = self.last_watch
        self.lists[watch] = []
        self.connection.send("nameWatch", {"watch": watch, "identifier": name})
        while not self.lists[watch]:
            self.serve()
        self.connection.send("nameUnwatch", {"watch": watch})
        return self.lists.pop(watch)[0]

    # ---- Calls of others

    def serve(self):
        now = clock()
        due = min((until for until in self.running.values() if until is not None), default=None)
        for kind, _, view in self.receive(None if due is None else max(0, due - now)):
            if kind == "ping":
                self.connection.send("pong", {"number": view["number"]})
            elif kind == "goodbye":
                sys.exit(0)
            elif kind == "actorReply":
                if view["call"] > self.last:
                    raise check.Violation("outOfOrder")
                self.waiting[view["call"]] = view
            elif kind == "actorElements":
                self.take(view["call"], bytes.fromhex(view["elements"]))
            elif kind == "actorCredit":
                if view["call"] > self.highest:
                    raise check.Violation("outOfOrder")
                if view["call"] in self.sending:
                    self.sending[view["call"]][1] += view["bytes"]
                    self.send_elements(view["call"])
            elif kind == "actorCall":
                self.begin(view)
            elif kind == "actorCancel":
                self.cancel(view["call"])
            elif kind == "nameList":
                if view["watch"] > self.last_watch:
                    raise check.Violation("outOfOrder")
                # A list may arrive after the end of its watch.
                if view["watch"] in self.lists:
                    self.lists[view["watch"]] = view["places"]
        for number in [number for number, until in self.running.items() if until is not None and until <= clock()]:
            del self.running[number]
            self.reply(number, 8, reason="the deadline passed", begun=1)

    def begin(self, view):
        number = view["call"]
        if number <= self.highest:
            raise check.Violation("outOfOrder")
        self.highest = number
        if type(view["method"]) is int and "node" not in view:
            return self.begin_operation(view)
        if view["actor"] != ACTOR or "node" in view:
            return self.reply(number, 4, reason=f"this program has only actor {ACTOR}")
        try:
            arguments = self.arguments(bytes.fromhex(view["arguments"]))
        except check.Violation:
            return self.reply(number, 6, reason="the arguments cannot be read")
        if "double" in view["method"]:
            if len(arguments) != 1 or type(arguments[0]) is not int:
                return self.reply(number, 6, reason="double takes a number")
            self.reply(number, 0, value=encode(2 * arguments[0]).hex())
        elif "count" in view["method"]:
            if len(arguments) != 1 or type(arguments[0]) is not int:
                return self.reply(number, 6, reason="count takes a number")
            self.connection.send("actorElements", {"call": number, "elements": ""})
            self.sending[number] = [iter(range(arguments[0])), WINDOW]
            self.send_elements(number)
        elif arguments and ("fail" in view["method"] or "wait" in view["method"]):
            self.reply(number, 6, reason=f"{view['method']} takes no arguments")
        elif "fail" in view["method"]:
            self.reply(number, 1, value=encode({"reason": "no luck"}).hex(), type=ERROR_TYPE)
        elif "wait" in view["method"]:
            left = view.get("context", {}).get("leftMilliseconds")
            self.running[number] = None if left is None else clock() + left / 1000
            if number in self.cancelled:
                self.cancel(number)
        else:
            self.reply(number, 5, reason=f"this actor has no method {view['method']}")

    def begin_operation(self, view):
        """Answers an operation of this node itself."""
        number = view["call"]
        if view["method"] == PROBE:
            return self.reply(number, 0)
        if view["method"] != METHODS:
            return self.reply(number, 5, reason=f"this node has no operation {view['method']}; it has {METHODS} and {PROBE}")
        if view["actor"] != ACTOR:
            return self.reply(number, 4, reason=f"this program has only actor {ACTOR}")
        listed = [
            check.write_fields({"identifier": name, "digest": digest(signature), "signature": signature}, LISTED_METHOD)
            for name, signature in sorted(TABLE.items())]
        self.reply(number, 0, value=encode({1: listed}).hex())

    def send_elements(self, number):
        """Sends elements as long as there is credit, in messages of up to 100 elements."""
        elements, credit = self.sending[number]
        while credit > 0:
            portion = b"".join(encode(element) for _, element in zip(range(100), elements))
            if not portion:
                del self.sending[number]
                return self.reply(number, 0)
            credit -= len(portion)
            self.connection.send("actorElements", {"call": number, "elements": portion.hex()})
        self.sending[number][1] = credit

    def take(self, number, data):
        """Takes elements of a stream that answers a call of this node, and gives credit back."""
        if number > self.last:
            raise check.Violation("outOfOrder")
        if number in self.waiting:
            return
        stream = self.streams.setdefault(number, [[], WINDOW, 0])
        if not data:
            return
        if stream[1] <= 0:
            raise check.Violation("tooLarge")
        stream[1] -= len(data)
        stream[0] += self.arguments(data)
        stream[2] += len(data)
        if stream[2] >= WINDOW // 2:
            self.connection.send("actorCredit", {"call": number, "bytes": stream[2]})
            stream[1], stream[2] = stream[1] + stream[2], 0

    def arguments(self, data):
        found, start = [], 0
        while start < len(data):
            values.item_end(data, start)
            value, start = values.read_item(data, start)
            found.append(value)
        return found

    def cancel(self, number):
        if number > self.highest:
            self.cancelled.add(number)
        elif number in self.running:
            self.cancelled.discard(number)
            del self.running[number]
            self.reply(number, 3)
        elif number in self.sending:
            del self.sending[number]
            self.reply(number, 3)

    def reply(self, number, code, **fields):
        self.connection.send("actorReply", {"call": number, "code": code, **fields})


def main():
    if len(sys.argv) < 4:
        print(__doc__.strip().splitlines()[2].strip(), file=sys.stderr)
        return 2
    path, name, method, *arguments = sys.argv[1:]
    node = Node(path)
    node.start()
    node.connection.send("namePublish", {"identifier": "python", "actor": ACTOR})
    place = node.find(name)
    reply = node.call(place["actor"], method, [encode(json.loads(argument)) for argument in arguments], place["node"])
    value = reply.get("value")
    answer = {"code": CODES.get(reply["code"]), "reason": reply.get("reason")}
    if reply["call"] in node.streams:
        answer["elements"] = node.streams[reply["call"]][0]
    if value is not None:
        answer["value"] = cbor2.loads(bytes.fromhex(value))
    print(json.dumps(answer), flush=True)
    while True:
        node.serve()


if __name__ == "__main__":
    sys.exit(main())
