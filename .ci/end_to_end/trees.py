"""Trees to count."""

import os
import random

WORDS = [b"lattice", b"worker", b"a", b"of", b"\xc3\xa9t\xc3\xa9", b"state", b"0", b"x" * 40, b"\xff\xfe", b"\x00"]
SPACES = [b" ", b"\n", b"\t", b"\r\n", b"  ", b"\v", b"\f", b"\n\n"]


def text(generator, words):
    pieces = []
    for _ in range(words):
        pieces.append(generator.choice(WORDS))
        pieces.append(generator.choice(SPACES))
    return b"".join(pieces)


def write(root, path, content):
    full = os.path.join(os.fsencode(root), path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "wb") as file:
        file.write(content)


def odd(root):
    """Everything that a tree may have and that is easy to get wrong."""
    generator = random.Random(1)
    every_byte = bytes(range(256))
    for path, content in {
        b"empty": b"", b"empty.txt": b"", b"newline": b"\n", b"no newline.txt": b"one two\nthree",
        b"only spaces.txt": b" \t\v\f\r ", b"binary.bin": every_byte * 33, b"high": bytes(range(128, 256)) * 7,
        b"with space/and more/a b c.txt": b"a b c\n", b"new\nline.txt": b"x\ny\n", b"tab\there": b"\t",
        b"back\\slash \"quote\".json": b"{}", b"\xff\xfe.bad": b"bad name\n", b"dir\xe9/in\xe8side.t\xeft": b"a\n",
        "snow\u2603man.txt".encode(): "\u2603 \u2603\n".encode(), b".bashrc": b"hidden\n",
        b".config/.deep/.file.cfg": b"hidden too\n", b"a.": b"ends with a dot\n", b"a.tar.gz": b"two dots\n",
        b"..double": b"x", b"...": b"y\n", b".": None, b"dir.d/name": b"dot in the directory\n", b"-rf": b"-\n",
        b"\x1b[31m.txt": b"escape\n", b"x" * 255: b"longest name\n", b"UPPER.TXT": b"u\n",
    }.items():
        if content is not None:
            write(root, path, content)
    # Sizes around those at which a reader may cut, with a word across the cut.
    for size in (1, 7, 8, 9, 63, 64, 65, 2039, 2040, 2041, 4096, 65535, 65536, 262143, 262144, 262145, 524288, 800001):
        content = (text(generator, size // 2 + 1) * 3)[:size]
        write(root, b"sizes/%d.txt" % size, content)
        write(root, b"sizes/%d.one-word" % size, b"w" * size)
        write(root, b"sizes/%d.newlines" % size, b"\n" * size)
    root = os.fsencode(root)
    os.makedirs(os.path.join(root, b"no files/at all"))
    os.symlink(b"binary.bin", os.path.join(root, b"link.bin"))
    os.symlink(b"nowhere", os.path.join(root, b"broken link"))
    os.symlink(b"..", os.path.join(root, b"with space", b"up"))
    os.symlink(b"with space", os.path.join(root, b"link to a directory"))
    os.link(os.path.join(root, b"binary.bin"), os.path.join(root, b"hard link.bin"))
    os.mkfifo(os.path.join(root, b"fifo"))
    deep = b"/".join([b"d%d" % level for level in range(400)])
    write(root, deep + b"/bottom.txt", b"deep\n")
    for number in range(500):
        write(root, b"wide/%d/f.txt" % number, b"%d\n" % number)


def small(root, count, words=20, seed=2):
    """Many small files, a hundred to a directory."""
    generator = random.Random(seed)
    block = text(generator, 4 * words)
    for number in range(count):
        start = generator.randrange(len(block) // 2)
        content = block[start : start + generator.randrange(len(block) // 2)]
        write(root, b"%03d/%05d.%s" % (number // 100, number, generator.choice([b"txt", b"md", b"c"])), content)


def medium(root, files=600, seed=3):
    """Some hundred files of some hundred KiB each, so that counting takes a while in any build."""
    generator = random.Random(seed)
    block = text(generator, 40_000)
    for number in range(files):
        size = generator.randrange(len(block) // 2, len(block))
        write(root, b"%02d/%04d.txt" % (number % 20, number), block[:size] + b"%d" % number)


SLOW = 192


def slow(root):
    """Files with long holes: seconds of counting, and hardly anything on the disk."""
    for number in range(SLOW):
        name = b"%02d/%04d.txt" % (number % 20, number)
        write(root, name, b"%d words here\n" % number)
        with open(os.path.join(os.fsencode(root), name), "r+b") as file:
            file.truncate(16 << 20)
            file.seek(8 << 20)
            file.write(b" more\n")


def endless(root):
    """Some small files, and two that take longer to count than anybody waits."""
    small(root, 200)
    for name in ("zz1.dat", "zz2.dat"):
        with open(os.path.join(root, name), "wb") as file:
            file.truncate(1 << 40)


def large(root, size):
    """One file with holes, and text here and there between them."""
    generator = random.Random(4)
    with open(os.path.join(root, "large.dat"), "wb") as file:
        file.truncate(size)
        for _ in range(200):
            file.seek(generator.randrange(size - (1 << 20)))
            file.write(text(generator, 2_000))
