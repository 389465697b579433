"""A `Host`: which objects use its allocator and log, what happens if these fail, and how long the
host lives."""

from __future__ import annotations

import ctypes
import gc
import logging
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
from test_learn import planted
from test_lifetime import model_of_temporaries, test_nothing_leaks

import libchorale as ch
from libchorale import experimental
from libchorale.learn import Learnt, learn
from libchorale.prices import Prices

libc = ctypes.CDLL(None)
libc.aligned_alloc.restype = ctypes.c_void_p
libc.aligned_alloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
libc.free.restype = None
libc.free.argtypes = [ctypes.c_void_p]


class Memory:
    """Functions for a `Host`, with memory from aligned_alloc. left: how many more allocations
    succeed; None: all."""

    def __init__(self, left=None):
        self.left = left
        self.given = {}
        self.asked = 0

    def allocate(self, size, alignment):
        self.asked += 1
        if self.left is not None:
            if self.left == 0:
                return None
            self.left -= 1
        address = libc.aligned_alloc(alignment, -(-size // alignment) * alignment)
        self.given[address] = size, alignment
        return address

    def release(self, address, size, alignment):
        assert self.given.pop(address) == (size, alignment)
        libc.free(address)

    def host(self, **others):
        return ch.Host(self.allocate, self.release, **others)


def every_kind(path):
    """Returns functions that make one object each, of many classes. Inside `with Host(...)` each of
    them takes memory from the host. All objects but those of class `Decoded` keep some of it."""
    model = model_of_temporaries(False)
    saved = small_model()
    problem = ch.Problem(saved)
    problem.save(path)
    data = problem.to_bytes()
    properties = ch.Property
    potential = ch.Potential.sum([[0, 1, 4], [0, 0, 0]])
    labelled = planted(2)
    learnt = learn(labelled)
    text = learnt.to_json()
    scores, tokens = [[[2.0, 0.1]], [[0.0, 0.2]]], [[1], [1]]
    chains = [ch.Chain(one) for one in scores]
    makers = [
        lambda: ch.Potential.potts(2, 1.0),
        lambda: ch.Potential.entropy(2, 1.0),
        lambda: ch.Potential.makespan(2, 1.0),
        lambda: ch.Potential.square_makespan(2, 1.0),
        lambda: ch.Potential.sum([0, 1, 4], values=2),
        lambda: ch.Potential.max([0, 1, 4], values=2),
        lambda: ch.Potential.cardinality([0, 1, 4]),
        lambda: ch.Potential.majority(np.eye(2)),
        lambda: ch.Potential.pairs(np.eye(2)),
        lambda: ch.Potential.callback(2, lambda counts, members: 0.0),
        lambda: ch.Transitions(np.eye(3)),
        lambda: properties.automaton(np.zeros((1, 1, 2), np.int32), values=2),
        lambda: properties.local(np.zeros((1, 2, 3), np.int32), values=2),
        lambda: properties.position_label(2, 0),
        lambda: properties.token_label(2, 0),
        lambda: properties.first_label(2),
        lambda: properties.next_label(2, 0),
        lambda: properties.token_before(2, 0, values=3),
        lambda: properties.builder(2, values=2),
        lambda: experimental.Dictionary([1, 2]),
        lambda: experimental.Dictionary.best([0.0, 1.0], 1),
        lambda: ch.CliqueSolver(),
        lambda: ch.ChainSolver(),
        lambda: ch.ModelBuilder(),
        lambda: ch.Run(model),
        lambda: ch.Problem(model),
        lambda: ch.Problem.from_bytes(data),
        lambda: ch.Problem.load(path),
        lambda: ch.Cancel(),
        lambda: learn(labelled),
        lambda: Learnt.from_json(text),
        lambda: learnt.apply(labelled),
        lambda: learnt.potential(0, 2),
        lambda: Prices(saved, [0]),
        lambda: ch.decode(scores, tokens=tokens),
        lambda: ch.decode(chains, tokens=tokens),
    ]
    return makers


def small_model():
    """Returns a small model with chains, cliques of words, and a property clique."""
    builder = ch.ModelBuilder()
    transitions = ch.Transitions([[0.0, 1.0], [0.5, 0.0]])
    for number in range(3):
        builder.add_chain([[2.0, number], [0.0, 1.0]], transitions, tokens=[7, 8], borrow=False)
    builder.add_repeated_words(ch.Potential.potts(2, 0.3))
    clique = builder.add_cliques(1, property=ch.Property.first_label(2), potential=ch.Potential.potts(2, 1.0)).start
    for number in range(3):
        builder.add_members(clique, number)
    return builder.freeze()


def test_every_object_takes_memory_of_its_host(tmp_path):
    for make in every_kind(tmp_path / "small.chorale"):
        memory = Memory()
        with memory.host() as host:
            made = make()
        assert memory.asked and host.blocks == len(memory.given)
        assert bool(memory.given) is not isinstance(made, ch.Decoded)
        assert host.bytes == sum(size for size, _ in memory.given.values())
        del made
        gc.collect()
        assert not memory.given and host.blocks == host.bytes == 0
        asked = memory.asked
        make()
        assert memory.asked == asked  # the call was outside of the `with` block


def test_no_memory_is_an_error_that_changes_nothing(tmp_path):
    for make in every_kind(tmp_path / "small.chorale"):
        for left in range(1000):
            memory = Memory(left)
            with memory.host():
                try:
                    made = make()
                except MemoryError as error:
                    assert isinstance(error, ch.OutOfMemoryError)
                    made = None
            if made is None:
                # Checked only here, since the traceback of the error keeps objects of `decode`.
                assert not memory.given
                continue
            assert left > 0
            del made
            gc.collect()
            assert not memory.given
            break
        else:
            pytest.fail("never enough memory")


def stubborn(memory, call, *arguments, **named):
    """Repeats a call until it succeeds, each time with one allocation more. Returns its result."""
    for left in range(1000):
        memory.left = left
        try:
            return call(*arguments, **named)
        except MemoryError:
            continue
        finally:
            memory.left = None
    pytest.fail("never enough memory")


def test_a_builder_without_memory_is_as_before():
    memory = Memory()
    with memory.host():
        builder = ch.ModelBuilder()
        agree, first = ch.Potential.potts(2, 1.0), ch.Property.first_label(2)
        transitions = ch.Transitions([[0.0, 1.0], [0.5, 0.0]])
        solver = ch.CliqueSolver()
    for number in range(3):
        unary = [[2.0, number], [0.0, 1.0]]
        given = stubborn(memory, builder.add_chain, unary, transitions, tokens=[7, 8], borrow=False)
        assert given == number
    words = stubborn(memory, builder.add_repeated_words, ch.Potential.potts(2, 0.3))
    assert words == range(2)
    clique = stubborn(memory, builder.add_cliques, 1, property=first, potential=agree).start
    assert clique == 2
    for number in range(3):
        stubborn(memory, builder.add_members, clique, number)
    model = stubborn(memory, builder.freeze)
    assert ch.Problem(model).to_bytes() == ch.Problem(small_model()).to_bytes()
    scores = np.zeros((40, 2))
    solved = stubborn(memory, solver.solve, agree, scores)
    assert solved.score == ch.CliqueSolver().solve(agree, scores).score == 1600.0
    with memory.host():
        run = stubborn(memory, ch.Run, model)
    assert run.solve().score == ch.Run(small_model()).solve().score
    del builder, agree, first, transitions, solver, model, run
    gc.collect()
    assert not memory.given


def test_the_log():
    told = []
    builder = None
    with ch.Host(log=lambda level, text: told.append((level, text))):
        builder, solver = ch.ModelBuilder(), ch.CliqueSolver()
    agree = ch.Potential.potts(2, 1.0)
    builder.add_cliques(1, potential=agree).start
    gc.collect()  # now only the builder and the solver keep the host alive
    builder.freeze()
    assert told == [(logging.WARNING, "clique 0 has no members")]
    solver.solve(agree, np.zeros((3, 2)))
    level, text = told[-1]
    assert level == logging.DEBUG and text.startswith("clique of 3 members: ")
    silent = ch.ModelBuilder()
    silent.add_cliques(1, potential=agree).start
    silent.freeze()
    assert len(told) == 2


def test_the_log_may_be_a_logger(caplog):
    with ch.Host(log=logging.getLogger("chorale").log):
        builder = ch.ModelBuilder()
    builder.add_cliques(1, potential=ch.Potential.potts(2, 1.0)).start
    builder.freeze()
    assert caplog.record_tuples == [("chorale", logging.WARNING, "clique 0 has no members")]


class Complaint(BaseException):
    pass


def complains(*_):
    raise Complaint


def test_what_the_log_raises_is_raised_by_the_call():
    memory = Memory()
    with memory.host(log=complains):
        builder, solver = ch.ModelBuilder(), ch.CliqueSolver()
    agree = ch.Potential.potts(2, 1.0)
    unary = np.zeros((1, 2))
    seen = weakref.ref(unary)
    builder.add_chain(unary)
    del unary
    for _ in range(3):
        builder.add_cliques(1, potential=agree).start
    with pytest.raises(Complaint):
        builder.freeze()
    with pytest.raises(ch.StateError):  # the call froze the builder, although it raised
        builder.freeze()
    with pytest.raises(Complaint):
        solver.solve(agree, np.zeros((3, 2)))
    assert solver.evaluate(agree, np.zeros((3, 2)), [0, 0, 0]).score == 9.0
    del builder, solver
    gc.collect()
    assert seen() is None and not memory.given


def test_what_allocate_raises_is_raised_by_the_call():
    with pytest.raises(Complaint), ch.Host(complains, complains):
        ch.Potential.potts(2, 1.0)
    solver_memory = Memory()
    with solver_memory.host() as host:
        solver = ch.CliqueSolver()
    agree = ch.Potential.potts(2, 1.0)
    host._allocate = complains
    with pytest.raises(Complaint):
        solver.solve(agree, np.zeros((50, 2)))
    host._allocate = solver_memory.allocate
    assert solver.solve(agree, np.zeros((50, 2))).score == 2500.0


@pytest.mark.parametrize(
    "given, error, match",
    [
        ("memory", TypeError, "what allocate gave is 'memory'"),
        (4096.0, TypeError, "what allocate gave is 4096.0"),
        (True, TypeError, "what allocate gave is True"),
        (0, ValueError, "allocate gave 0"),
        (-64, ValueError, "below 0"),
        (2**70, ValueError, "64 bits"),
        (4097, ValueError, "allocate gave 4097, not a multiple of"),
    ],
)
def test_wrong_addresses_are_refused(given, error, match):
    host = ch.Host(lambda size, alignment: given, complains)
    with pytest.raises(error, match=match), host:
        ch.ModelBuilder()
    assert host.blocks == 0


def test_an_address_in_use_is_refused():
    memory = Memory()
    with memory.host():
        kept = ch.Cancel()
    (address,) = memory.given
    with (
        pytest.raises(ValueError, match=f"{address}, which is in use"),
        ch.Host(lambda size, alignment: address, complains),
    ):
        ch.Cancel()
    kept.set()
    assert kept.is_set()


def test_what_release_raises_is_raised_by_close():
    memory = Memory()

    def release(address, size, alignment):
        memory.release(address, size, alignment)
        raise Complaint

    with ch.Host(memory.allocate, release):
        agree = ch.Potential.potts(2, 1.0)
    with pytest.raises(Complaint):
        agree.close()
    assert not memory.given and agree.closed
    agree.close()


def test_hooks_are_checked():
    with pytest.raises(TypeError, match="allocate is 5"):
        ch.Host(5, complains)
    with pytest.raises(TypeError, match="log is 'print'"):
        ch.Host(log="print")
    for given in ({"allocate": complains}, {"release": complains}):
        with pytest.raises(TypeError, match="come together"):
            ch.Host(**given)


def test_hooks_may_make_calls_of_their_own():
    """Calls within a hook may also fail: their exceptions are not those of the outer call."""
    inner = []

    def log(level, text):
        with pytest.raises(Complaint), ch.Host(log=complains):
            empty_clique()
        with pytest.raises(ch.Error):
            ch.Potential.potts(0, 1.0)
        inner.append(ch.Potential.potts(2, 1.0).evaluate([1, 1]))
        raise LookupError(text)

    def empty_clique():
        builder = ch.ModelBuilder()
        builder.add_cliques(1, potential=ch.Potential.potts(2, 1.0)).start
        builder.freeze()

    with pytest.raises(LookupError, match="clique 0"), ch.Host(log=log):
        empty_clique()
    assert inner == [2.0]


def test_blocks_nest_and_are_of_one_thread():
    outer, inner = Memory(), Memory()
    seen = []

    def elsewhere():
        ch.Cancel()
        seen.append(outer.asked)

    with outer.host() as host, host, inner.host():
        first = ch.Cancel()
        with ch.Host():
            second = ch.Cancel()
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert (outer.asked, inner.asked, seen) == (0, 1, [0])
    with host:
        third = ch.Cancel()
    assert outer.asked == 1 and not any(flag.is_set() for flag in (first, second, third))


def test_a_host_stays_as_long_as_its_memory():
    """A model shares the potential of its cliques. So the potential, and its host, live on when
    the handle of the potential is closed."""
    memory = Memory()
    host = memory.host()
    seen = weakref.ref(host)
    with host:
        agree = ch.Potential.potts(2, 1.0)
    del host
    builder = ch.ModelBuilder()
    builder.add_chain(np.zeros((1, 2)), tokens=[1])
    builder.add_repeated_words(agree, minimum=1)
    model = builder.freeze()
    agree.close()
    del agree, builder
    gc.collect()
    assert seen() is not None and memory.given
    again = model.clone()
    model.close()
    assert ch.Run(again).solve().score == 1.0
    again.close()
    del model, again
    gc.collect()
    assert seen() is None and not memory.given


def test_clones_stay_when_the_other_is_closed():
    builder = ch.ModelBuilder()
    builder.add_chain(np.zeros((2, 2)))
    for one, use in (
        (ch.Potential.callback(2, lambda counts, members: 1.5), lambda p: p.evaluate([1, 1])),
        (
            ch.Transitions(np.eye(2), borrow=True),
            lambda t: ch.Chain([[0.0, 0.0]] * 2, t).score([1, 1]),
        ),
        (ch.Property.first_label(2), lambda p: p.evaluate([1, 0])),
        (experimental.Dictionary([4, 9]), lambda d: d.find(9)),
        (builder.freeze(), lambda m: ch.Run(m).solve().score),
    ):
        other = one.clone()
        before = use(one)
        one.close()
        assert not other.closed and use(other) == before
        other.close()
        with pytest.raises(ch.ClosedError):
            other.clone()


def use_hosts():
    memory = Memory()
    with memory.host(log=lambda level, text: None):
        model = model_of_temporaries(True)
        ch.Run(model).solve()
        ch.CliqueSolver().solve(ch.Potential.potts(2, 1.0), np.zeros((3, 2)))
    with pytest.raises(Complaint), ch.Host(log=complains):
        builder = ch.ModelBuilder()
        builder.add_cliques(1, potential=ch.Potential.potts(2, 1.0)).start
        builder.freeze()
    with pytest.raises(MemoryError), Memory(3).host():
        small_model()
    with pytest.raises(Complaint), ch.Host(complains, complains):
        ch.Cancel()


def test_hosts_leak_nothing():
    test_nothing_leaks(use_hosts)


def test_an_interpreter_may_end_with_objects_of_a_host():
    program = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "import libchorale as ch, test_host\n"
        "memory = test_host.Memory()\n"
        "host = memory.host(log=print)\n"
        "with host:\n"
        "    model = test_host.small_model()\n"
        "    run = ch.Run(model)\n"
        "run.loop = [run]\n"
        "print(run.solve().outcome.name)\n"
    )
    paths = [entry for entry in sys.path if entry]
    ended = subprocess.run(
        [sys.executable, "-c", program, *paths], capture_output=True, text=True, timeout=120
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "COMPLETE\n", "")
