"""End-to-end runs of tally, todos or wordindex: python3 .ci/end_to_end PROGRAM [NAME ...]

PROGRAM is the executable. With names, only the cases whose MODULE.NAME contains one of them. SEED repeats random moments.
"""

import importlib
import os
import sys
import time
import traceback

from harness import CASES, Failure, Process, Skipped

MODULES = {
    "tally": ("counting", "surviving", "terminal", "wrong_use"),
    "todos": ("todos_terminals", "todos_endings", "todos_lines"),
    "wordindex": ("indexing",),
}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    Process.executable, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    for module in MODULES.get(os.path.basename(Process.executable), ()):
        importlib.import_module(module)
    chosen = [case for case in CASES if not names or any(name in f"{case.__module__}.{case.__name__}" for name in names)]
    failed = 0
    for case in chosen:
        name = case.__module__ + "." + case.__name__
        print(f"{name} ...", flush=True)
        began = time.monotonic()
        try:
            case()
            verdict = "ok"
        except Skipped as reason:
            verdict = f"skipped: {reason}"
        except Failure as failure:
            failed += 1
            verdict = f"FAILED: {failure}"
        except Exception:
            failed += 1
            verdict = "FAILED: " + traceback.format_exc()
        print(f"  {name}: {verdict} ({time.monotonic() - began:.1f} s)", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed", flush=True)
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
