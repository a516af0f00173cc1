"""Applies changes to values and folds two changes into one, written from section 8 of lattice-wire-v1.md alone.

A change is `("set", value)`, `("fields", [(key, change or None), ...])` or `("pieces", [piece, ...])`. A piece is
`("kept", start, count)`, `("values", [value, ...])` or `("changed", start, change)`. Keys and values are encoded bytes.
"""

import cbor2

from values import Violation, item_end, read_head, write_head, write_list, write_map

MAXIMUM_NUMBER = (1 << 63) - 1
NULL = b"\xf6"
SET, FIELDS, PIECES = "set", "fields", "pieces"
KEPT, VALUES, CHANGED = "kept", "values", "changed"


def elements(data, start, major):
    """Returns where each element of an array, or each key and value of a map, begins. The last place is its end."""
    found, count, start = read_head(data, start)
    if found != major:
        raise Violation("badField")
    places = [start]
    for _ in range(count * (2 if major == 5 else 1)):
        places.append(item_end(data, places[-1]))
    return places


def entries(data, start):
    """Returns the keys of a map, each with where its value begins and ends, and where the map ends."""
    places = elements(data, start, 5)
    found = []
    for key, value, end in zip(places[::2], places[1::2], places[2::2]):
        found.append((data[key:value], value, end))
    for (before, *_), (after, *_) in zip(found, found[1:]):
        if before >= after:
            raise Violation("duplicateField" if before == after else "malformedBody")
    return found, places[-1]


def number(data, start):
    major, argument, end = read_head(data, start)
    if major != 0 or argument > MAXIMUM_NUMBER:
        raise Violation("badField")
    return argument, end


def operation(data, start, allowed):
    """Returns the number that an array begins with, and the places of the elements after it.

    `allowed` maps each number that may come to the number of elements of such an array.
    """
    places = elements(data, start, 4)
    if len(places) < 2:
        raise Violation("badField")
    found = number(data, places[0])[0]
    if allowed.get(found) != len(places) - 1:
        raise Violation("badField")
    return found, places[1:]


def read_change(data, start=0):
    kind, places = operation(data, start, {0: 2, 1: 2, 2: 2})
    if kind == 0:
        return SET, data[places[0]:places[1]]
    if kind == 1:
        found, _ = entries(data, places[0])
        if not found:
            raise Violation("badField")
        return FIELDS, [(key, None if data[value:end] == NULL else read_change(data, value)) for key, value, end in found]
    pieces = [read_piece(data, piece) for piece in elements(data, places[0], 4)[:-1]]
    if not pieces:
        raise Violation("badField")
    taken = sorted((piece[1], piece[1] + length(piece)) for piece in pieces if piece[0] != VALUES)
    if any(end > MAXIMUM_NUMBER for _, end in taken) or sum(map(length, pieces)) > MAXIMUM_NUMBER:
        raise Violation("badField")
    if any(end > after for (_, end), (after, _) in zip(taken, taken[1:])):
        raise Violation("badField")
    return PIECES, pieces


def read_piece(data, start):
    kind, places = operation(data, start, {0: 3, 1: 2, 2: 3})
    if kind == 1:
        values = elements(data, places[0], 4)
        if len(values) == 1:
            raise Violation("badField")
        return VALUES, [data[value:end] for value, end in zip(values, values[1:])]
    first = number(data, places[0])[0]
    if kind == 2:
        return CHANGED, first, read_change(data, places[1])
    count = number(data, places[1])[0]
    if count == 0:
        raise Violation("badField")
    return KEPT, first, count


def length(piece):
    """Returns the number of elements that the piece contributes."""
    return {KEPT: piece[-1], VALUES: len(piece[1]) if piece[0] == VALUES else 0, CHANGED: 1}[piece[0]]


def needed(pieces):
    """Returns the minimum number of elements that an array needs for these pieces."""
    return max((piece[1] + length(piece) for piece in pieces if piece[0] != VALUES), default=0)


def read(data):
    """Returns the change that the bytes encode, without any bytes after it."""
    if item_end(data, 0) != len(data):
        raise Violation("malformedBody")
    return read_change(data)


def write(change):
    kind, content = change
    if kind == SET:
        return b"\x82\x00" + content
    if kind == FIELDS:
        return b"\x82\x01" + write_map({key: NULL if part is None else write(part) for key, part in content})
    return b"\x82\x02" + write_list(list(map(write_piece, content)))


