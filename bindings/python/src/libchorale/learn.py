"""Learning. `learn` finds from labelled problems how strongly labels should agree.
`CollectiveTagger` is a tagger whose labels agree, made from another tagger and labelled sequences:

    tagger = CollectiveTagger(sklearn_crfsuite.CRF(c2=0.1))
    tagger.fit(X, y, groups)  # groups: the document of each sequence
    labels = tagger.predict(X_new, groups_new)
    print(tagger.learnt_)
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import crfsuite
from ._agreements import Agreement, _asked, _listed
from ._declarations import LearnProgress
from ._learnt import Learnt, learn
from .chain import Scheme, Transitions
from .collective import Decoded, build_problem, decode
from .errors import StateError
from .problem import Problem
from .property import Property
from .rules import Given as RuleSet
from .rules import Rule, RuledChain, check_anywhere
from .run import Run

__all__ = ["CollectiveTagger", "LearnProgress", "Learnt", "learn"]

FOLDS = 5  # the greatest number of folds; with fewer groups each group is a fold
WORDS = ("word", "w", "word.lower()")  # features that may hold the token; the first found is used

#: Unary scores (T x m for each sequence), transitions, and the label of each column of the scores.
_Scored = tuple["list[npt.NDArray[Any]]", Any, "list[Any]"]


class CollectiveTagger:
    """A tagger whose labels agree within groups (documents). Provisional until 1.0.

    tagger       the tagger to be trained: an estimator with `fit(X, y)`, `predict(X)` and
                 `predict_marginals(X)`, such as `sklearn_crfsuite.CRF`; or a function
                 `tagger(X, y)` that trains a model and returns a function of sequences, which
                 returns T x m scores for each sequence, or a tuple of these scores and transitions.
                 None: X holds the scores, computed by a model that has not seen y
    agree        the agreements, as in `decode`. An agreement may also be a function that is called
                 with the entry of each position in X (if tagger is None: with the token of the
                 position), and returns a key, or None for no key: positions with equal keys should
                 agree. Strengths are learnt
    token        a function from the entry of a position in X to its token, or to None for no token.
                 None: the token is the entry itself if this is a text or an integer; its feature
                 "word", "w" or "word.lower()" if it is a dict; the text after "word=", "w=" or
                 "word.lower()=" if it is a list of texts
    labels       the labels, in the order of the columns of scores; properties refer to them by
                 their numbers in this order, from 0. None: the sorted labels of y (for a function:
                 of the y passed to it); 0 to m - 1 if tagger is None
    transitions  m x m scores, or `Transitions`; only if tagger is None
    f1_without   labels that do not count, such as ["O"], as `uncounted` of `decode`: positions gain
                 nothing by having them together, and what is maximised is micro F1 of the other
                 labels. None: every label counts, "O" too, and what is maximised is the share of
                 right labels
    spans        True: F1 is that of spans. A label "B-X" begins a span of X, and "I-X" continues it
                 (also S and U for B, and E and L for I). False: F1 is that of positions
    rules, scheme, most_cost  as in `decode`; `predict` keeps the rules in every sequence. What is
                 learnt, and probabilities, do not depend on them. Provisional

    `fit` divides the groups into folds. For each fold it trains the tagger on the other folds, and
    lets this tagger compute the scores of the fold. It learns (`learn`) from all these scores, and
    finally trains the tagger on all groups. Estimators are copied before training.
    `fit` sets these attributes:

    tagger_   the trained estimator, or the scoring function that the function `tagger` returned
    classes_  the labels
    learnt_   the result of learning; str() gives lines of text for people
    report_   the report of `learnt_`, a dict

    Follows the conventions of scikit-learn, which need not be installed: arguments are stored
    unchanged, `get_params` and `set_params` read and change them, and `sklearn.base.clone` makes an
    untrained copy. After `sklearn.set_config(enable_metadata_routing=True)`, parameter searches and
    cross-validation of scikit-learn pass on groups and tokens.

    >>> from libchorale.learn import CollectiveTagger
    >>> scores = [[[2.0, 0.0]], [[0.0, 1.0]], [[0.0, 2.0]], [[1.0, 0.0]]] * 6  # half are right
    >>> y, groups = [[0], [0], [1], [1]] * 6, [k // 2 for k in range(24)]
    >>> tagger = CollectiveTagger().fit(scores, y, groups, tokens=[["Rome"]] * 24)
    >>> tagger.predict(scores[:2], [0, 0], tokens=[["Rome"]] * 2)
    [[0], [0]]
    """

    def __init__(
        self,
        tagger: Any = None,
        agree: Any = "words",
        *,
        token: Callable[[Any], Hashable] | None = None,
        labels: Sequence[Hashable] | None = None,
        transitions: Any = None,
        f1_without: Iterable[Hashable] | None = None,
        spans: bool = False,
        rules: Sequence[Rule] | None = None,
        scheme: Scheme = "plain",
        most_cost: float | None = None,
    ) -> None:
        self.tagger = tagger
        self.agree = agree
        self.token = token
        self.labels = labels
        self.transitions = transitions
        self.f1_without = f1_without
        self.spans = spans
        self.rules = rules
        self.scheme = scheme
        self.most_cost = most_cost

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Returns the arguments of the constructor by their names. deep: True: also the parameters
        of the tagger, as `tagger__name`."""
        names = list(inspect.signature(CollectiveTagger).parameters)
        found = {name: getattr(self, name) for name in names}
        if deep and hasattr(self.tagger, "get_params") and not isinstance(self.tagger, type):
            own = self.tagger.get_params()
            found.update({f"tagger__{name}": value for name, value in own.items()})
        return found

    def set_params(self, **params: Any) -> CollectiveTagger:
        """Changes arguments of the constructor, or parameters of the tagger given as
        `tagger__name`."""
        known = self.get_params(deep=False)
        for name in sorted(params, key=lambda name: "__" in name):  # the tagger before its own
            outer, nested, inner = name.partition("__")
            if outer not in known or (nested and outer != "tagger"):
                raise ValueError(f"{name} is no parameter; there are {', '.join(known)}")
            if not nested:
                setattr(self, name, params[name])
            elif hasattr(self.tagger, "set_params"):
                self.tagger.set_params(**{inner: params[name]})
            else:
                raise ValueError(f"tagger is {self.tagger!r}, which has no parameters of its own")
        return self

    def __sklearn_tags__(self) -> Any:
        """Returns the tags that scikit-learn reads: y is required; X is no table of numbers; and the
        estimator has no type, since labelling sequences is neither classification nor regression in
        scikit-learn."""
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=True),
            input_tags=InputTags(two_d_array=False),
            no_validation=True,
        )

    def get_metadata_routing(self) -> Any:
        """Returns a request to scikit-learn to pass on groups and tokens besides X and y."""
        from sklearn.utils.metadata_routing import MetadataRequest

        asked = MetadataRequest(owner=type(self).__name__)
        for method in (asked.fit, asked.predict, asked.predict_proba, asked.score):
            for name in ("groups", "tokens"):
                method.add_request(param=name, alias=True)
        return asked

    def __repr__(self) -> str:
        given = self.get_params(deep=False)
        given = {n: v for n, v in given.items() if v is not None and v is not False}
        if self.scheme == "plain":
            del given["scheme"]
        return f"CollectiveTagger({', '.join(f'{n}={v!r}' for n, v in given.items())})"

    def fit(
        self,
        X: Sequence[Any],
        y: Sequence[Sequence[Hashable]],
        groups: Sequence[Hashable] | None = None,
        tokens: Sequence[Sequence[Hashable]] | None = None,
        edges: Sequence[npt.ArrayLike] | None = None,
        counts: npt.ArrayLike | None = None,
    ) -> CollectiveTagger:
        """Trains the tagger and learns how strongly labels should agree. Provisional until 1.0.

        X       sequences, as the tagger takes them
        y       for each sequence its T labels
        groups  the group of each sequence, such as its document. None: each sequence is a group of
                its own. With fewer than eight groups, agreement is applied only if its gain cannot
                be chance
        tokens  for each sequence its T tokens. None: computed by `token`, or by its default
        edges   for each sequence (T - 1) x m x m scores of its own, which replace those of
                `transitions`, as in `decode`; only if tagger is None
        counts  for each sequence how many equal ones it stands for: it is repeated. None: none is
        """
        kind = _kind(self.tagger)
        _agreements(self.agree)
        of = self._corpus(X, groups, kind == "scores", tokens=tokens, edges=edges, counts=counts)
        gold = _gold(y, of.X)
        folds = _folds(of.groups, [len(row) * of.times[n] for n, row in enumerate(gold)])
        labels = self._labels(of.X, gold, kind)
        known = {label: number for number, label in enumerate(labels)}
        numbers = [_numbers(f"y[{number}]", row, known) for number, row in enumerate(gold)]
        if self.rules:  # finds mistakes before the training
            check_anywhere(self.rules, "sequences differ from call to call")
            names = [str(label) for label in labels]
            with ExitStack() as stack:
                RuleSet(self.rules, names, self.scheme, self.most_cost, len(names)).struct(stack)
        classes, begins = self._counted(labels, known)

        def problem(which: list[int], trained: _Estimator | _Function) -> Problem:
            some = of.chosen(which)
            right = [label for number in some.numbers for label in numbers[number]]
            return self._problem(some, trained, labels, np.array(right, np.int32))

        def train(which: Iterable[int]) -> _Estimator | _Function:
            some = of.chosen(which)
            return self._trained(kind, some.X, [gold[number] for number in some.numbers])

        problems = []
        trained: _Estimator | _Function
        if kind == "scores":
            trained = _Function(None, labels, self.transitions)
            problems.append(problem([number for fold in folds for number in fold], trained))
        else:
            for fold in folds:
                others = sorted(number for other in folds if other is not fold for number in other)
                problems.append(problem(fold, train(others)))
        if not any(made.model.cliques for made in problems):
            raise ValueError("agree finds nothing that is in a group of X twice and could agree")
        learnt = learn(problems, classes=classes, begins=begins)
        if kind != "scores":
            trained = train(range(len(of.X)))
        self.tagger_ = trained.tagger
        self.classes_ = labels
        self.learnt_ = learnt
        self.report_ = learnt.report
        self._trained_ = trained
        self._has_groups_ = groups is not None
        return self

    def predict(
        self,
        X: Sequence[Any],
        groups: Sequence[Hashable] | None = None,
        tokens: Sequence[Sequence[Hashable]] | None = None,
        edges: Sequence[npt.ArrayLike] | None = None,
        forced: Sequence[Sequence[Hashable]] | None = None,
        allowed: Sequence[npt.ArrayLike] | None = None,
        counts: npt.ArrayLike | None = None,
    ) -> list[list[Any]]:
        """Labels all sequences together, and returns the labels of each. If agreement is not
        applied, these are the tagger's own labels. A sequence whose scores forbid every labelling
        gets None in the place of labels that the tagger does not give either.

        With rules, the labels are the best ones by the tagger's scores that keep the rules. A
        sequence keeps its own labels if its rules exclude each other or cost more than `most_cost`;
        `ruled` tells which, and what the rules cost.

        groups  the group of each sequence; None: as in `fit` each is a group of its own if `fit` had
                no groups, otherwise all are of one group
        tokens, edges  as in `fit`
        forced  for each sequence the T labels that are known, None where it is not
        allowed  for each sequence T x m booleans: False forbids a label of `classes_` at a position
        counts  for each sequence how many equal ones it stands for, as in `decode`
        """
        of = self._given(X, groups, tokens, edges, forced, allowed, counts)
        if not of.X:
            return []
        limited = self.rules or forced is not None or allowed is not None
        own = None if limited else self._trained_.own(of.X)
        if own is not None and not self.report_["applied"]:
            return own
        found = self._decoded(of)
        labels = [  # -1 is the label in sequences that are left out
            [self.classes_[label] if label >= 0 else None for label in row] for row in found.labels
        ]
        if own is None:
            return labels
        # Chains that cliques do not change keep the tagger's labels, since the search may have found
        # other labels for them that are equally good.
        changed = {change.chain for change in found.changed}
        return [row if i in changed else own[i] for i, row in enumerate(labels)]

    def ruled(
        self,
        X: Sequence[Any],
        groups: Sequence[Hashable] | None = None,
        tokens: Sequence[Sequence[Hashable]] | None = None,
        edges: Sequence[npt.ArrayLike] | None = None,
        forced: Sequence[Sequence[Hashable]] | None = None,
        allowed: Sequence[npt.ArrayLike] | None = None,
        counts: npt.ArrayLike | None = None,
    ) -> list[RuledChain]:
        """Returns what the rules do to the labels of `predict`, as `Decoded.ruled`: what they cost
        each sequence that would break them, and why its labels change or cannot. Arguments are as
        in `predict`."""
        of = self._given(X, groups, tokens, edges, forced, allowed, counts)
        return self._decoded(of).ruled if of.X and self.rules else []

    def predict_proba(
        self,
        X: Sequence[Any],
        groups: Sequence[Hashable] | None = None,
        tokens: Sequence[Sequence[Hashable]] | None = None,
        edges: Sequence[npt.ArrayLike] | None = None,
        forced: Sequence[Sequence[Hashable]] | None = None,
        allowed: Sequence[npt.ArrayLike] | None = None,
        counts: npt.ArrayLike | None = None,
    ) -> list[npt.NDArray[np.float64]]:
        """Returns for each sequence T x m: the probability of each of `classes_` at each position,
        given the messages of the cliques of the sequence (`Learnt.probabilities`), calibrated on
        groups that were held out in `fit`. If agreement is not applied, these are the tagger's own
        probabilities, calibrated likewise. Those of a sequence whose scores forbid every labelling
        are NaN. Rules have no influence, so that a label that rules forbid may have the greatest
        probability. Arguments are as in `predict`."""
        given = self._given(X, groups, tokens, edges, forced, allowed, counts)
        of = given.chosen(range(len(given.X)))  # equal sequences, since potentials are for those
        if not of.X:
            return []
        labels = self.classes_
        chains = dict(zip(of.numbers, range(len(of.X))))  # one of the equal ones
        with Run(self.learnt_.apply(self._problem(of, self._trained_, labels))) as run:
            run.solve()
            left_out = {entry.chain for entry in run.left_out()}
            return [
                np.full((len(of.X[chain]), len(labels)), np.nan)
                if len(of.X[chain]) == 0 or chain in left_out
                else self.learnt_.probabilities(run, chain)
                for chain in chains.values()
            ]

    def predict_marginals(
        self,
        X: Sequence[Any],
        groups: Sequence[Hashable] | None = None,
        tokens: Sequence[Sequence[Hashable]] | None = None,
        edges: Sequence[npt.ArrayLike] | None = None,
        forced: Sequence[Sequence[Hashable]] | None = None,
        allowed: Sequence[npt.ArrayLike] | None = None,
        counts: npt.ArrayLike | None = None,
    ) -> list[list[dict[Any, float]]]:
        """Returns `predict_proba` in the form of `sklearn_crfsuite.CRF.predict_marginals`: for each
        position a dict from labels to their probabilities."""
        made = self.predict_proba(X, groups, tokens, edges, forced, allowed, counts)
        return [[dict(zip(self.classes_, row.tolist())) for row in table] for table in made]

    def score(
        self,
        X: Sequence[Any],
        y: Sequence[Sequence[Hashable]],
        groups: Sequence[Hashable] | None = None,
        tokens: Sequence[Sequence[Hashable]] | None = None,
    ) -> float:
        """Returns the share of positions whose labels equal those of y. Arguments are as in
        `predict`."""
        found = self.predict(X, groups, tokens)
        gold = _gold(y, X)
        right = [a == b for row, other in zip(found, gold) for a, b in zip(row, other)]
        if not right:
            raise ValueError("X has no positions")
        return float(np.mean(right))

    def _corpus(self, X: Any, groups: Any, alone: bool, **own: Any) -> _Corpus:
        for name, value in (("transitions", self.transitions), ("edges", own["edges"])):
            if value is not None and not alone:
                raise ValueError(f"{name} is given, which only scores (tagger=None) can have")
        return _Corpus(X, groups, **own)

    def _given(
        self,
        X: Any,
        groups: Any,
        tokens: Any,
        edges: Any,
        forced: Any,
        allowed: Any,
        counts: Any,
    ) -> _Corpus:
        """Checks the arguments of `predict`."""
        if not hasattr(self, "_trained_"):
            raise _not_fitted()("this CollectiveTagger has not been fitted: call fit first")
        if groups is None and self._has_groups_:
            groups = [0] * len(_sequences("X", X))
        if forced is not None:
            known = {label: number for number, label in enumerate([*self.classes_])}
            forced = [
                _numbers(f"forced[{number}]", row, {**known, None: -1})
                for number, row in enumerate(_sequences("forced", forced))
            ]
        own = dict(tokens=tokens, edges=edges, forced=forced, allowed=allowed, counts=counts)
        return self._corpus(X, groups, self._trained_.tagger is None, **own)

    def _labels(self, X: list[Any], y: list[list[Any]], kind: str) -> list[Any]:
        if self.labels is not None:
            labels = [_plain(label) for label in self.labels]
            arrays.distinct("labels", labels)
            return labels
        if kind == "scores":
            for number, item in enumerate(X):
                if len(item) > 0:
                    return list(range(arrays.scores(f"X[{number}]", item, 2).shape[1]))
        return _sorted(y)

    def _counted(self, labels: list[Any], known: dict[Any, int]) -> tuple[Any, Any]:
        """Returns the arguments `classes` and `begins` of `learn`. known: the numbers of labels."""
        if self.f1_without is None:
            if self.spans:
                raise ValueError("spans needs f1_without, the labels of positions outside of spans")
            return None, None
        given = [_plain(label) for label in _sequences("f1_without", self.f1_without)]
        left_out = set(_numbers("f1_without", given, known))
        if len(left_out) == len(labels):
            raise ValueError("f1_without has every label; some must count")
        kinds = [_kind_of_span(label) if self.spans else label for label in labels]
        places = {kind: number for number, kind in enumerate(kinds)}
        classes = [-1 if n in left_out else places[kind] for n, kind in enumerate(kinds)]
        begins = [str(label)[:2] in ("B-", "S-", "U-") for label in labels]
        return classes, begins if self.spans else None

    def _trained(self, kind: str, X: list[Any], y: list[list[Any]]) -> _Estimator | _Function:
        if kind == "estimator":
            fitted = _copy(self.tagger)
            fitted.fit(X, y)
            return _Estimator(fitted)
        scorer = self.tagger(X, y)
        if not callable(scorer):
            raise TypeError(f"tagger returned {scorer!r}, not a function from sequences to scores")
        columns = _sorted(y) if self.labels is None else [_plain(label) for label in self.labels]
        return _Function(scorer, columns)

    def _decoded(self, of: _Corpus) -> Decoded:
        """Labels sequences under the rules and, if these are applied, the learnt potentials."""
        labels = self.classes_
        arguments, wanted, _ = self._arguments(of, self._trained_, labels)
        agree = []
        for kind, asked in enumerate(wanted if self.report_["applied"] else ()):
            values = asked.what.values if isinstance(asked.what, Property) else len(labels)
            potential = self.learnt_.potential(kind, values)
            agree.append(dataclasses.replace(asked, potential=potential))
        return decode(
            **arguments,
            agree=agree,
            names=[str(label) for label in labels],
            rules=self.rules or [],
            scheme=self.scheme,
            most_cost=self.most_cost,
        )

    def _problem(
        self,
        of: _Corpus,
        trained: _Estimator | _Function,
        labels: list[Any],
        gold: npt.NDArray[np.int32] | None = None,
    ) -> Problem:
        """Returns the problem of the given sequences. gold: the number of the gold label of every
        position, or None."""
        arguments, wanted, names = self._arguments(of, trained, labels)
        problem = build_problem(**arguments, gold=gold, agree=wanted)
        if problem.model.cliques:
            problem.kinds = names
        return problem

    def _arguments(
        self, of: _Corpus, trained: _Estimator | _Function, labels: list[Any]
    ) -> tuple[dict[str, Any], list[Agreement], list[str]]:
        """Returns arguments for `decode` and the like, with the scores of a tagger; the entries of
        `agree`, and their names."""
        unaries, transitions = _aligned(*trained.scores(of.X, of.numbers), labels)
        alone, tokens = trained.tagger is None, of.own["tokens"]
        wanted: list[Agreement] = []
        names: list[str] = []
        for entry, place in _agreements(self.agree):
            if isinstance(entry, Agreement):
                wanted.append(entry)
                names.append("word" if entry.what == "words" else place)
                continue
            if alone and tokens is None:
                raise ValueError(f"tokens is missing: {place} needs the tokens of X")
            keys = _keys(entry, tokens if alone and tokens is not None else of.X)
            wanted.append(Agreement("keys", 1.0, keys=keys))
            names.append(getattr(entry, "__name__", place))
        words = any(entry.what == "words" for entry in wanted)
        if tokens is None and (words or self.token is not None):
            if alone:
                raise ValueError("tokens is missing: agree needs the words of X, which is scores")
            read = _token if self.token is None else self.token
            tokens = [_tokens(read, item, number) for number, item in enumerate(of.X)]
        arguments = dict(unaries=unaries, transitions=transitions, groups=of.groups)
        return {**arguments, **of.own, "tokens": tokens}, wanted, names


