from __future__ import annotations

import errno
import gc
import os
import re
import struct

import numpy as np
import pytest

import libchorale as ch
from libchorale import experimental

LABELS = ["O", "Title", "Übersetzer"]
WORDS = [["Zur", "Kritik"], ["A", "<b>"], ["naïve", "Kritik"]]


def small_problem(rng):
    """Returns a problem of three chains, a word clique and a property clique, with all kinds of
    names, gold labels and notes."""
    builder = ch.ModelBuilder()
    transitions = ch.Transitions(rng.normal(size=(3, 3)), start=rng.normal(size=3))
    for number in range(3):
        builder.add_chain(
            rng.normal(size=(2, 3)).astype(np.float32),
            transitions,
            tokens=[10 + number, 1 if number != 1 else 2],
            group=number // 2,
        )
    builder.add_repeated_words(ch.Potential.potts(3, 2.0), across=True)
    clique = builder.add_cliques(1, property=ch.Property.token_before(3, 1, values=20), dictionary=experimental.Dictionary([10, 12], unlisted=True), potential=ch.Potential.potts(3, 1.0, scale="members")).start
    for number in range(3):
        builder.add_members(clique, number)
    problem = ch.Problem(builder.freeze())
    problem.labels = LABELS
    problem.tokens = [f"token {number}" for number in range(20)]
    problem.words = WORDS
    problem.spaces = [["", " "]] * 3
    problem.chain_names = ["first", "second", "third"]
    problem.group_names = ["page 1", "page 2"]
    problem.clique_names = ["Kritik", "before the title"]
    problem.clique_kinds = ["word", "property"]
    problem.name_values(["labels", "tokens"])
    problem.gold = [0, 1, -1, -1, 2, 0]
    problem.notes = {"title": "Small", "licence": "none\0at all"}
    return problem


def same(a, b):
    for name in (
        "labels tokens words spaces chain_names group_names clique_names kinds clique_kinds".split()
    ):
        assert getattr(a, name) == getattr(b, name) != [], name
    assert a.gold.tolist() == b.gold.tolist()
    assert dict(a.notes) == dict(b.notes)
    assert len(a.model) == len(b.model) and a.model.cliques == b.model.cliques
    for chain in range(len(a.model)):
        np.testing.assert_array_equal(a.model.chain(chain).unary, b.model.chain(chain).unary)
        assert a.model.tokens(chain).tolist() == b.model.tokens(chain).tolist()
        assert a.model.group(chain) == b.model.group(chain)
    for clique in range(a.model.cliques):
        assert a.model.members(clique).tolist() == b.model.members(clique).tolist()
        for value in range(-1, a.model.clique_values(clique) + 3):
            assert a.value_name(clique, value) == b.value_name(clique, value)
    runs = [ch.Run(problem) for problem in (a, b)]
    results = [run.solve() for run in runs]
    assert results[0] == results[1]
    assert runs[0].labels().tolist() == runs[1].labels().tolist()


def test_round_trips(rng, tmp_path):
    problem = small_problem(rng)
    data = problem.to_bytes()
    assert data == problem.to_bytes()
    path = tmp_path / "ein Problem ü.chorale"
    problem.save(path)
    assert path.read_bytes() == data
    for again in (
        ch.Problem.from_bytes(data),
        ch.Problem.from_bytes(bytearray(data)),
        ch.Problem.load(path),
        ch.Problem.load(str(path)),
        ch.Problem.load(bytes(path)),
    ):
        same(problem, again)
        assert again.to_bytes() == data
    model = ch.Problem.load(path).model
    gc.collect()
    assert ch.Run(model).solve().score == ch.Run(problem).solve().score


def test_names(rng):
    problem = small_problem(rng)
    assert problem.words == ["Zur", "Kritik", "A", "<b>", "naïve", "Kritik"]
    assert problem.value_name(0, 2) == "Übersetzer" and problem.value_name(0, 3) is None
    assert [problem.value_name(1, v) for v in range(4)] == ["token 10", "token 12", None, None]
    assert problem.kinds == ["word", "property"] and problem.clique_kind(1) == 1
    problem.clique_kinds = [None, "property"]
    assert problem.clique_kinds == [None, "property"] and problem.clique_kind(0) == -1
    problem.kinds = ["a", "b"]
    problem.clique_kinds = ["b", "a"]
    assert problem.clique_kinds == ["b", "a"] and problem.clique_kind(0) == 1
    problem.clique_kinds = ["c", None]
    assert problem.clique_kinds == ["c", None] and problem.kinds == ["c"]
    problem.name_values([["zero", "one", "two"], None])
    assert problem.value_name(0, 1) == "one" and problem.value_name(1, 0) is None
    problem.name_values([["zero"], [str(value) for value in range(20)]])
    assert problem.value_name(0, 1) is None and problem.value_name(1, 0) == "10"
    problem.name_values([["same"], ["same"]])
    assert problem.value_name(0, 0) == "same"
    problem.words = None
    problem.gold = None
    assert problem.words == [] and problem.gold is None


