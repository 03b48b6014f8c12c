"""Runs strategies of Kernel Tuner over a cache file and prints what each evaluated, one JSON value a line.

Argument: one JSON object with cache, evaluations, repeats, seed, seconds (most for one run) and strategies (all of them where empty).
The first line has the versions; each later one a run: its strategy and repeat, and either the times of the configurations in
the order in which they were first evaluated, or the error. Nothing of Kernel Tuner's own output reaches the standard output.
"""

import contextlib
import io
import json
import os
import random
import signal
import sys
import warnings


class TooLong(BaseException):
    """Not an Exception: strategies catch those."""


def stop(_signal, _frame):
    raise TooLong()


def run(tune_cache, ask, strategy):
    """The times of the configurations in the order in which they were first evaluated; None for those that failed."""
    options = {"max_fevals": ask["evaluations"]}
    results, environment = tune_cache(ask["cache"], strategy=strategy, strategy_options=options, quiet=True, verbose=False)
    seen, times = set(), []
    for result in results:
        name = result.get("recipe")
        if name not in seen:
            seen.add(name)
            time = result["time"]
            times.append(time if isinstance(time, float) else None)
    best = environment.get("best_config") or {}
    return {"times": times, "best": best.get("recipe")}


def main():
    ask = json.loads(sys.argv[1])
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    from importlib.metadata import version

    import numpy
    from kernel_tuner.interface import strategy_map, tune_cache

    versions = {"kernel_tuner": version("kernel_tuner"), "python": sys.version.split()[0], "numpy": numpy.__version__}
    print(json.dumps({"versions": versions}), file=out, flush=True)
    signal.signal(signal.SIGALRM, stop)
    # Walking through everything is no search, and the budget would cut it off at the same place in every run.
    names = ask["strategies"] or [name for name in strategy_map if name != "brute_force"]
    for strategy in names:
        for repeat in range(ask["repeats"]):
            random.seed(ask["seed"] + repeat)
            numpy.random.seed((ask["seed"] + repeat) % 2**32)
            line = {"strategy": strategy, "repeat": repeat}
            try:
                signal.alarm(ask["seconds"])
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                    line.update(run(tune_cache, ask, strategy))
            except TooLong:
                line["error"] = f"took longer than {ask['seconds']} s"
            except (Exception, SystemExit) as error:
                line["error"] = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            finally:
                signal.alarm(0)
            print(json.dumps(line), file=out, flush=True)
            # A strategy that needs what is not installed, or a whole run more time than it gets, does so every time.
            if "error" in line and repeat == 0:
                break


main()