def write_piece(piece):
    if piece[0] == KEPT:
        return b"\x83\x00" + write_head(0, piece[1]) + write_head(0, piece[2])
    if piece[0] == VALUES:
        return b"\x82\x01" + write_list(piece[1])
    return b"\x83\x02" + write_head(0, piece[1]) + write(piece[2])


def make(change, value):
    """Returns the value that a change makes of a value."""
    kind, content = change
    if kind == SET:
        return content
    if kind == FIELDS:
        found, _ = entries(value, 0)
        changed = {key: value[start:end] for key, start, end in found}
        for key, part in content:
            if part is None:
                changed.pop(key, None)
            elif part[0] != SET and key not in changed:
                raise Violation("badField")
            else:
                changed[key] = make(part, changed.get(key))
        return write_map(changed)
    places = elements(value, 0, 4)
    if needed(content) > len(places) - 1:
        raise Violation("badField")
    made = []
    for piece in content:
        if piece[0] == VALUES:
            made += piece[1]
            continue
        old = [value[places[index]:places[index + 1]] for index in range(piece[1], piece[1] + length(piece))]
        made += old if piece[0] == KEPT else [make(piece[2], old[0])]
    return write_list(made)


def fold_changes(first, second):
    """Returns one change that has the effect of both."""
    if second is None or second[0] == SET:
        return second
    if first is None:
        raise Violation("badField")
    if first[0] == SET:
        return SET, make(second, first[1])
    if first[0] != second[0]:
        raise Violation("badField")
    if first[0] == FIELDS:
        folded = dict(first[1])
        for key, part in second[1]:
            folded[key] = fold_changes(folded[key], part) if key in folded else part
        return FIELDS, list(folded.items())
    if needed(second[1]) > sum(map(length, first[1])):
        raise Violation("badField")
    return PIECES, joined([part for piece in second[1] for part in fold_piece(first[1], piece)])


def fold_piece(pieces, piece):
    """Yields the pieces that a later piece stands for, expressed by the earlier pieces."""
    if piece[0] == VALUES:
        yield piece
        return
    passed = 0
    for earlier in pieces:
        low = max(piece[1], passed) - passed
        high = min(piece[1] + length(piece), passed + length(earlier)) - passed
        passed += length(earlier)
        if low >= high:
            continue
        if piece[0] == KEPT:
            if earlier[0] == KEPT:
                yield KEPT, earlier[1] + low, high - low
            elif earlier[0] == VALUES:
                yield VALUES, earlier[1][low:high]
            else:
                yield earlier
        elif earlier[0] == KEPT:
            yield CHANGED, earlier[1] + low, piece[2]
        elif earlier[0] == VALUES:
            yield VALUES, [make(piece[2], earlier[1][low])]
        else:
            yield CHANGED, earlier[1], fold_changes(earlier[2], piece[2])


def joined(pieces):
    result = []
    for piece in pieces:
        last = result[-1] if result else (None,)
        if piece[0] == VALUES == last[0]:
            result[-1] = VALUES, last[1] + piece[1]
        elif piece[0] == KEPT == last[0] and last[1] + last[2] == piece[1]:
            result[-1] = KEPT, last[1], last[2] + piece[2]
        else:
            result.append(piece)
    return result


def between(old, new):
    """Returns a change between two values, which are in the form that cbor2 returns."""
    if type(old) is dict and type(new) is dict and encoded(old) != encoded(new):
        changed = {encoded(key): None for key in old if key not in new}
        for key, value in new.items():
            if key not in old:
                changed[encoded(key)] = SET, encoded(value)
            elif encoded(value) != encoded(old[key]):
                changed[encoded(key)] = between(old[key], value)
        return FIELDS, list(changed.items())
    if type(old) is list and type(new) is list and new:
        kept = 0
        while kept < min(len(old), len(new)) and encoded(old[kept]) == encoded(new[kept]):
            kept += 1
        pieces = [(KEPT, 0, kept)] if kept else []
        return PIECES, pieces + ([(VALUES, list(map(encoded, new[kept:])))] if kept < len(new) else [])
    return SET, encoded(new)


def encoded(value):
    return cbor2.dumps(value, canonical=True)


def apply(change, value):
    """Returns the encoded value that an encoded change makes of an encoded value."""
    found = read(change)
    if found[0] != SET and item_end(value, 0) != len(value):
        raise Violation("malformedBody")
    return make(found, value)


def fold(first, second):
    """Returns the encoded fold of two encoded changes."""
    return write(fold_changes(read(first), read(second)))
