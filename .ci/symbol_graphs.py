"""Extracts what the compiler knows of the symbols of a library, from the modules of a build."""

import functools
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def output(*command):
    """Runs a command and returns what it prints. Ends this program if it fails."""
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if result.returncode:
        sys.exit(f"{' '.join(command[:4])}: {result.stderr}")
    return result.stdout


@functools.cache
def target():
    """The platform for which the compiler builds."""
    return json.loads(output("swift", "-print-target-info"))["target"]["unversionedTriple"]


def modules():
    """The folder with the products of a debug build."""
    return pathlib.Path(output("swift", "build", "--show-bin-path", "--package-path", str(ROOT)).strip())


def extract(library, build, folder, *options):
    """Writes the symbol graphs of a library, and of what it adds to other modules' types, into a folder."""
    # What is built for macros is the same once more.
    maps = [path for path in sorted(build.glob("*.build/module.modulemap")) if "-tool" not in path.parent.name]
    command = ["swift", "symbolgraph-extract", "-module-name", library, "-I", f"{build}/Modules", "-target", target()]
    maps = [part for path in maps for part in ("-Xcc", f"-fmodule-map-file={path}")]
    output(*command, *maps, *options, "-output-dir", str(folder))