class _Corpus:
    """Sequences, and what is given for each of them.

    groups   None: each sequence is a group
    own      arguments of `decode`: what each sequence has; None: nothing is given
    times    how many equal sequences each stands for
    numbers  their numbers in error messages
    """

    def __init__(self, X: Any, groups: Any, **own: Any) -> None:
        self.X = _sequences("X", X)
        self.numbers: Sequence[int] = range(len(self.X))
        self.groups = _of_each("groups", self.numbers if groups is None else groups, self.X)
        self.own = {n: None if of is None else _of_each(n, of, self.X) for n, of in own.items()}
        times = enumerate(self.own.get("counts") or [1] * len(self.X))
        self.times = [arrays.size(f"counts[{number}]", count, 1) for number, count in times]

    def chosen(self, which: Iterable[int]) -> _Corpus:
        """Returns the sequences of some numbers, and their equal ones."""
        numbers = [number for number in which for _ in range(self.times[number])]

        def of(given: list[Any] | None) -> Any:
            return None if given is None else [given[number] for number in numbers]

        own = {name: of(given) for name, given in self.own.items() if name != "counts"}
        made = _Corpus(of(self.X), of(self.groups), **own)
        made.numbers = numbers
        return made


class _Estimator:
    """A trained estimator."""

    def __init__(self, fitted: Any) -> None:
        self.tagger = fitted
        self._crf = crfsuite.Scores(fitted) if hasattr(fitted, "modelfile") else None

    def own(self, X: list[Any]) -> list[list[Any]] | None:
        return [[_plain(label) for label in row] for row in self.tagger.predict(X)]

    def scores(self, X: list[Any], numbers: Iterable[int]) -> _Scored:
        if self._crf is not None:
            return [self._crf.unary(item) for item in X], self._crf.transitions, self._crf.labels
        marginals = self.tagger.predict_marginals(X)
        labels = _sorted([[_plain(k) for p in row for k in p] for row in marginals])
        made = []
        for number, item, row in zip(numbers, X, marginals):
            table = np.array([[p.get(k, 0.0) for k in labels] for p in row], dtype=np.float64)
            table = np.log(np.maximum(table.reshape(len(row), -1), np.finfo(np.float64).tiny))
            made.append(_checked(table, item, len(labels), number, "tagger's scores of "))
        return made, None, labels


