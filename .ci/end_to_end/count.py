"""Counts a tree without any part of tally, for comparison. A separate implementation of the same words."""

import collections
import os
import stat

CHUNK = 1 << 20


def count_file(path):
    """(lines, words, bytes) of one file; raises OSError when it cannot be read."""
    lines = words = size = 0
    in_word = False
    with open(path, "rb", buffering=0) as file:
        while chunk := file.read(CHUNK):
            size += len(chunk)
            lines += chunk.count(b"\n")
            # bytes.split() splits at space, \t \n \v \f \r: the same six bytes.
            words += len(chunk.split())
            if in_word and not chunk[:1].isspace():
                words -= 1
            in_word = not chunk[-1:].isspace()
    return lines, words, size


def walk(root):
    """(files, failures): relative paths of regular files, and those of directories that cannot be read."""
    files, failures, pending = [], {}, [b""]
    while pending:
        directory = pending.pop()
        try:
            names = os.listdir(os.path.join(root, directory) if directory else root)
        except OSError as error:
            failures[directory] = os.strerror(error.errno)
            continue
        for name in names:
            path = os.path.join(directory, name) if directory else name
            mode = os.lstat(os.path.join(root, path)).st_mode
            if stat.S_ISDIR(mode):
                pending.append(path)
            elif stat.S_ISREG(mode):
                files.append(path)
    return files, failures


def extension(path):
    name = path.rpartition(b"/")[2]
    dot = name.rfind(b".")
    return name[dot + 1 :] if dot > 0 else b""


def shown(path):
    """The two members of an object that stand for a path."""
    try:
        return {"path": path.decode() or "."}
    except UnicodeDecodeError:
        return {"path": path.decode(errors="replace"), "pathHex": path.hex()}


def report(root, except_for=(), reasons=None):
    """What `tally ROOT --json` should print, as an object. `except_for`: paths that are not counted."""
    path = os.fsencode(root)
    files, failures = ([], {}) if os.path.isfile(path) else walk(path)
    failures.update(reasons or {})
    counts = {os.path.basename(path): count_file(path)} if os.path.isfile(path) else {}
    for file in files:
        if file in except_for or file in failures:
            continue
        try:
            counts[file] = count_file(os.path.join(path, file))
        except OSError as error:
            failures[file] = os.strerror(error.errno)
    return assemble(root, counts, failures)


def assemble(root, counts, failures):
    total = {"files": len(counts), "lines": 0, "words": 0, "bytes": 0}
    extensions = collections.defaultdict(lambda: {"files": 0, "lines": 0, "words": 0, "bytes": 0})
    files = []
    for path, (lines, words, size) in sorted(counts.items()):
        numbers = {"lines": lines, "words": words, "bytes": size}
        files.append({**shown(path), **numbers})
        entry = extensions[extension(path)]
        entry["files"] += 1
        for key, number in numbers.items():
            total[key] += number
            entry[key] += number
    ordered = sorted(extensions.items(), key=lambda item: (-item[1]["lines"], item[0]))
    return {
        "root": root,
        "files": files,
        "failures": [{**shown(path), "reason": reason} for path, reason in sorted(failures.items())],
        "total": total,
        "extensions": [{"extension": name.decode(errors="replace"), **entry} for name, entry in ordered],
    }
