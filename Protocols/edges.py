#!/usr/bin/env python3
"""Writes random inputs at the edges of the protocol, each with the result of this implementation.

    edges.py FILE [SEED [COUNT]]

Each line is a JSON object:

- `kind` is the kind of a body, `stream` for frames, `value` for a value that only has to be well-formed, `apply` for a
  change that is applied to a value, or `fold` for two changes;
- `hex` is the input;
- `other` is the value to which the change is applied, or the second change;
- `written` is the result of reading the input and writing it again. It is absent if the input is refused.

Another implementation must accept the same inputs and write the same bytes. The codes of refusals are not compared,
because an input may have several faults.
"""

import json
import pathlib
import random
import sys

import check
import patches
import values

# Unusual values, in hexadecimal digits.
ODD = [
    "00", "17", "1817", "1818", "18ff", "190100", "1900ff", "1a00010000", "1b0000000100000000", "1bffffffffffffffff",
    "1c", "1f", "20", "387f", "3903e8", "3a7fffffff", "3a80000000", "3bffffffffffffffff", "40", "4101", "5800", "5f4101ff",
    "60", "6161", "61ff", "62c3a9", "62c328", "63eda080", "7800", "7f6161ff", "80", "8100", "811817", "9f00ff", "9f", "a0",
    "a10000", "a2000000 00", "a201000000", "a1616100", "bf0000ff", "c24105", "c249010000000000000000", "c34105", "c101",
    "c249000000000000000000", "d81840", "d8185800", "da00000001 00", "c1", "e0", "f3", "f4", "f5", "f6", "f7", "f800",
    "f818", "f820", "f8ff", "f90000", "f97e00", "fa00000000", "fa7fc00000", "fb0000000000000000", "fc", "ff", "8102",
    "8105", "820102", "8203", "83031900ff60", "83030160", "8303190100 60", "8304810500", "8304820200 00", "83048103 00ff",
    "8261ff00", "a30161610201030161ff", "81a301616102010302", "81a3016161020103 03", "81a201616102 01", "81a4016161020103010461ff",
    "81a40161610201030105c1", "820061ff", "8200a2000000 00", "820081f8", "58ff", "1903ff", "190400", "50" + "11" * 16, "4f" + "11" * 15,
]


def deep(count):
    """Returns values with `count` levels of nesting."""
    return ["81" * count + "00", "c1" * count + "00", "a100" * count + "00", "81" * (count - 1) + "80"]


def entries(body):
    """Returns the keys and values of an encoded map, as bytes."""
    assert body[0] >> 5 == 5 and body[0] & 31 < 24
    start, pairs = 1, []
    for _ in range(body[0] & 31):
        middle = check.item_end(body, start)
        end = check.item_end(body, middle)
        pairs.append([body[start:middle], body[middle:end]])
        start = end
    return pairs