class _Function:
    """The scoring function that a tagger function returned; or no tagger (None): sequences are
    scores."""

    def __init__(self, tagger: Any, labels: list[Any], transitions: Any = None) -> None:
        self.tagger, self._labels, self._transitions = tagger, labels, transitions

    def own(self, X: list[Any]) -> list[list[Any]] | None:
        return None

    def scores(self, X: list[Any], numbers: Iterable[int]) -> _Scored:
        found, transitions, whose = X, self._transitions, ""
        if self.tagger is not None:
            found, whose = self.tagger(X), "tagger's scores of "
            if isinstance(found, tuple) and len(found) == 2:
                found, transitions = found
            found = list(found)
            if len(found) != len(X):
                raise ValueError(f"tagger gave scores of {len(found)} sequences for {len(X)}")
        m = len(self._labels)
        made = [_checked(row, item, m, n, whose) for row, item, n in zip(found, X, numbers)]
        return made, transitions, self._labels


def _checked(scores: Any, item: Any, labels: int, number: int, whose: str) -> npt.NDArray[Any]:
    """Checks the scores of sequence `number` and returns them, T x m."""
    name = f"{whose}X[{number}]"
    if len(item) == 0:
        return np.zeros((0, labels))
    array = arrays.scores(name, scores, 2)
    if array.shape != (len(item), labels):
        raise ValueError(
            f"{name} has shape {array.shape}, not {(len(item), labels)}: positions x labels"
        )
    wrong = np.argwhere(np.isnan(array) | np.isposinf(array))
    if len(wrong):
        position, label = wrong[0]
        raise ValueError(
            f"{name} has {array[position, label]} at position {position}, label {label}; scores "
            "must be finite, or -inf to forbid"
        )
    return array


