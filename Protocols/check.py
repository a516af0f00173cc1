#!/usr/bin/env python3
"""Checks the vectors and the example in section 15 with a second implementation, written from lattice-wire-v1.md alone.

It needs Python 3.9 or later and cbor2 (`pip install cbor2`). It prints
"N passed, N failed", and exits with code 1 if any check failed.
"""

import json
import pathlib
import re
import struct
import sys

import cbor2

import patches
from values import Other, Pairs, Violation, item_end, read_head, read_item, write_list, write_map

MAXIMUM_BODY, MAXIMUM_HANDSHAKE, MAXIMUM_MESSAGE = 65536, 16384, 64 << 20
MAXIMUM_SENTENCE, MAXIMUM_HISTORY, MAXIMUM_FEATURES = 2048, 16, 1024
MAXIMUM_REJECTION_VALUE = 1024
MAXIMUM_ORIGINS, MAXIMUM_CONFIGURATION = 1024, 65536
MAXIMUM_EFFECTS, MAXIMUM_BEGUN, MAXIMUM_ENDED, MAXIMUM_RECOVERIES = 4096, 128, 2048, 1000
MAXIMUM_OUTPUT, MAXIMUM_LINE, MAXIMUM_REPORTED, MAXIMUM_CANCEL_REASON, MAXIMUM_CAUSES = 32, 1024, 16, 256, 8
MAXIMUM_SECTION, MAXIMUM_FILTER, MAXIMUM_ROWS, MAXIMUM_ARGUMENTS = 64, 255, 262144, 4096
MAXIMUM_PLACES, MAXIMUM_ROW_KEYS = 65536, 8
MAXIMUM_METHOD, MAXIMUM_SUBSTITUTIONS, MAXIMUM_PROGRAM, MAXIMUM_SERVERS = 1024, 16, 4096, 4096
MAXIMUM_TRACE, MAXIMUM_TRACE_ENTRY = 16, 1024
MAXIMUM_ASSEMBLY, MAXIMUM_ASSEMBLIES = 128 << 20, 1024
MAXIMUM_STATE, MAXIMUM_PART, FIRST_PARTS, MAXIMUM_PART_ASSEMBLY = 256 << 20, 65024, 65536, 128 << 20
KINDS = {
    1: "hello", 2: "welcome", 3: "refuse", 4: "goodbye", 5: "ping", 6: "pong", 7: "drain", 8: "drained",
    9: "describe", 10: "description", 11: "operate", 12: "operated", 16: "open", 17: "opened", 18: "openRefused", 19: "close", 20: "closed",
    21: "hostStatus", 32: "event", 33: "state", 34: "patch", 35: "completion", 36: "acknowledgement",
    37: "cancel", 38: "origin", 39: "resync", 40: "part",
    41: "credit", 42: "effects", 43: "crashReport", 44: "causes", 48: "actorCall", 49: "actorReply", 50: "actorCancel",
    51: "actorElements", 52: "actorCredit", 53: "namePublish", 54: "nameWithdraw", 55: "nameWatch",
    56: "nameUnwatch", 57: "nameList",
}
NUMBERS = {name: number for number, name in KINDS.items()}
SKIPPABLE = {"crashReport"}
DATA_LANE = {
    "description", "operated", "open", "opened", "event", "state", "patch", "origin", "part", "actorCall", "actorReply", "actorElements",
    "namePublish", "nameWithdraw", "nameWatch", "nameUnwatch", "nameList"}
# The payloads that may come in parts, each with its key and its name.
PAYLOADS = {"open": (4, "state"), "opened": (3, "state"), "state": (3, "state"), "patch": (4, "changes")}


# ---- Field types. Each is a reader (from a CBOR value to the view) and a writer (from the view to a CBOR value).


def unsigned(bits, minimum=0, maximum=None):
    maximum = (1 << bits) - 1 if maximum is None else maximum

    def read(value):
        if type(value) is not int or not minimum <= value <= maximum:
            raise Violation("badField")
        return value

    return read, lambda view: view


def one_of(numbers):
    def read(value):
        if type(value) is not int or value not in numbers:
            raise Violation("badField")
        return value

    return read, lambda view: view


def text(maximum, may_be_empty=True):
    def read(value):
        if type(value) is not str:
            raise Violation(value.code if type(value) is Other else "badField")
        if len(value.encode()) > maximum:
            raise Violation("tooLarge")
        if not value and not may_be_empty:
            raise Violation("badField")
        return value

    return read, lambda view: view


def cut(sentence, maximum=MAXIMUM_SENTENCE):
    """Returns the longest beginning of a sentence that a sender may send, cut between two characters."""
    return sentence.encode()[:maximum].decode(errors="ignore")


def blob(maximum=None, minimum=0):
    def read(value):
        if type(value) is not bytes:
            raise Violation("badField")
        if maximum is not None and len(value) > maximum:
            raise Violation("tooLarge")
        if len(value) < minimum:
            raise Violation("badField")
        return value.hex()

    return read, bytes.fromhex


def payload():
    """Returns the type of a payload: a byte string, or the length of a byte string that comes in parts."""
    def read(value):
        return unsigned(63, minimum=1)[0](value) if type(value) is int else blob()[0](value)

    return read, lambda view: view if type(view) is int else bytes.fromhex(view)


def read_identity(value):
    digits = blob(16)[0](value)
    if len(digits) not in (0, 32):
        raise Violation("badField")
    return digits


def list_of(element, maximum):
    def read(value):
        if type(value) is not list:
            raise Violation("badField")
        if len(value) > maximum:
            raise Violation("tooLarge")
        return [element[0](item) for item in value]

    return read, lambda view: [element[1](item) for item in view]


def struct_of(fields):
    def read(value):
        if type(value) is not Pairs:
            raise Violation("badField")
        return read_fields(value, fields)

    return read, lambda view: write_fields(view, fields)


