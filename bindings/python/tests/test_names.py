"""The package is called libchorale, since `chorale` belongs to others on the package registry."""

from __future__ import annotations

import inspect
import subprocess
import sys
import typing

import pytest

import libchorale as ch
from libchorale import _declarations as c
from libchorale import experimental, rules
from libchorale._native import library, struct


def test_a_package_of_another_author_named_chorale_is_left_alone(tmp_path):
    stranger = tmp_path / "chorale"
    stranger.mkdir()
    (stranger / "__init__.py").write_text("whose = 'a stranger'\n")
    for module in ("errors", "run", "_native", "spacy"):
        (stranger / f"{module}.py").write_text("raise ImportError('of the stranger')\n")
    program = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "import libchorale as ch, chorale\n"
        "import libchorale.logits\n"
        "print(chorale.whose, ch.Potential.potts(2, 1.0).evaluate([2, 0]))\n"
        "print(sorted(name for name in sys.modules if name.split('.')[0] == 'chorale'))\n"
    )
    paths = [str(tmp_path), *(entry for entry in sys.path if entry)]
    seen = subprocess.run([sys.executable, "-c", program, *paths], capture_output=True, text=True)
    assert (seen.stdout, seen.stderr) == ("a stranger 4.0\n['chorale']\n", "")


def parameters(call):
    return inspect.signature(call).parameters.values()


def calls():
    for module, name in [(m, name) for m in (ch, experimental, rules) for name in m.__all__]:
        thing = getattr(module, name)
        if getattr(thing, "__module__", "") == "libchorale.prices":  # see test_prices.py
            continue
        if inspect.isclass(thing) and not issubclass(thing, (Exception, tuple, int)):
            for own, member in inspect.getmembers(thing, inspect.isroutine):
                if not own.startswith("_") or own == "__init__":
                    yield f"{name}.{own}", member
        elif inspect.isfunction(thing):
            yield name, thing


def test_options_are_named_and_typed():
    """Nothing is taken as **kwargs, which editors cannot complete and type checkers not check."""
    for name, call in calls():
        if name.startswith("CallbackError") or not inspect.isfunction(call):
            continue
        for parameter in parameters(call):
            assert parameter.kind != parameter.VAR_KEYWORD, name
            assert parameter.name == "self" or parameter.annotation is not parameter.empty, name
    assert typing.get_type_hints(ch.Run.__init__)["rounds"] is int


@pytest.mark.parametrize(
    "options, given",
    [
        (c.chorale_run_options, (ch.Run,)),
        (c.chorale_clique_options, (ch.CliqueSolver.solve, ch.CliqueSolver.marginals)),
        (c.chorale_agreement, (ch.ModelBuilder.add_repeated_words,)),
    ],
)
def test_defaults_are_those_of_the_library(options, given):
    """In C they are 0, which means what the headers say and tests/test_defaults.c checks."""
    made = struct(options)
    meant = {"rounds": 10, "beam_width": 300, "max_states": 1024, "threads": 1}
    meant.update(subset_size=2, tolerance=1e-3, minimum=2)
    named = {"algorithm": "auto", "joint_mode": "auto", "mode": "auto"}
    named.update(message_element="auto", start="independent", values=None)
    for call in given:
        seen = 0
        for parameter in parameters(call):
            if not hasattr(made, parameter.name) or parameter.name in ("potential", "progress", "rules"):
                continue
            default, own = parameter.default, getattr(made, parameter.name)
            assert not own or parameter.name == "struct_size", parameter
            if parameter.name in ("gap", "time_limit"):
                assert default is None
            elif parameter.name in named:
                assert default == named[parameter.name]
            else:
                assert default == meant.get(parameter.name, own), (call, parameter)
            seen += 1
        assert seen >= 2


def test_outcomes_have_the_names_of_the_library():
    for outcome in ch.Outcome:
        assert str(outcome) == library.chorale_outcome_name(outcome).decode()