def _aligned(
    unaries: list[Any], transitions: Any, own: list[Any], labels: list[Any]
) -> tuple[list[Any], Any]:
    """Returns scores, and transitions between the labels `own`, with a column for each of `labels`.
    A label that the tagger lacks gets the score -inf everywhere."""
    if isinstance(transitions, Transitions):
        if transitions.labels != len(own) or own != labels:
            raise ValueError(
                f"transitions has {transitions.labels} labels, not those of labels, {_some(labels)}"
            )
    elif transitions is not None:
        transitions = arrays.table("transitions", transitions, 2)
        if transitions.shape != (len(own), len(own)):
            m = len(own)
            raise ValueError(f"transitions has shape {transitions.shape}; it must be {(m, m)}")
    if own == labels:
        return unaries, transitions
    known = {label: number for number, label in enumerate(labels)}
    columns = _numbers("tagger", own, known)
    made = []
    for unary in unaries:
        wide = np.full((len(unary), len(labels)), -np.inf)
        wide[:, columns] = unary
        made.append(wide)
    if transitions is not None:
        edges = np.zeros((len(labels), len(labels)))
        edges[np.ix_(columns, columns)] = transitions
        transitions = edges
    return made, transitions


def _kind(tagger: Any) -> str:
    if tagger is None:
        return "scores"
    if not isinstance(tagger, type):
        if hasattr(tagger, "fit") and hasattr(tagger, "predict"):
            if hasattr(tagger, "modelfile") or hasattr(tagger, "predict_marginals"):
                return "estimator"
        elif callable(tagger):
            return "function"
    raise TypeError(
        f"tagger is {tagger!r}, neither an estimator with fit, predict and predict_marginals, "
        "nor a function, nor None"
    )