def is_text(value):
    """Returns whether the value is a text string, in valid UTF-8 or not."""
    return type(value) is str or isinstance(value, Other) and value.code == "malformedBody"


def variant(cases, optional=None):
    """Returns the type of a variant: an array of a case's number and that case's values. Further values are skipped.

    A case in `optional` may end with values of these types, with all of them or with none."""
    optional = optional or {}

    def read(value):
        if type(value) is not list:
            raise Violation("badField")
        if not value:
            raise Violation("missingField")
        if type(value[0]) is not int or value[0] < 0:
            raise Violation("badField")
        if value[0] not in cases:
            # A case of a later version. The view keeps its number and its sentence, if the case begins with a sentence.
            return [value[0], SENTENCE[0](value[1]) if len(value) > 1 and is_text(value[1]) else ""]
        types = cases[value[0]]
        if len(value) - 1 < len(types):
            raise Violation("missingField")
        more = optional.get(value[0], [])
        if 0 < len(value) - 1 - len(types) < len(more):
            raise Violation("missingField")
        return [value[0]] + [kind[0](item) for kind, item in zip(types + more, value[1:])]

    def write(view):
        types = cases.get(view[0], [SENTENCE]) + optional.get(view[0], [])
        return [view[0]] + [kind[1](item) for kind, item in zip(types, view[1:])]

    return read, write


def read_signed(value):
    if type(value) is not int or not -(1 << 31) <= value < 1 << 31:
        raise Violation("badField")
    return value


U8, U16, U32, U63, U64 = unsigned(8), unsigned(16), unsigned(32), unsigned(63), unsigned(64)
SIGNED = (read_signed, lambda view: view)
SENTENCE, IDENTIFIER = (text(MAXIMUM_SENTENCE)[0], cut), text(255, may_be_empty=False)
CAUSE = variant({1: [SIGNED], 2: [SIGNED], 3: [], 4: [SENTENCE], 5: [], 6: [SENTENCE], 7: [SENTENCE], 8: [SENTENCE],
                 9: [SENTENCE]})
CANCELLER = variant({0: [], 1: [], 2: [], 3: [], 4: [], 5: [SENTENCE]})


def read_stage(value):
    """Reads a stage. Those of later versions are read as 0."""
    return value if U64[0](value) in (1, 2) else 0


STAGE = (read_stage, U64[1])


def outcome(kind):
    """Returns the type of an outcome. A cancelled one without facts has no values."""
    def read(value):
        view = kind[0](value)
        return [2] if view == [2, [0], 0, ""] else view

    return read, kind[1]


OUTCOME = outcome(variant(
    {0: [], 1: [SENTENCE, SENTENCE], 2: [], 3: [U8, SENTENCE], 4: [CAUSE, U64], 5: [SENTENCE]},
    optional={2: [CANCELLER, STAGE, SENTENCE], 3: [blob(MAXIMUM_REJECTION_VALUE)]}))
FEATURES = list_of(
    struct_of({1: ("identifier", IDENTIFIER), 2: ("schema", U32), 3: ("level", one_of((1, 2)))}), MAXIMUM_FEATURES)
IDENTITY = blob(16, 16)
ORIGIN = unsigned(32, maximum=MAXIMUM_ORIGINS - 1)
ENDING = {1: ("code", U16), 2: ("reason", SENTENCE)}
STATE = {1: ("revision", U63), 2: ("applied", U63), 3: ("state", payload())}

CANCEL_REASON = (text(MAXIMUM_CANCEL_REASON)[0], lambda view: cut(view, MAXIMUM_CANCEL_REASON))
LINE = (text(MAXIMUM_LINE)[0], lambda view: cut(view, MAXIMUM_LINE))
NAME = struct_of({
    1: ("sender", IDENTITY), 2: ("channel", unsigned(32, minimum=1)), 3: ("feature", IDENTIFIER),
    4: ("instance", text(255)), 5: ("number", U63)})
NUMBER = unsigned(63, minimum=1)
METHOD = text(MAXIMUM_METHOD, may_be_empty=False)
# The name of a method, or the number of an operation of the node.
METHOD_OR_OPERATION = (lambda value: (U8 if type(value) is int else METHOD)[0](value), lambda view: view)
PLACE = struct_of({
    1: ("node", IDENTITY), 2: ("actor", U64), 3: ("incarnation", U64), 4: ("title", SENTENCE)})
CONTEXT = struct_of({
    1: ("leftMilliseconds?", U64), 2: ("trace?", list_of(text(MAXIMUM_TRACE_ENTRY, may_be_empty=False), MAXIMUM_TRACE)),
    3: ("event?", NAME), 4: ("recovery?", U64)})