def test_notes(rng):
    problem = small_problem(rng)
    assert dict(problem.notes) == {"title": "Small", "licence": "none\0at all"}
    with pytest.raises(TypeError):  # a copy: a change of it would change nothing
        problem.notes["title"] = "Changed"
    problem.notes = {"title": "Changed"}
    assert dict(problem.notes) == {"title": "Changed"}
    with pytest.raises(ch.ArgumentError):
        problem.notes = {"": "no name"}
    with pytest.raises(TypeError):
        problem.notes = {"number": 5}


def test_bad_input(rng, tmp_path):
    problem = small_problem(rng)
    for name, wrong, error in (
        ("labels", "OTitle", TypeError),
        ("labels", ["O", 5, "x"], TypeError),
        ("labels", ["O"], ch.ArgumentError),
        ("labels", ["O", "\udc80", "x"], ValueError),
        ("words", ["too", "few"], ch.ArgumentError),
        ("words", [["too"], ["few", 7]], TypeError),
        ("chain_names", ["one"], ch.ArgumentError),
        ("clique_names", ["one"], ch.ArgumentError),
        ("gold", [0], ValueError),
        ("gold", [9] * 6, ch.ArgumentError),
        ("gold", [0.5] * 6, TypeError),
        ("clique_kinds", ["one"], ValueError),
        ("clique_kinds", ["one", 2], TypeError),
        ("clique_kinds", [-5, 0], TypeError),
    ):
        with pytest.raises(error):
            setattr(problem, name, wrong)
    for wrong in ([None], ["labels", "words"], ["labels", 0], ["labels", 2**40]):
        with pytest.raises(ValueError):
            problem.name_values(wrong)
    with pytest.raises(TypeError, match="model"):
        ch.Problem(None)
    with pytest.raises(TypeError, match="data"):
        ch.Problem.from_bytes(5)
    with pytest.raises(ValueError):
        ch.Problem.from_bytes(memoryview(bytes(100))[::2])
    nowhere = tmp_path / "nowhere"
    for path, call, number in (
        (nowhere, ch.Problem.load, errno.ENOENT),
        (str(nowhere), ch.Problem.load, errno.ENOENT),
        (tmp_path, ch.Problem.load, errno.EISDIR),
        (nowhere / "file", problem.save, errno.ENOENT),
    ):
        with pytest.raises(ch.FileAccessError) as caught:
            call(path)
        error = caught.value
        assert isinstance(error, OSError) and error.errno == number
        assert error.strerror == os.strerror(number) and error.filename == os.fspath(path)
        assert "nowhere" in str(error) or path == tmp_path
    for call in (ch.Problem.load, problem.save):
        for path in (tmp_path / ("n" * 300), tmp_path / ("n" * 3000), tmp_path / ("é/" * 3000)):
            with pytest.raises(ch.FileAccessError, match="the name is too long") as long:
                call(path)
            assert long.value.errno == errno.ENAMETOOLONG and long.value.filename == str(path)
    with pytest.raises(ValueError, match="NUL"):
        problem.save("a\0b")
    with pytest.raises(TypeError):
        problem.save(5.0)
    builder = ch.ModelBuilder()
    builder.add_chain([[0.0]], tokens=[0])
    builder.add_cliques(1, potential=ch.Potential.callback(1, lambda counts, members: 0.0), values=1).start
    with pytest.raises(ch.ArgumentError) as caught:
        ch.Problem(builder.freeze()).to_bytes()
    assert caught.value.name == "CHORALE_ERROR_NOT_SAVABLE"


def test_damaged_files(rng):
    data = small_problem(rng).to_bytes()
    for wrong in (b"", b"not a problem", data[:50], data[:-1]):
        with pytest.raises(ch.FileDamagedError) as caught:
            ch.Problem.from_bytes(wrong)
        assert isinstance(caught.value, ValueError) and "FILE" in caught.value.name
    for _ in range(300):
        broken = bytearray(data)
        place = int(rng.integers(len(data)))
        broken[place] ^= int(rng.integers(1, 256))
        try:
            ch.Problem.from_bytes(broken)
        except ch.Error:
            continue
        # The changed byte has no meaning, so that the problem is the same as before.
        assert ch.Problem.from_bytes(broken).to_bytes() == data
    assert struct.calcsize("P") == 8