def _kind_of_span(label: Any) -> Any:
    """Returns X for a label "B-X" or "I-X" (or with E, L, S or U); another label is its own kind."""
    prefixed = isinstance(label, str) and label[:2] in ("B-", "I-", "E-", "L-", "S-", "U-")
    return label[2:] if prefixed else label


def _agreements(agree: Any) -> list[tuple[Agreement | Callable[[Any], Hashable], str]]:
    """Checks `agree`. Returns its entries, agreements and functions, each with its name in error
    messages."""
    made: list[Any] = []
    for entry, place in [(agree, "agree")] if callable(agree) else _listed(agree):
        if isinstance(entry, Agreement) and entry.what in ("keys", "cliques"):
            raise ValueError(
                f"{place} is an Agreement of {entry.what} that belong to one corpus; "
                "give a function from the entry of a position to its key"
            )
        if isinstance(entry, Agreement) and entry.weights is not None:
            raise ValueError(f"{place}.weights is given; strengths are learnt without weights")
        given = callable(entry) or isinstance(entry, Agreement)
        made.append((entry if given else _asked(entry, 1.0, 2, ()), place))
    if not made:
        raise ValueError("agree is empty: nothing ought to agree")
    return made


def _copy(estimator: Any) -> Any:
    """Returns an untrained estimator with the same parameters."""
    if hasattr(estimator, "__sklearn_clone__"):
        return estimator.__sklearn_clone__()
    if not hasattr(estimator, "get_params") or isinstance(estimator, type):
        return copy.deepcopy(estimator)
    params = estimator.get_params(deep=False)
    return type(estimator)(**{name: _copy(value) for name, value in params.items()})


