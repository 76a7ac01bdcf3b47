# SPDX-License-Identifier: MIT
"""Tests in Python that report as TAP: functions whose docstring is the sentence, run in the order they stand in."""
import contextlib
import io
import sys
import traceback


class Skip(Exception):
    """The test cannot be run here; says why."""


def need(module):
    try:
        return __import__(module)
    except ImportError:
        raise Skip(f"{module} is not installed") from None


@contextlib.contextmanager
def raises(kind, text=""):
    """What is inside raises such an exception, whose text has `text`; gives a list with it."""
    caught = []
    try:
        yield caught
    except kind as reason:
        caught.append(reason)
        assert text in str(reason), f"{reason!r} lacks {text!r}"
        return
    raise AssertionError(f"no {kind.__name__} came")


def run(tests):
    failures = 0
    for number, test in enumerate(tests, 1):
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said):
                test()
            verdict = ""
        except Skip as reason:
            verdict = f" # SKIP {reason}"
        except BaseException:
            verdict = None
            said.write(traceback.format_exc())
        print("not ok" if verdict is None else "ok", number, "-", test.__doc__ + (verdict or ""))
        if verdict is None:
            failures += 1
            print("".join(f"# {line}\n" for line in said.getvalue().splitlines()), end="")
        sys.stdout.flush()
    print(f"1..{len(tests)}")
    return failures != 0