# The keys and fields of each message. A field whose name ends in "?" is optional.
MESSAGES = {
    "hello": {
        1: ("minimumVersion", U16), 2: ("maximumVersion", U16), 3: ("role", U8), 4: ("incarnation", U64),
        5: ("token", blob(64)), 6: ("identity", (read_identity, bytes.fromhex)), 7: ("processID", U32), 8: ("features", FEATURES),
        9: ("build?", blob(64, 1)), 10: ("node?", IDENTITY)},
    "welcome": {
        1: ("version", U16), 2: ("role", U8), 3: ("coordinatorID", U64), 4: ("processID", U32),
        5: ("features", FEATURES), 6: ("storeID", IDENTITY), 7: ("node?", IDENTITY)},
    "refuse": {
        1: ("code", U16), 2: ("reason", SENTENCE), 3: ("minimumVersion", U16), 4: ("maximumVersion", U16)},
    "goodbye": ENDING,
    "ping": {1: ("number", U64)},
    "pong": {1: ("number", U64), 2: ("problem?", SENTENCE)},
    "drain": {1: ("timeoutMilliseconds", U32)},
    "drained": {},
    "describe": {
        1: ("request", NUMBER), 2: ("section", text(MAXIMUM_SECTION)),
        3: ("filter?", text(MAXIMUM_FILTER, may_be_empty=False)),
        4: ("sortKey?", text(MAXIMUM_SECTION, may_be_empty=False)), 5: ("reverse?", U8), 6: ("limit?", U32),
        7: ("offset?", U32), 8: ("after?", U63), 9: ("intervalMilliseconds?", U32), 10: ("bytesPerSecond?", U32),
        11: ("queueBytes?", U32)},
    "description": {
        1: ("request", NUMBER), 2: ("code", U16), 3: ("reason", SENTENCE), 4: ("total", U63), 5: ("shown", U63),
        6: ("rows", blob(MAXIMUM_ROWS)), 7: ("cut?", U8), 8: ("update?", NUMBER),
        9: ("places?", blob(MAXIMUM_PLACES, 1)), 10: ("folded?", U63),
        11: ("keys?", list_of(text(MAXIMUM_SECTION, may_be_empty=False), MAXIMUM_ROW_KEYS))},
    "operate": {
        1: ("request", NUMBER), 2: ("act", text(MAXIMUM_SECTION, may_be_empty=False)),
        3: ("arguments", blob(MAXIMUM_ARGUMENTS, 1))},
    "operated": {1: ("request", NUMBER), 2: ("code", U16), 3: ("reason", SENTENCE), 4: ("rows", blob(MAXIMUM_ROWS))},
    "open": {
        1: ("feature", IDENTIFIER), 2: ("schema", U32), 3: ("instance", text(255)), 4: ("state?", payload()),
        5: ("revision", U63), 6: ("resumeAfter", U63), 7: ("record?", U64), 8: ("maximumState?", U32),
        9: ("patches?", U8), 10: ("configuration?", blob(MAXIMUM_CONFIGURATION)), 11: ("causes?", U8)},
    "opened": {**STATE, 4: ("record?", U64)},
    "openRefused": ENDING,
    "close": {},
    "closed": ENDING,
    "hostStatus": {
        1: ("kind", U8), 2: ("incarnation", U64), 3: ("processID", U32), 4: ("attempt", U32),
        5: ("delayMilliseconds", U64), 6: ("cause?", CAUSE), 7: ("reason", SENTENCE),
        8: ("history", list_of(SENTENCE, MAXIMUM_HISTORY)), 9: ("result?", SENTENCE)},
    "event": {
        1: ("event", U63), 2: ("action", blob()), 3: ("origin?", ORIGIN), 4: ("originNumber?", unsigned(63, minimum=1)),
        5: ("context?", CONTEXT)},
    "state": STATE,
    "patch": {1: ("base", U63), 2: ("revision", U63), 3: ("applied", U63), 4: ("changes", payload())},
    "completion": {1: ("event", U63), 2: ("revision", U63), 3: ("outcome", OUTCOME), 4: ("through?", U63)},
    "acknowledgement": {1: ("applied", U63), 2: ("revision", U63)},
    "cancel": {1: ("event", U63), 2: ("canceller?", CANCELLER), 3: ("reason?", CANCEL_REASON)},
    "resync": {1: ("revision", U63)},
    "part": {1: ("bytes", blob(MAXIMUM_PART, 1))},
    "effects": {
        1: ("revision", U63), 2: ("applied", U63),
        3: ("begun", list_of(struct_of({
            1: ("number", U63), 2: ("event", U63), 3: ("name", IDENTIFIER),
            4: ("recoveries", unsigned(32, maximum=MAXIMUM_RECOVERIES))}), MAXIMUM_BEGUN)),
        4: ("ended", list_of(U63, MAXIMUM_ENDED))},
    "crashReport": {
        1: ("incarnation", U64), 2: ("group", SENTENCE), 3: ("processID", U32), 4: ("lifetimeMilliseconds", U64),
        5: ("output", list_of(LINE, MAXIMUM_OUTPUT)), 6: ("turn?", NAME), 7: ("events", list_of(NAME, MAXIMUM_REPORTED)),
        8: ("effects", list_of(IDENTIFIER, MAXIMUM_REPORTED)), 9: ("quarantined?", U63)},
    "causes": {
        1: ("revision", U63),
        2: ("events", list_of(struct_of({1: ("id", SENTENCE), 2: ("order", U63), 3: ("cause", SENTENCE)}), MAXIMUM_CAUSES)),
        3: ("omitted", U63)},
    "credit": {1: ("bytes", unsigned(63, minimum=1))},
    "origin": {1: ("index", ORIGIN), 2: ("sender", IDENTITY), 3: ("channel", unsigned(32, minimum=1)),
        4: ("processID?", U32), 5: ("userID?", U32), 6: ("program?", text(MAXIMUM_PROGRAM, may_be_empty=False))},
    "actorCall": {
        1: ("call", NUMBER), 2: ("actor", U64), 3: ("method", METHOD_OR_OPERATION), 4: ("arguments", blob()), 5: ("node?", IDENTITY),
        6: ("substitutions?", list_of(METHOD, MAXIMUM_SUBSTITUTIONS)), 7: ("context?", CONTEXT),
        8: ("caller?", NUMBER)},
    "actorReply": {
        1: ("call", NUMBER), 2: ("code", U8), 3: ("value?", blob()), 4: ("type?", SENTENCE), 5: ("reason?", SENTENCE),
        6: ("begun?", U8)},
    "actorCancel": {1: ("call", NUMBER)},
    "actorElements": {1: ("call", NUMBER), 2: ("elements", blob())},
    "actorCredit": {1: ("call", NUMBER), 2: ("bytes", NUMBER)},
    "namePublish": {1: ("identifier", IDENTIFIER), 2: ("actor", U64)},
    "nameWithdraw": {1: ("identifier", IDENTIFIER)},
    "nameWatch": {1: ("watch", NUMBER), 2: ("identifier", IDENTIFIER)},
    "nameUnwatch": {1: ("watch", NUMBER)},
    "nameList": {1: ("watch", NUMBER), 2: ("places", list_of(PLACE, MAXIMUM_SERVERS))},
}