def _folds(groups: list[Any], lengths: list[int]) -> list[list[int]]:
    """Returns for each fold the numbers of its sequences, ascending; sequences without positions
    are left out. Groups are assigned in descending order of size, each to the fold with the fewest
    positions so far."""
    sizes: dict[Any, int] = {}
    for number, (group, length) in enumerate(zip(groups, lengths)):
        if length > 0:
            try:
                sizes[group] = sizes.get(group, 0) + length
            except TypeError:
                raise TypeError(f"groups[{number}] is {group!r}, which is not hashable") from None
    if len(sizes) < 2:
        raise ValueError(
            f"groups has {len(sizes)} groups with labels {list(sizes)}; at least 2 are needed, to "
            "train on some and score others"
        )
    loads = [0] * min(FOLDS, len(sizes))
    fold_of = {}
    for group in sorted(sizes, key=lambda group: -sizes[group]):
        fold_of[group] = loads.index(min(loads))
        loads[fold_of[group]] += sizes[group]
    folds: list[list[int]] = [[] for _ in loads]
    for number, (group, length) in enumerate(zip(groups, lengths)):
        if length > 0:
            folds[fold_of[group]].append(number)
    return folds


def _not_fitted() -> type[StateError]:
    """Returns a `StateError` that is also scikit-learn's NotFittedError, if it is in use."""
    if "sklearn" not in sys.modules:
        return StateError
    from sklearn.exceptions import NotFittedError

    return type("NotFittedError", (StateError, NotFittedError), {})


