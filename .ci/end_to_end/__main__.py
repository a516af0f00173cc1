"""End-to-end runs of tally, todos or wordindex: python3 .ci/end_to_end PROGRAM... [NAME...]

PROGRAM is the path of an executable. With names, only the cases whose MODULE.NAME contains one of them. SEED repeats
random moments. Cases run beside each other, because most of them wait most of the time. One alone writes as it runs.
"""

import concurrent.futures
import importlib
import os
import subprocess
import sys
import time
import traceback

import harness

MODULES = {
    "tally": ("counting", "surviving", "terminal", "wrong_use"),
    "todos": ("todos_terminals", "todos_endings", "todos_lines"),
    "wordindex": ("indexing",),
}
# Two for each core of a small machine: with more they wait for each other for longer than their limits.
AT_ONCE = 4


def main():
    programs = [argument for argument in sys.argv[1:] if os.path.basename(argument) in MODULES]
    names = [argument for argument in sys.argv[1:] if argument not in programs]
    if not programs:
        sys.exit(__doc__)
    every = [(program, case) for program in programs for case in cases(program)]
    chosen = [(program, case) for program, case in every if name_of(case) in names] or [
        (program, case) for program, case in every if not names or any(name in name_of(case) for name in names)
    ]
    if len(chosen) == 1:
        return run(*chosen[0])
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as executor:
        failed = sum(executor.map(lambda one: run_apart(*one), chosen))
    print(f"{len(chosen) - failed} passed, {failed} failed", flush=True)
    return 1 if failed or not chosen else 0


def cases(program):
    modules = MODULES[os.path.basename(program)]
    for module in modules:
        importlib.import_module(module)
    return [case for case in harness.CASES if case.__module__ in modules]


def name_of(case):
    return case.__module__ + "." + case.__name__


def run_apart(program, case):
    """Runs a case in a process of its own. Returns 0 if it passes."""
    command = [sys.executable, os.path.dirname(os.path.abspath(__file__)), program, name_of(case)]
    ended = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    print(ended.stdout.decode(errors="replace"), end="", flush=True)
    return 1 if ended.returncode else 0


def run(program, case):
    """Runs a case here. Returns 0 if it passes."""
    harness.Process.executable = os.path.abspath(program)
    name, failed = name_of(case), False
    print(f"{name} ...", flush=True)
    began = time.monotonic()
    try:
        case()
        verdict = "ok"
    except harness.Skipped as reason:
        verdict = f"skipped: {reason}"
    except harness.Failure as failure:
        failed, verdict = True, f"FAILED: {failure}"
    except Exception:
        failed, verdict = True, "FAILED: " + traceback.format_exc()
    print(f"  {name}: {verdict} ({time.monotonic() - began:.1f} s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