# ---- Bodies


def read_fields(values, fields):
    view, last = {}, -1
    for key, value in values:
        if type(key) is not int or key < 0:
            raise Violation("badField")
        if key <= last:
            raise Violation("duplicateField" if key == last else "malformedBody")
        last = key
        # A reader skips keys that it does not know, without checking their values.
        if key in fields:
            name, kind = fields[key]
            view[name.rstrip("?")] = kind[0](value)
    for name, _ in fields.values():
        if not name.endswith("?") and name not in view:
            raise Violation("missingField")
    if "minimumVersion" in view:
        if view["minimumVersion"] > view["maximumVersion"]:
            raise Violation("badField")
        view["versions"] = [view.pop("minimumVersion"), view.pop("maximumVersion")]
    if "origin" in view or "originNumber" in view:
        if not ("origin" in view and "originNumber" in view):
            raise Violation("missingField")
        view["origin"] = {"index": view["origin"], "number": view.pop("originNumber")}
    if "base" in view and view["revision"] <= view["base"]:
        raise Violation("badField")
    if "through" in view and view["through"] <= view.get("event", 0):
        raise Violation("badField")
    return view


def write_fields(view, fields):
    view = dict(view)
    if "versions" in view:
        view["minimumVersion"], view["maximumVersion"] = view.pop("versions")
    if "origin" in view:
        view["origin"], view["originNumber"] = view["origin"]["index"], view["origin"]["number"]
    written = {}
    for key, (name, kind) in sorted(fields.items()):
        if name.rstrip("?") in view:
            written[key] = kind[1](view[name.rstrip("?")])
    return written


def read_body(name, data):
    """Returns the view of a message: its fields by their names, as vectors/README.md describes."""
    if not data:
        raise Violation("malformedBody")
    if data[0] == 0xBF:
        raise Violation("malformedBody")
    if data[0] >> 5 != 5:
        raise Violation("badField")
    if item_end(data, 0) != len(data):
        raise Violation("malformedBody")
    view = read_fields(read_item(data, 0)[0], MESSAGES[name])
    _, field = PAYLOADS.get(name, (None, None))
    if type(view.get(field)) is int:
        # The payload comes in parts, so this message has only its length.
        view["length"] = view.pop(field)
        if name != "open":
            view[field] = ""
    return view


def write_body(name, view):
    if "length" in view:
        view = {**view, PAYLOADS[name][1]: view["length"]}
    return cbor2.dumps(write_fields(view, MESSAGES[name]), canonical=True)


# ---- Frames


class OpenedChannels:
    """The channel numbers that one side of a session has opened. They are odd or even, by the side, and ascend."""

    def __init__(self, side):
        self.parity = {"initiator": 1, "acceptor": 0}[side]
        self.highest = 0

    def open(self, number):
        if number % 2 != self.parity or number <= self.highest:
            raise Violation("outOfOrder")
        self.highest = number


class Assembler:
    """Joins the chunks of messages, for one direction of a session."""

    def __init__(self, sender):
        self.opened = OpenedChannels(sender)
        self.unfinished = {}
        self.size = 0

    def receive(self, name, flags, channel, body):
        """Takes a frame. Returns the body of its message if this is the last chunk, and otherwise None."""
        if (NUMBERS[name] < 16 or NUMBERS[name] >= 48) != (channel == 0):
            raise Violation("badChannel")
        if name not in DATA_LANE:
            if flags & 2:
                raise Violation("badFlags")
            return body
        if channel not in self.unfinished:
            if name == "open":
                self.opened.open(channel)
            if not flags & 2:
                return body
            if len(self.unfinished) == MAXIMUM_ASSEMBLIES:
                raise Violation("tooLarge")
            self.unfinished[channel] = (name, bytearray())
        begun, joined = self.unfinished[channel]
        if begun != name:
            raise Violation("outOfOrder")
        if len(joined) + len(body) > MAXIMUM_MESSAGE or self.size + len(body) > MAXIMUM_ASSEMBLY:
            raise Violation("tooLarge")
        joined += body
        self.size += len(body)
        if flags & 2:
            return None
        del self.unfinished[channel]
        self.size -= len(joined)
        return bytes(joined)