def _sequences(name: str, value: Any) -> list[Any]:
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise TypeError(f"{name} is {value!r}, not a sequence")
    return list(value)


def _of_each(name: str, value: Any, X: Sequence[Any]) -> list[Any]:
    given = _sequences(name, value)
    if len(given) != len(X):
        raise ValueError(f"{name} has {len(given)} entries, X has {len(X)} sequences")
    return given


def _numbers(place: str, given: Iterable[Any], known: Mapping[Any, int]) -> list[int]:
    """Returns the numbers of labels. known: the number of each label."""
    given = list(given)
    for label in given:
        if label not in known:
            raise ValueError(f"{place} has the label {label!r}, not one of {_some(list(known))}")
    return [known[label] for label in given]


def _gold(y: Any, X: Sequence[Any]) -> list[list[Any]]:
    gold = [
        [_plain(label) for label in _sequences(f"y[{number}]", row)]
        for number, row in enumerate(_of_each("y", y, X))
    ]
    for number, (row, sequence) in enumerate(zip(gold, X)):
        if len(row) != len(sequence):
            raise ValueError(
                f"y[{number}] has {len(row)} labels, X[{number}] has {len(sequence)} positions"
            )
    return gold


def _plain(label: Any) -> Any:
    """Returns a label as a Python object, not one of NumPy's types."""
    return label.item() if isinstance(label, np.generic) else label