class Inputs:
    def __init__(self, seed):
        self.random = random.Random(seed)
        folder = pathlib.Path(__file__).resolve().parent / "vectors"
        valid = json.loads((folder / "valid.json").read_text(encoding="utf-8"))
        invalid = json.loads((folder / "invalid.json").read_text(encoding="utf-8"))
        self.bodies = [(message["kind"], bytes.fromhex(message["body"])) for message in valid["messages"]]
        self.bodies += [(vector["kind"], bytes.fromhex(vector["hex"])) for vector in invalid if "kind" in vector]
        self.bodies = [(kind, body) for kind, body in self.bodies if len(body) < 300]
        self.frames = [bytes.fromhex(message["frame"]) for message in valid["messages"]]
        self.frames += [bytes.fromhex(stream["hex"]) for stream in valid["streams"]]
        self.frames += [bytes.fromhex(vector["hex"]) for vector in invalid if "kind" not in vector]
        self.frames = [frame for frame in self.frames if len(frame) < 2000]
        self.odd = [bytes.fromhex(text) for text in ODD + [text for count in range(120, 132) for text in deep(count)]]

    def bent(self, data):
        """Returns the bytes with one or two faults: a byte is changed, removed or added, or the rest is cut off."""
        data = bytearray(data)
        for _ in range(self.random.randint(1, 2)):
            place = self.random.randrange(len(data) + 1)
            choice = self.random.randrange(4)
            if choice == 0 and place < len(data):
                data[place] ^= 1 << self.random.randrange(8)
            elif choice == 1:
                data[place:place + 1] = b""
            elif choice == 2:
                data[place:place] = bytes([self.random.choice((0, 1, 0x18, 0x40, 0x60, 0x80, 0xA0, 0xC2, 0xF6, 0xFF))])
            else:
                del data[max(place, 1):]
        return bytes(data)

    def body(self):
        kind, body = self.random.choice(self.bodies)
        if self.random.random() < 0.3 or body[:1] < b"\xa0" or body[0] > 0xB0:
            return kind, self.bent(body)
        try:
            pairs = entries(body)
        except check.Violation:
            return kind, self.bent(body)
        choice = self.random.randrange(4)
        if choice == 0 or not pairs:
            # A key that no reader knows, before, between or after the others.
            key = self.random.choice((b"\x00", b"\x0a", b"\x17", b"\x18\x18", b"\x19\x01\x00", b"\x20", b"\x61a", b"\xc2\x41\x05"))
            pairs.append([key, self.random.choice(self.odd)])
            if self.random.random() < 0.8:
                pairs.sort(key=lambda pair: pair[0])
        elif choice == 1:
            self.random.choice(pairs)[1] = self.random.choice(self.odd)
        elif choice == 2:
            pairs.pop(self.random.randrange(len(pairs)))
        else:
            pairs[self.random.randrange(len(pairs))] = list(self.random.choice(pairs))
        return kind, bytes([0xA0 | len(pairs)]) + b"".join(key + value for key, value in pairs)

    def stream(self):
        frames = [self.random.choice(self.frames) for _ in range(self.random.randint(1, 3))]
        if self.random.random() < 0.7:
            place = self.random.randrange(len(frames))
            frames[place] = self.bent(frames[place])
        return b"".join(frames)

    def value(self, depth=0):
        """Returns an encoded value to which changes can be applied."""
        choice = self.random.random()
        if depth == 4 or choice < 0.2:
            return self.random.choice((b"\x00", b"\x18\x2a", b"\x20", b"\x61a", b"\x41\x00", b"\xf5", b"\xf6", b"\xc1\x00"))
        if choice < 0.6:
            return values.write_list([self.value(depth + 1) for _ in range(self.random.choice((0, 1, 2, 3, 5, 24)))])
        return values.write_map({self.key(): self.value(depth + 1) for _ in range(self.random.choice((0, 1, 2, 4, 25)))})

    def key(self):
        return self.random.choice((
            b"\x00", b"\x17", b"\x18\x18", b"\x20", b"\x41a", b"\x60", b"\x61a", b"\x61b", b"\x61c", b"\x62ab", b"\x63abc",
            b"\x81\x00", b"\xf6", bytes([0x18, self.random.randrange(24, 256)])))

    def change(self, value):
        """Returns a change that can be applied to the value in most cases."""
        major = value[0] >> 5
        if self.random.random() < 0.15 or major not in (4, 5):
            return patches.SET, self.value(2)
        if major == 5:
            there, _ = patches.entries(value, 0)
            changed = {self.key(): None if self.random.random() < 0.3 else (patches.SET, self.value(2))}
            for key, start, end in there:
                if self.random.random() < 0.3:
                    changed[key] = None if self.random.random() < 0.2 else self.change(value[start:end])
            return patches.FIELDS, sorted(changed.items())
        places = patches.elements(value, 0, 4)
        pieces, index, count = [], 0, len(places) - 1
        while index < count:
            choice, taken = self.random.random(), self.random.randint(1, 3)
            if choice < 0.5:
                pieces.append((patches.KEPT, index, min(taken, count - index)))
            elif choice < 0.7:
                taken = 1
                pieces.append((patches.CHANGED, index, self.change(value[places[index]:places[index + 1]])))
            index += taken
            if self.random.random() < 0.2:
                pieces.append((patches.VALUES, [self.value(3) for _ in range(self.random.randint(1, 3))]))
        if self.random.random() < 0.3:
            self.random.shuffle(pieces)
        return patches.PIECES, pieces or [(patches.VALUES, [self.value(3)])]

    def changes(self):
        """Returns a change and the value to which it is applied, or two consecutive changes."""
        value = self.value()
        first = patches.write(self.change(value))
        kind, other = "apply", value
        if self.random.random() < 0.6:
            after = patches.apply(first, value) if self.random.random() < 0.9 else self.value()
            kind, other = "fold", patches.write(self.change(after))
        if self.random.random() < 0.3:
            first = self.bent(first)
        if self.random.random() < 0.2:
            other = self.bent(other)
        return kind, first, other

    def next(self):
        choice = self.random.random()
        if choice < 0.4:
            return self.body()
        if choice < 0.6:
            return self.changes()
        if choice < 0.8:
            return "stream", self.stream()
        data = self.random.choice(self.odd)
        return "value", self.bent(data) if self.random.random() < 0.3 else data


def written(kind, data, other=None):
    if kind == "apply":
        return patches.apply(data, other).hex()
    if kind == "fold":
        return patches.fold(data, other).hex()
    if kind == "stream":
        return "".join(f"{number:04x}{channel:08x}{body.hex()}/" for number, channel, body in check.read_stream(data))
    if kind == "value":
        if check.item_end(data, 0) != len(data):
            raise check.Violation("malformedBody")
        return data.hex()
    return check.write_body(kind, check.read_body(kind, data)).hex()


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 20000
    inputs, accepted = Inputs(seed), 0
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        for _ in range(count):
            kind, data, *other = inputs.next()
            line = {"kind": kind, "hex": data.hex()}
            if other:
                line["other"] = other[0].hex()
            try:
                line["written"] = written(kind, data, *other)
                accepted += 1
            except check.Violation:
                pass
            file.write(json.dumps(line) + "\n")
    print(f"{count} inputs, {accepted} accepted, seed {seed}")


if __name__ == "__main__":
    main()