class PartReceiver:
    """Collects payloads that come in parts, for one direction of a session."""

    def __init__(self, maximum=MAXIMUM_STATE):
        self.maximum = maximum
        self.transfers = {}
        self.reserved = 0

    def receive(self, name, channel, body):
        """Takes a whole message.

        Returns None while parts of its payload are missing. Returns (name, None) for a message that came whole, and
        (name, (view, payload)) for a message whose payload came in parts.
        """
        if name not in DATA_LANE or channel == 0:
            return name, None
        if name == "part":
            return self.receive_part(channel, bytes.fromhex(read_body(name, body)["bytes"]))
        if channel in self.transfers:
            raise Violation("outOfOrder")
        length = self.length(name, body)
        if length is None:
            return name, None
        if length > self.maximum or len(self.transfers) == MAXIMUM_ASSEMBLIES:
            raise Violation("tooLarge")
        self.transfers[channel] = {
            "name": name, "view": read_body(name, body), "length": length, "payload": bytearray(), "admitted": False}
        return None

    @staticmethod
    def length(name, body):
        """Returns the length that the body has in the place of its payload, or None if it has none."""
        if name not in PAYLOADS:
            return None
        try:
            return read_body(name, body).get("length")
        except Violation:
            # The reader of the whole body reports the violation.
            return None

    def receive_part(self, channel, data):
        if channel not in self.transfers:
            raise Violation("outOfOrder")
        self.credits()
        transfer = self.transfers[channel]
        transfer["payload"] += data
        if len(transfer["payload"]) > (transfer["length"] if transfer["admitted"] else FIRST_PARTS):
            raise Violation("tooLarge")
        if len(transfer["payload"]) > transfer["length"]:
            raise Violation("tooLarge")
        if len(transfer["payload"]) < transfer["length"]:
            return None
        del self.transfers[channel]
        if transfer["admitted"]:
            self.reserved -= transfer["length"]
        return transfer["name"], (transfer["view"], bytes(transfer["payload"]))

    def credits(self):
        """Admits waiting payloads in order while there is room. Returns the credit to give, as (channel, bytes)."""
        credits = []
        for channel, transfer in self.transfers.items():
            if transfer["admitted"]:
                continue
            if self.reserved and self.reserved + transfer["length"] > MAXIMUM_PART_ASSEMBLY:
                break
            transfer["admitted"] = True
            self.reserved += transfer["length"]
            if transfer["length"] > FIRST_PARTS:
                credits.append((channel, transfer["length"] - FIRST_PARTS))
        return credits


class FrameReader:
    """Cuts the bytes that arrive in one direction of a session into frames."""

    def __init__(self):
        self.is_first = True

    def read(self, data, start):
        """Reads the frame that begins at `start`.

        Returns (kind, flags, channel, body) and where the frame ends, or None if the frame has not arrived as a whole.
        The kind is None for a skippable frame of an unknown kind.
        """
        if len(data) - start < 12:
            return None
        length, number, flags, reserved, channel = struct.unpack_from(">IHBBI", data, start)
        if reserved:
            raise Violation("reservedByte")
        if flags & ~3:
            raise Violation("badFlags")
        if not length:
            raise Violation("badLength")
        if length > (MAXIMUM_HANDSHAKE if self.is_first else MAXIMUM_BODY):
            raise Violation("tooLarge")
        end = start + 12 + length
        if len(data) < end:
            return None
        name = KINDS.get(number)
        if name is None and not flags & 1:
            raise Violation("unknownKind")
        if name is not None:
            self.is_first = False
        return (name, flags, channel, bytes(data[start + 12:end])), end


def read_stream(data, sender="initiator", checks_parts=True):
    """Returns the messages in the stream of one side, as (number, channel, body)."""
    messages, frames, assembler, parts, start = [], FrameReader(), Assembler(sender), PartReceiver(), 0
    while (found := frames.read(data, start)) is not None:
        (name, flags, channel, body), start = found
        # Skippable frames of unknown kinds are dropped, whatever their channel is.
        if name is not None and (whole := assembler.receive(name, flags, channel, body)) is not None:
            if checks_parts:
                parts.receive(name, channel, whole)
            messages.append((NUMBERS[name], channel, whole))
    return messages


def write_frame(number, channel, body, more=False):
    flags = (1 if KINDS.get(number) in SKIPPABLE else 0) | (2 if more else 0)
    return struct.pack(">IHBBI", len(body), number, flags, 0, channel) + body


# ---- Payloads


def write_payload(view):
    """Returns the bytes of a value in the notation of the vectors, which vectors/README.md describes."""
    if type(view) is list:
        return write_list(list(map(write_payload, view)))
    if type(view) is not dict:
        return cbor2.dumps(view, canonical=True)
    ((form, content),) = view.items()
    if form == "bytes":
        return cbor2.dumps(bytes.fromhex(content))
    if form == "float":
        return cbor2.dumps(float(content), canonical=True)
    if form == "map":
        return write_map({cbor2.dumps(key): write_payload(value) for key, value in content.items()})
    if form == "set":
        return write_list(sorted(map(write_payload, content)))
    assert form == "pairs", form
    pairs = sorted((write_payload(key), write_payload(value)) for key, value in content)
    return write_list([item for pair in pairs for item in pair])


def skip_tags(data, start):
    """Returns where the value after the tags begins. The tags of bignums are part of the value and are not skipped."""
    while start < len(data) and data[start] >> 5 == 6 and data[start] not in (0xC2, 0xC3):
        start += {24: 2, 25: 3, 26: 5, 27: 9}.get(data[start] & 31, 1)
    return start


def read_value(kind, data, start):
    """Returns the value of a type that begins at `start`, and where it ends. The value must be well-formed.

    A type is `int`, `float`, `str` or `bytes`, `[type]` for an array, `{str: type}` for a dictionary, `{"name": type}`
    for a structure, or `(type, None)` for a value that may be nil.
    """
    start = skip_tags(data, start)
    if type(kind) is tuple:
        return (None, start + 1) if data[start] in (0xF6, 0xF7) else read_value(kind[0], data, start)
    major = data[start] >> 5
    if type(kind) is list or kind is bytes and major == 4:
        element = kind[0] if type(kind) is list else int
        if major != 4:
            raise Violation("badField")
        _, count, start = read_head(data, start)
        values = []
        for _ in range(count):
            value, start = read_value(element, data, start)
            values.append(value)
        if kind is not bytes:
            return values, start
        if not all(0 <= number < 256 for number in values):
            raise Violation("badField")
        return bytes(values), start
    if type(kind) is dict:
        return read_map(kind, data, start)
    value, end = read_item(data, start)
    if kind is float and type(value) is int and float(value) == value:
        value = float(value)
    if type(value) is not kind:
        raise Violation(value.code if type(value) is Other else "badField")
    if kind is int and not -(1 << 63) <= value < 1 << 63:
        raise Violation("badField")
    return value, end