def _sorted(y: Iterable[Iterable[Any]]) -> list[Any]:
    found = {label for row in y for label in row}
    try:
        return sorted(found)
    except TypeError:
        raise TypeError(
            f"y has labels that have no order, {_some(list(found))}; give labels"
        ) from None


def _some(labels: list[Any]) -> str:
    """Returns the first labels as a text, for an error message."""
    shown = ", ".join(repr(label) for label in labels[:8])
    return shown + (f" and {len(labels) - 8} more" if len(labels) > 8 else "")


def _keys(key: Callable[[Any], Hashable], X: list[Any]) -> list[list[int]]:
    known: dict[Hashable, int] = {}
    found = [[key(entry) for entry in item] for item in X]
    return [
        [-1 if arrays.missing(k) else known.setdefault(k, len(known)) for k in row] for row in found
    ]


def _tokens(read: Callable[[Any], Hashable], item: Any, number: int) -> list[Hashable]:
    made = []
    for position, entry in enumerate(item):
        found = read(entry)
        if found is None and read is _token:
            raise ValueError(
                f"token finds no token in X[{number}][{position}], {entry!r}; "
                "give `token`, a function from such an entry to its token, or `tokens`"
            )
        made.append(found)
    return made


def _token(entry: Any) -> Any:
    """Returns the token of an entry of a sequence by the default rules of `CollectiveTagger`; None
    if they find none."""
    if isinstance(entry, str) or hasattr(entry, "__index__"):
        return entry
    found: list[Any] = []
    if isinstance(entry, Mapping):
        found = [entry.get(name) for name in WORDS]
    elif isinstance(entry, Iterable):
        texts = [text for text in entry if isinstance(text, str)]
        begins = [f"{name}=" for name in WORDS]
        found = [text[len(b) :] for b in begins for text in texts if text.startswith(b)]
    return next((t for t in found if t is not None and isinstance(t, Hashable)), None)
