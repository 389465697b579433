"""Exceptions of signal handlers come out of the call during which the signal arrives."""

import contextlib
import contextvars
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import libchorale as ch
from libchorale.learn import learn
from libchorale.prices import Part

# Under this potential two neighbours gain by different values. A labelling of a complete graph
# satisfies at most half of all pairs, and the bound is too weak to prove it: so a run makes as many
# steps of the bound as it is allowed.
DIFFER = ch.Potential.sum([[0.0, 1.0, 0.0]] * 2)
VERTICES = 30
PAIRS = [(first, second) for second in range(VERTICES) for first in range(second)]
ENDLESS = {"bound_steps": 10**9}


class Alarm(Exception):
    pass


@contextlib.contextmanager
def alarm(seconds, handler=None):
    """Lets a signal come after so many seconds. handler: its handler; None: raises `Alarm`."""

    def ring(*_):
        raise Alarm

    before = signal.signal(signal.SIGALRM, handler or ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def graph():
    builder = ch.ModelBuilder()
    for vertex in range(VERTICES):
        builder.add_chain([[0.001 * vertex, 0.0]])
    for pair in PAIRS:
        clique = builder.add_cliques(1, potential=DIFFER).start
        for vertex in pair:
            builder.add_members(clique, vertex, 0)
    return builder.freeze()


def large_clique():
    scores = np.random.default_rng(3).random((2000, 40)) * 2
    return ch.Potential.potts(40, 0.8, scale="members"), scores


# Each returns two functions: a call that takes very long, and one that shows that the object can be
# used afterwards.


def solve():
    run = ch.Run(graph(), **ENDLESS)

    def goes_on():
        run.set_limits(time_limit=0.01)
        assert run.solve().outcome == ch.Outcome.DEADLINE and run.labels().any()
        run.set_limits()

    return run.solve, goes_on


def solve_with_callbacks():
    """With a potential and a progress function of the caller."""

    def slow(counts, members):
        time.sleep(0.001)
        return counts[0] % 3

    builder = ch.ModelBuilder()
    clique = builder.add_cliques(1, potential=ch.Potential.callback(2, slow)).start
    for number in range(300):
        builder.add_members(clique, builder.add_chain([[0.1 * number, 0.0]]), 0)
    run = ch.Run(builder.freeze(), progress=lambda at: False)
    return run.solve, lambda: run.result


def bound():
    run = ch.Run(graph(), bound_steps=1)
    run.solve()
    return lambda: run.bound(10**9), run.labels


def step():
    builder = ch.ModelBuilder()
    scores = np.random.default_rng(5).random((30, 50_000, 20), dtype=np.float32)
    for chain in scores:
        builder.add_chain(chain, scores[0, :20])
    run = ch.Run(builder.freeze())
    return run.step, run.reset


def prices():
    part = Part(graph(), {0: 0}, **ENDLESS)
    return part.solve, lambda: None


def clique():
    potential, scores = large_clique()
    solver = ch.CliqueSolver()
    return (
        lambda: solver.solve(potential, scores, algorithm="count_boxes", gap=0.0),
        lambda: solver.solve(potential, scores),
    )


def marginals():
    potential, scores = large_clique()
    solver = ch.CliqueSolver()
    return (
        lambda: solver.marginals(potential, scores, algorithm="count_boxes", exact=True),
        lambda: solver.marginals(potential, scores),
    )


def decode(potential=DIFFER):
    scores = [[[0.001 * vertex, 0.0]] for vertex in range(VERTICES)]
    differ = ch.Agreement("cliques", cliques=PAIRS, potential=potential)
    return (
        lambda: ch.decode(scores, agree=differ, **ENDLESS),
        lambda: ch.decode(scores, agree=differ),
    )


def learning():
    random = np.random.default_rng(4)
    builder = ch.ModelBuilder()
    gold = random.integers(3, size=30_000).astype(np.int32)
    for number, label in enumerate(gold):
        scores = random.normal(size=(1, 3))
        scores[0, label] += 0.7
        builder.add_chain(scores, tokens=[int(label)], group=number // 20)
    builder.add_repeated_words(ch.Potential.potts(3, 1.0, scale="members"))
    problem = ch.Problem(builder.freeze())
    problem.gold, problem.clique_kinds = gold, ["word"] * problem.model.cliques
    return lambda: learn(problem), lambda: problem.gold


LONG = [solve, solve_with_callbacks, bound, step, prices, clique, marginals, decode, learning]


@pytest.mark.parametrize("case", LONG)
def test_an_alarm_comes_out_of_a_call(case):
    call, after = case()
    for k in range(10):
        began = time.monotonic()
        with pytest.raises(Alarm), alarm(0.003 * (k + 1)):
            call()
        assert time.monotonic() - began < 10  # loose: busy machines
        after()


def test_a_handler_that_returns_changes_nothing():
    run, other = (ch.Run(graph(), bound_steps=500) for _ in range(2))
    came = []
    with alarm(0.01, handler=lambda *_: came.append(True)):
        result = run.solve()
    assert came and result == other.solve()


@pytest.mark.parametrize("times", range(3))
def test_an_alarm_while_a_handle_is_marked(times):
    """A signal handler may run whenever a lock has been released, here after `times` other times.
    The run is not in use afterwards."""

    class Lock:
        left, lock = times, threading.Lock()

        def __enter__(self):
            self.lock.acquire()

        def __exit__(self, *_):
            self.lock.release()
            self.left -= 1
            if self.left == -1:
                raise Alarm

    run = ch.Run(graph())
    run._lock = Lock()
    with pytest.raises(Alarm):
        run.solve()
        run.solve()
    assert run.solve().score > 0


def test_an_alarm_during_a_progress_function():
    def waits(_):
        time.sleep(30)

    run = ch.Run(graph(), progress=waits)
    for _ in range(3):
        with pytest.raises(Alarm), alarm(0.02):
            run.solve()


def test_callbacks_see_the_context_of_the_call():
    """The progress function is called on the thread of the call, and a potential's function in its
    context."""
    variable = contextvars.ContextVar("variable")
    variable.set("here")
    seen = []
    builder = ch.ModelBuilder()
    potential = ch.Potential.callback(2, lambda *_: seen.append(variable.get()) or 0.0)
    clique = builder.add_cliques(1, potential=potential).start
    for _ in range(2):
        builder.add_members(clique, builder.add_chain([[0.0, 0.0]]), 0)
    ch.Run(builder.freeze(), progress=lambda _: seen.append(threading.get_ident())).solve()
    assert set(seen) == {"here", threading.get_ident()}


def test_the_flag_of_another_run_stays():
    """Two runs share a cancel flag; an alarm ends only one of them, and does not set the flag."""
    cancel, ended = ch.Cancel(), []
    run, other = (ch.Run(graph(), cancel=cancel, **ENDLESS) for _ in range(2))
    thread = threading.Thread(target=lambda: ended.append(other.solve().outcome))
    thread.start()
    with pytest.raises(Alarm), alarm(0.05):
        run.solve()
    time.sleep(0.05)
    assert not cancel.is_set() and not ended
    cancel.set()
    thread.join(30)
    assert ended == [ch.Outcome.CANCELLED] and run.solve().outcome == ch.Outcome.CANCELLED
    cancel.clear()
    run.set_limits(time_limit=0.02)
    assert run.solve().outcome == ch.Outcome.DEADLINE


def test_a_child_process_has_its_own_helpers():
    code = """
import os, libchorale as ch
solver, potts = ch.CliqueSolver(), ch.Potential.potts(2, 1.0)
solver.solve(potts, [[0.0, 1.0]])
child = os.fork()
if not child:
    solver.solve(potts, [[0.0, 1.0]])
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""
    subprocess.run([sys.executable, "-c", code], timeout=60, check=True)


def test_sigterm_ends_a_program():
    code = """
import signal, sys, numpy as np, libchorale as ch
signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))
print("ready", flush=True)
agree, scores = ch.Potential.potts(40, 0.8, scale="members"), 2 * np.random.rand(2000, 40)
ch.CliqueSolver().solve(agree, scores, algorithm="count_boxes", gap=0.0)
"""
    program = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    try:
        assert program.stdout.readline() == b"ready\n"
        time.sleep(0.2)
        program.terminate()
        assert program.wait(10) == 5
    finally:
        program.kill()
        program.stdout.close()