def read_map(kind, data, start):
    if data[start] >> 5 != 5:
        raise Violation("badField")
    _, count, start = read_head(data, start)
    values, seen = {}, set()
    for _ in range(count):
        key, middle = read_item(data, start)
        if type(key) not in (str, int):
            raise Violation(key.code if type(key) is Other else "badField")
        if data[start:middle] in seen:
            raise Violation("duplicateField")
        seen.add(data[start:middle])
        # An integer as a key stands for its decimal notation.
        name = str(key)
        start = middle
        if name in kind or str in kind:
            values[name], start = read_value(kind.get(name, kind.get(str)), data, start)
        else:
            start = item_end(data, start)
    if str not in kind and set(values) != set(kind):
        raise Violation("missingField")
    return values, start


def read_payload(kind, data):
    """Returns the value of a type that the bytes encode, without any bytes after it."""
    if item_end(data, 0) != len(data):
        raise Violation("malformedBody")
    return read_value(kind, data, 0)[0]


def read_case(cases, data):
    """Returns the name and the associated values of the case of an enumeration that the bytes encode."""
    if item_end(data, 0) != len(data):
        raise Violation("malformedBody")
    start = skip_tags(data, 0)
    if data[start] >> 5 != 5 or read_head(data, start)[1] != 1:
        raise Violation("badField")
    name, start = read_item(data, read_head(data, start)[2])
    if type(name) is not str or name not in cases:
        raise Violation("badField")
    return name, read_value(cases[name], data, start)[0]


def as_text(name, value):
    """Returns a value as text, in the notation of `payloads.json`."""
    if name == "[String: Int]":
        return " ".join(f"{key}={number}" for key, number in sorted(value.items()))
    if name == "[Int?]":
        return " ".join("nil" if number is None else str(number) for number in value)
    return value.hex() if name == "bytes" else str(value)


PAYLOAD_TYPES = {
    "Int": int, "Double": float, "String": str, "bytes": bytes, "[Int]": [int], "[Int?]": [(int, None)],
    "[String: Int]": {str: int},
}


# ---- Vectors


def check_tolerated(vector):
    kind = vector["kind"]
    written = write_body(kind, read_body(kind, bytes.fromhex(vector["hex"])))
    assert written.hex() == vector["written"], f"writes {written.hex()}"


def check_written(vector):
    written = write_payload(vector["value"])
    assert written.hex() == vector["bytes"], f"writes {written.hex()}"
    assert item_end(written, 0) == len(written), "does not read what it writes"


def check_read(vector):
    try:
        found = as_text(vector["type"], read_payload(PAYLOAD_TYPES[vector["type"]], bytes.fromhex(vector["bytes"])))
    except Violation:
        found = None
    assert found == vector.get("value"), f"reads {found}"


def check_message(vector):
    name, body = vector["kind"], bytes.fromhex(vector["body"])
    assert KINDS[vector["number"]] == name, "the number is not that of the kind"
    view = read_body(name, body)
    assert view == vector["view"], f"reads {view}"
    written = write_body(name, vector["view"])
    assert written == body, f"writes {written.hex()}"
    if name == "description":
        assert len(check_rows(view)) == view["shown"], "the number of rows is another one"
    if name == "operated":
        check_rows(view)
    if name == "operate":
        check_arguments(view)
    frame = write_frame(vector["number"], vector["channel"], written)
    assert frame.hex() == vector["frame"], f"frames {frame.hex()}"
    # The frame is checked alone, so a message in parts comes without its parts.
    found = read_stream(frame, checks_parts=False)
    assert found == [(vector["number"], vector["channel"], body)], "does not read its own frame"


def check_subscription(vectors):
    """Applies the descriptions of a subscription one after the other, and checks that each one has its page."""
    pages = Subscription()
    for view in vectors["views"]:
        page = pages.receive(view)
    assert page == vectors["page"], f"makes {page}"


class Subscription:
    """The page that the descriptions of a subscription describe (section 11.3), without the growth of ages."""

    def __init__(self):
        self.rows, self.update, self.keys = [], 0, []

    def receive(self, view):
        """Takes a description and returns the page."""
        if view["update"] != self.update + 1:
            raise Violation("outOfOrder")
        sent = check_rows(view)
        if "places" in view:
            sent = self.placed(cbor2.loads(bytes.fromhex(view["places"])), sent)
        self.rows, self.update, self.keys = sent, view["update"], view.get("keys", self.keys)
        return self.rows

    def placed(self, places, sent):
        page, rest, numbers = [], list(sent), iter(places)
        for number in numbers:
            count = -number if number < 0 else next(numbers, 0)
            source = rest[:count] if number < 0 else self.rows[number:number + count]
            if count <= 0 or len(source) != count:
                raise Violation("badField")
            page += source
            if number < 0:
                del rest[:count]
        if rest:
            raise Violation("badField")
        return page


def subscriptions():
    """Yields descriptions of subscriptions, with the page that they describe."""
    def view(update, rows, places=None):
        rows = [{"name": name} for name in rows]
        found = {
            "code": 0, "total": 9, "shown": len(rows), "rows": cbor2.dumps(rows, canonical=True).hex(), "update": update}
        return found if places is None else {**found, "places": cbor2.dumps(places).hex()}

    first = view(1, "abc")
    for name, changes, page in [
            ("the first page", [], "abc"), ("nothing has changed", [([], [0, 3])], "abc"),
            ("one row has changed", [("B", [0, 1, -1, 2, 1])], "aBc"), ("rows are gone", [([], [1, 1])], "b"),
            ("another order", [([], [2, 1, 0, 2])], "cab"), ("all rows are gone", [([], [])], ""),
            ("two changes", [("x", [-1, 0, 3]), ("yz", [3, 1, -2, 0, 1])], "cyzx")]:
        views = [first] + [view(number, *change) for number, change in enumerate(changes, 2)]
        yield {"name": f"subscription: {name}", "views": views, "page": [{"name": row} for row in page]}


