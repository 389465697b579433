"""None, NaN and the like are no token, no word and no key: positions that have none agree with
nothing. Optional packages that are missing are named."""

import decimal
import subprocess
import sys

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import libchorale as ch
from libchorale.batches import Chains, label
from libchorale.shared import SharedKeys, count_keys

# Under agreement, the second row would take the label of the first.
SCORES = [[[2.0, 0.1]], [[0.0, 0.2]]]
NOTHING = [
    None,
    float("nan"),
    np.float32("nan"),
    np.datetime64("NaT"),
    decimal.Decimal("NaN"),
    pandas.NA,
    pandas.NaT,
]


def labels_of(decoded):
    return [labels.tolist() for labels in decoded.labels]


@pytest.mark.parametrize("nothing", NOTHING, ids=repr)
@pytest.mark.parametrize("others", [(), ("Rome", "Rome"), (7, 7)], ids=repr)
def test_positions_without_a_token_do_not_agree(nothing, others):
    both = [SCORES[number % 2] for number in range(2 + len(others))]
    expected = [[0], [1]] + [[0]] * len(others)
    words = [[word] for word in (nothing, nothing, *others)]
    assert labels_of(ch.decode(both, tokens=words, stop=[nothing])) == expected
    keys = ch.Agreement("keys", keys=words)
    assert labels_of(ch.decode(both, agree=keys)) == expected
    problem = ch.build_problem(both, tokens=words)
    assert problem.model.cliques == (1 if others else 0)
    if others and isinstance(others[0], str):
        assert problem.words == ["", "", *others]
    assert "nan" not in ch.decode(both, tokens=words).__str__().lower()
    rows = [{"k": key, "l": "ABAB"[n]} for n, (key,) in enumerate(words)]
    told = ch.agree(rows, key="k", label="l", confidence=0.6, strength=9.0)
    assert [row["changed"] for row in told[:2]] == [False, False]


def test_numbers_stay_numbers_beside_nothing():
    problem = ch.build_problem(SCORES, tokens=[[5], [None]])
    assert problem.model.tokens(0).tolist() == [5] and problem.model.tokens(1).tolist() == [-1]
    assert labels_of(ch.decode(SCORES, tokens=[[5.0], [float("nan")]])) == [[0], [1]]


def test_nothing_agrees_without_tokens():
    """Chains without tokens are labelled each by itself, also a single one."""
    assert labels_of(ch.decode(SCORES)) == [[0], [1]]
    assert labels_of(ch.decode(SCORES[:1])) == [[0]]
    assert labels_of(ch.decode(SCORES, agree=[])) == [[0], [1]]
    assert ch.build_problem(SCORES).model.cliques == 0
    with pytest.raises(TypeError, match="tokens is missing: agree needs the words"):
        ch.decode(SCORES, agree="words")


def test_columns():
    """In tables of every library, a NaN in a column of floating-point keys is no key."""
    keys, types = [1.0, 1.0, float("nan"), float("nan"), None, None], list("ABABAB")
    given = {"k": keys, "l": types}
    for make in (pyarrow.table, polars.DataFrame, pandas.DataFrame):
        made = ch.agree(make(given), key="k", label="l", confidence=0.6, strength=9.0)
        changed = made["changed"]
        changed = changed.to_pylist() if make is pyarrow.table else changed.to_list()
        assert changed[2:] == [False] * 4
    rows = [{"k": k, "l": v} for k, v in zip(keys, types)]
    told = ch.agree(rows, key="k", label="l", confidence=0.6, strength=9.0)
    assert [row["changed"] for row in told][2:] == [False] * 4


def test_batches_and_shared_keys():
    batch = pyarrow.RecordBatch.from_pylist(
        [{"page": 1, "scores": scores, "keys": [float("nan")]} for scores in SCORES]
    )
    for chains in (Chains("page", "scores", tokens="keys"), Chains("page", "scores")):
        [out] = label([batch], chains)
        assert out.column("labels").to_pylist() == [[0], [1]]
    assert count_keys([batch], SharedKeys(Chains("page", "scores"), "keys")) == ({}, 2)


def test_command():
    lines = (
        '{"scores": [[2.0, 0.1]], "tokens": [null]}\n{"scores": [[0.0, 0.2]], "tokens": [NaN]}\n'
    )
    program = [sys.executable, "-m", "libchorale", "label", "-"]
    done = subprocess.run(program, input=lines, capture_output=True, text=True, check=True)
    assert done.stdout.count('"changed": []') == 2


@pytest.mark.parametrize(
    ("absent", "code", "says"),
    [
        ("spacy", "import libchorale.spacy", "pip install 'libchorale[spacy]'"),
        ("srsly", "import libchorale.spacy", "pip install 'libchorale[spacy]'"),
        (
            "pycrfsuite",
            "import libchorale.crfsuite as c; c.Scores(__file__)",
            "pip install 'libchorale[crfsuite]'",
        ),
        (
            "pyarrow",
            "import polars as p, libchorale as c; c.agree(p.DataFrame({'k': [1]}), key='k')",
            "pip install 'libchorale[tables]'",
        ),
        (
            "pyarrow",
            "import libchorale.batches as b; list(b.label([], b.Chains('g', 's')))",
            "pip install 'libchorale[tables]'",
        ),
        ("pyspark", "import libchorale.spark as s; s.label(None, None)", "pip install pyspark"),
    ],
)
def test_missing_packages_are_named(tmp_path, absent, code, says):
    program = tmp_path / "program.py"
    program.write_text(f"import sys\nsys.modules[{absent!r}] = None\n{code}\n")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: ") and says in last
