"""Reads and writes values, which are well-formed CBOR in the deterministic form.

This is written from section 4 of lattice-wire-v1.md alone.
"""

import cbor2

MAXIMUM_DEPTH = 128


class Violation(Exception):
    def __init__(self, code):
        super().__init__(code)
        self.code = code


class Pairs(list):
    """A map, as its keys and values in their order."""


class Other:
    """A value that no field accepts: a tagged value, a simple value, undefined, or text that is not UTF-8.

    `code` is the violation that a field of any type reports for it.
    """

    def __init__(self, code="badField"):
        self.code = code


def item_end(data, start, depth=0):
    """Returns where the item that begins at `start` ends.

    It is a violation if the item is not well-formed and deterministic.
    """
    if start >= len(data):
        raise Violation("malformedBody")
    major, info = data[start] >> 5, data[start] & 31
    start += 1
    argument = info
    if info >= 24:
        width = {24: 1, 25: 2, 26: 4, 27: 8}.get(info)
        if width is None or start + width > len(data):
            raise Violation("malformedBody")
        argument = int.from_bytes(data[start:start + width], "big")
        start += width
        least = {1: 32 if major == 7 else 24, 2: 1 << 8, 4: 1 << 16, 8: 1 << 32}[width]
        if argument < least and (major != 7 or width == 1):
            raise Violation("malformedBody")
    if major in (2, 3):
        if start + argument > len(data):
            raise Violation("malformedBody")
        return start + argument
    if major in (4, 5, 6):
        if depth >= MAXIMUM_DEPTH:
            raise Violation("malformedBody")
        count = {4: argument, 5: 2 * argument, 6: 1}[major]
        if count > len(data) - start:
            raise Violation("malformedBody")
        for _ in range(count):
            start = item_end(data, start, depth + 1)
    return start


def read_item(data, start):
    """Returns the value that begins at `start`, and where it ends. The value must be well-formed."""
    first, info, head = data[start], data[start] & 31, start
    major, argument, start = read_head(data, start)
    if major == 0:
        return argument, start
    if major == 1:
        return -1 - argument, start
    if major == 2:
        return data[start:start + argument], start + argument
    if major == 3:
        try:
            return data[start:start + argument].decode(), start + argument
        except UnicodeDecodeError:
            return Other("malformedBody"), start + argument
    if major == 4:
        items = []
        for _ in range(argument):
            item, start = read_item(data, start)
            items.append(item)
        return items, start
    if major == 5:
        pairs = Pairs()
        for _ in range(argument):
            key, start = read_item(data, start)
            value, start = read_item(data, start)
            pairs.append((key, value))
        return pairs, start
    if major == 6:
        # This includes bignums, because a field of a number type accepts no tag.
        return Other(), item_end(data, start)
    if info >= 25:
        return cbor2.loads(data[head:start]), start
    return {0xF4: False, 0xF5: True, 0xF6: None}.get(first, Other()), start


def read_head(data, start):
    """Returns the major type and the argument of the item that begins at `start`, and where its head ends.

    The item must be well-formed.
    """
    width = {24: 1, 25: 2, 26: 4, 27: 8}.get(data[start] & 31, 0)
    argument = int.from_bytes(data[start + 1:start + 1 + width], "big") if width else data[start] & 31
    return data[start] >> 5, argument, start + 1 + width


def write_head(major, argument):
    return bytes([cbor2.dumps(argument)[0] | major << 5]) + cbor2.dumps(argument)[1:]


def write_list(items):
    """Returns the bytes of an array whose values are encoded already."""
    return write_head(4, len(items)) + b"".join(items)


def write_map(entries):
    """Returns the bytes of a map whose keys and values are encoded already."""
    return write_head(5, len(entries)) + b"".join(key + entries[key] for key in sorted(entries))