def check_rows(view):
    """Checks the rows of an answer: maps with text keys that ascend by their encoded bytes. Returns them."""
    data = bytes.fromhex(view["rows"])
    assert bool(data) == (view["code"] == 0), "an answer has rows, and an error has none"
    if not data:
        return []
    rows = cbor2.loads(data)
    assert type(rows) is list, "the rows are no array"
    assert all(type(row) is dict and all(type(key) is str for key in row) for row in rows), "a row is no map of texts"
    assert cbor2.dumps(rows, canonical=True) == data, "the rows are not in the deterministic form"
    return rows


def check_arguments(view):
    """Checks the arguments of a request to act: one map with text keys that ascend by their encoded bytes."""
    data = bytes.fromhex(view["arguments"])
    arguments = cbor2.loads(data)
    assert type(arguments) is dict and all(type(key) is str for key in arguments), "the arguments are no map of texts"
    assert cbor2.dumps(arguments, canonical=True) == data, "the arguments are not in the deterministic form"


def check_stream(vector):
    found = read_stream(bytes.fromhex(vector["hex"]), vector["from"])
    stated = [(message["number"], message["channel"], bytes.fromhex(message["body"])) for message in vector["messages"]]
    assert found == stated, f"reads {found}"
    for number, _, body in found:
        assert write_body(KINDS[number], read_body(KINDS[number], body)) == body, "a body does not come back"


def check_invalid(vector):
    data = bytes.fromhex(vector["hex"])
    try:
        if "kind" in vector:
            found = read_body(vector["kind"], data)
        else:
            found = read_stream(data, vector.get("from", "initiator"))
    except Violation as violation:
        assert violation.code == vector["code"], f"gives {violation.code}, not {vector['code']}"
    else:
        raise AssertionError(f"is accepted: {found}")


def check_applied(vector):
    made = patches.apply(bytes.fromhex(vector["change"]), bytes.fromhex(vector["state"]))
    assert made.hex() == vector["result"], f"makes {made.hex()}"


def check_folded(vector):
    first, second = bytes.fromhex(vector["first"]), bytes.fromhex(vector["second"])
    folded = patches.fold(first, second)
    assert folded.hex() == vector["folded"], f"folds to {folded.hex()}"
    if "state" in vector:
        state = bytes.fromhex(vector["state"])
        assert patches.apply(folded, state) == patches.apply(second, patches.apply(first, state)), "does something else"


def check_refused(vector):
    change = bytes.fromhex(vector["change"])
    try:
        if "second" in vector:
            patches.fold(change, bytes.fromhex(vector["second"]))
        elif "state" in vector:
            patches.apply(change, bytes.fromhex(vector["state"]))
        else:
            patches.read(change)
    except Violation as violation:
        assert violation.code == vector["code"], f"gives {violation.code}, not {vector['code']}"
    else:
        raise AssertionError("is accepted")


def limits():
    """Yields streams at the limits of unfinished messages and payloads, each with its violation's code or None."""
    def chunk(channel, size=MAXIMUM_BODY, flags=2):
        return struct.pack(">IHBBI", size, NUMBERS["state"], flags, 0, channel) + bytes(size)

    ping = bytes.fromhex("000000030005000000000000a10101")
    largest = chunk(1) * (MAXIMUM_MESSAGE // MAXIMUM_BODY)
    second = chunk(2) * (MAXIMUM_MESSAGE // MAXIMUM_BODY)
    many = b"".join(chunk(channel, 1) for channel in range(1, MAXIMUM_ASSEMBLIES + 1))
    yield {"name": "as many bytes of unfinished messages as may be", "stream": ping + largest + second, "code": None}
    yield {"name": "one byte more", "stream": ping + largest + second + chunk(3, 1), "code": "tooLarge"}
    yield {"name": "one byte more of one message", "stream": ping + largest + chunk(1, 1, 0), "code": "tooLarge"}
    yield {"name": "as many unfinished messages as may be", "stream": ping + many + chunk(9999, 1, 0), "code": None}
    yield {"name": "one more", "stream": ping + many + chunk(9999, 1), "code": "tooLarge"}
    ended = chunk(7, 1, 0)
    def begun(channel, length):
        body = write_body("state", {"revision": 1, "applied": 0, "length": length})
        return write_frame(NUMBERS["state"], channel, body)

    def part(channel, size):
        return write_frame(NUMBERS["part"], channel, write_body("part", {"bytes": "00" * size}))

    waiting = begun(1, MAXIMUM_PART_ASSEMBLY) + begun(3, FIRST_PARTS + 1) + part(3, MAXIMUM_PART)
    left = FIRST_PARTS - MAXIMUM_PART
    yield {"name": "the largest payload in parts", "stream": ping + begun(1, MAXIMUM_STATE), "code": None}
    yield {"name": "a larger payload in parts", "stream": ping + begun(1, MAXIMUM_STATE + 1), "code": "tooLarge"}
    yield {"name": "parts for which there is no credit yet", "stream": ping + waiting + part(3, left), "code": None}
    yield {"name": "one byte more than credit", "stream": ping + waiting + part(3, left + 1), "code": "tooLarge"}
    yield {"name": "the largest part", "stream": ping + begun(1, MAXIMUM_PART) + part(1, MAXIMUM_PART), "code": None}
    yield {"name": "a larger part", "stream": ping + begun(1, FIRST_PARTS) + part(1, MAXIMUM_PART + 1), "code": "tooLarge"}
    yield {"name": "one more after one has ended", "stream": ping + many + ended + chunk(9999, 1), "code": None}


def check_limit(vector):
    try:
        read_stream(vector["stream"])
        found = None
    except Violation as violation:
        found = violation.code
    assert found == vector["code"], f"gives {found}"


def check_cut(vector):
    written = write_body("closed", {"code": 1, "reason": vector["sentence"]})
    assert read_body("closed", written)["reason"] == vector["sentence"][:vector["kept"]], "is not cut as it should be"


LONG_SENTENCES = [
    {"name": "the longest sentence", "sentence": "x" * 2048, "kept": 2048},
    {"name": "a longer sentence", "sentence": "x" * 2049, "kept": 2048},
    {"name": "a longer sentence, cut between two characters", "sentence": "x" + "é" * 2000, "kept": 1024},
]


def example_frames(text):
    """Yields the frames of the example in section 15: who sends it, its kind and channel, and its lines with comments.

    Each fenced block of that section is one frame. Its first line is `> kind, channel number`, where `>` marks a
    message from the client and `<` one from the coordinator. The lines after it are hexadecimal digits, `#` and a comment.
    """
    section = text.split("\n## 15. ")[1].split("\n## ")[0]
    for number, block in enumerate(section.split("\n```\n")[1::2], 1):
        title, *lines = block.splitlines()
        side, kind, channel = re.fullmatch(r"([<>]) (\w+), channel (\d+)", title).groups()
        parts = [line.split("#", 1) for line in lines]
        yield {
            "name": f"example, frame {number}: {kind}", "side": side, "kind": kind, "channel": int(channel),
            "lines": [(bytes.fromhex(digits), comment.strip()) for digits, comment in parts]}


def check_example(vector):
    """Checks that a frame of the example is what is written for it, and that each line has what its comment says."""
    (head, described), (_, count), *fields = vector["lines"]
    frame, kind = b"".join(digits for digits, _ in vector["lines"]), vector["kind"]
    length, number, flags, _, channel = struct.unpack(">IHBBI", head)
    assert (KINDS[number], channel) == (kind, vector["channel"]), f"is {KINDS[number]} on channel {channel}"
    stated = f"{counted(length, 'byte')}, kind {number}, {'flags' if flags else 'no flags'}, channel {channel}"
    assert described == stated, f"the header says {stated}"
    assert count == counted(len(fields), "field"), f"has {counted(len(fields), 'field')}"
    body = frame[len(head):]
    assert write_frame(number, channel, write_body(kind, read_body(kind, body))) == frame, "is not written like this"
    for digits, comment in fields:
        key, start = read_item(digits, 0)
        assert item_end(digits, start) == len(digits), f"{comment}: the line has more or less than one field"
        name, (read, _) = MESSAGES[kind][key]
        value = read(read_item(digits, start)[0])
        if name.rstrip("?") in ("state", "action", "changes"):
            value = cbor2.loads(bytes.fromhex(value))
        stated = f"{name.rstrip('?')}: {json.dumps(value)}"
        assert comment == stated, f"the line says {stated}"


def counted(number, noun):
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def check_example_session(vector):
    """Checks that the frames of both sides are a stream each, and that a state or patch follows the one before it."""
    for side, sender in [(">", "initiator"), ("<", "acceptor")]:
        frames = [frame for frame in vector["frames"] if frame["side"] == side]
        frames = [b"".join(digits for digits, _ in frame["lines"]) for frame in frames]
        messages = read_stream(b"".join(frames), sender)
        assert len(messages) == len(frames), "a frame is no message"
    revision = 0
    for frame in vector["frames"]:
        view = read_body(frame["kind"], b"".join(digits for digits, _ in frame["lines"][1:]))
        if frame["kind"] == "patch":
            assert view["base"] == revision, f"the patch is made to revision {view['base']}, not {revision}"
        if frame["kind"] in ("opened", "state", "patch"):
            revision = view["revision"]
    assert vector["frames"], "section 15 has no frames"


def main():
    folder = pathlib.Path(__file__).resolve().parent / "vectors"
    valid = json.loads((folder / "valid.json").read_text(encoding="utf-8"))
    invalid = json.loads((folder / "invalid.json").read_text(encoding="utf-8"))
    work = [(check_message, vector) for vector in valid["messages"]]
    work += [(check_stream, vector) for vector in valid["streams"]]
    work += [(check_invalid, vector) for vector in invalid]
    tolerated = json.loads((folder / "tolerated.json").read_text(encoding="utf-8"))
    work += [(check_tolerated, vector) for vector in tolerated]
    payloads = json.loads((folder / "payloads.json").read_text(encoding="utf-8"))
    work += [(check_written, vector) for vector in payloads["written"]]
    work += [(check_read, vector) for vector in payloads["read"]]
    changes = json.loads((folder / "patches.json").read_text(encoding="utf-8"))
    work += [(check_applied, vector) for vector in changes["applied"]]
    work += [(check_folded, vector) for vector in changes["folded"]]
    work += [(check_refused, vector) for vector in changes["refused"]]
    text = (folder.parent / "lattice-wire-v1.md").read_text(encoding="utf-8")
    frames = list(example_frames(text))
    work += [(check_example, frame) for frame in frames]
    work += [(check_example_session, {"name": "example, the whole session", "frames": frames})]
    work += [(check_limit, vector) for vector in limits()]
    work += [(check_cut, vector) for vector in LONG_SENTENCES]
    work += [(check_subscription, vector) for vector in subscriptions()]
    failed = 0
    for check, vector in work:
        try:
            check(vector)
        except (AssertionError, Violation) as error:
            failed += 1
            print(f"FAILED {vector['name']}: {error}", file=sys.stderr)
    print(f"{len(work) - failed} passed, {failed} failed")
    return 1 if failed or {vector["number"] for vector in valid["messages"]} != set(KINDS) else 0


if __name__ == "__main__":
    sys.exit(main())
