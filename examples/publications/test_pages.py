#!/usr/bin/env python3
"""Tests of make_pages.py: labels are right, records that do not align are dropped, and
data/pages.txt has the counts of data/pages_counts.json. Needs only Python itself, not even
pandoc."""
import json
import pathlib
import unittest
from collections import Counter

import make_pages
from make_pages import CLOSE, NOT_A_FIELD, OPEN, VARIABLES, Disagreement, align, mark_style
from pages import features_of, normal_spacing, read_pages

DATA = make_pages.HERE / "data"
WORK = {
    "id": "shannon1948", "type": "article-journal", "title": "A Mathematical Theory of Communication",
    "author": [{"family": "Shannon", "given": "Claude Elwood"}], "container-title": "Bell System Technical Journal",
    "volume": "27", "page": "379-423", "issued": {"date-parts": [[1948, 7]]},
    "DOI": "10.1002/j.1538-7305.1948.tb01338.x",
}


def mark(variable, text):
    code = VARIABLES.index(variable) if variable in VARIABLES else NOT_A_FIELD
    return chr(OPEN + code) + text + chr(CLOSE + code)


def entry(names="Shannon, C. E.", title="A mathematical theory of communication", pages="379–423", year="1948",
          text=None, previous=None):
    """Sets an entry in one style. Returns its tokens with their labels and spaces."""
    marked = "%s (%s). “%s.” %s %s, pp. %s." % (
        mark("author", names) if names else "———", mark("issued", year), mark("title", title),
        mark("container-title", "Bell System Technical Journal"), mark("volume", "27"), mark("page", pages))
    plain = text or "".join(c for c in marked if not OPEN <= ord(c) <= CLOSE + 0xFF)
    return align(plain, marked, WORK, previous or {})


class Labels(unittest.TestCase):
    def test_every_field(self):
        tokens = entry()
        found = [(token, label) for token, label, _ in tokens]
        self.assertEqual(found[:6], [("Shannon", "Author"), (",", "Author"), ("C", "Author"), (".", "Author"),
                                     ("E", "Author"), (".", "Other")])
        self.assertEqual(dict(Counter(label for _, label in found)),
                         {"Author": 5, "Other": 11, "Date": 1, "Title": 5, "Venue": 4, "Volume": 1, "Pages": 3})

    def test_spaces_are_those_of_the_text(self):
        self.assertEqual(normal_spacing([t for t, _, _ in entry()], [s for _, _, s in entry()]),
                         "Shannon, C. E. (1948). “A mathematical theory of communication.” Bell System Technical "
                         "Journal 27, pp. 379–423.")

    def test_names_in_any_order_and_pages_cut_short(self):
        for names in ("SHANNON, Claude Elwood", "Claude E. Shannon", "Shannon CE", "C.E. Shannon et al"):
            self.assertEqual(entry(names=names)[0][1], "Author")
        self.assertEqual([t for t, label, _ in entry(pages="379–23") if label == "Pages"], ["379", "–", "23"])
        self.assertEqual([t for t, label, _ in entry(pages="379") if label == "Pages"], ["379"])

    def test_punctuation_moved_into_quotes_by_the_style(self):
        marked_text = ("Shannon, C. E. (1948). “A mathematical theory of communication”. Bell System Technical Journal "
                       "27, pp. 379–423.")
        self.assertEqual([x[1] for x in entry(text=marked_text) if x[1] != "Other"],
                         [x[1] for x in entry() if x[1] != "Other"])

    def test_an_address_after_a_word_without_a_space(self):
        for before in ("at ", "at"):
            with self.subTest(before):
                marked = "%s %s %s %shttps://doi.org/%s." % (
                    mark("author", "Shannon CE"), mark("issued", "1948"), mark("title", WORK["title"]), before,
                    mark("DOI", WORK["DOI"]))
                text = "".join(c for c in marked if not OPEN <= ord(c) <= CLOSE + 0xFF)
                found = [token for token, label, _ in align(text, marked, WORK, {}) if label == "Identifier"]
                self.assertEqual("".join(found), ("https" if before == "at " else "") + "://doi.org/" + WORK["DOI"])

    def test_dashes_stand_for_the_authors_of_the_entry_before(self):
        self.assertEqual([label for _, label, _ in entry(names="", previous=WORK)][:4],
                         ["Author", "Author", "Author", "Other"])
        with self.assertRaises(Disagreement):
            entry(names="")

    def test_disagreements(self):
        for wrong in ({"names": "Turing, A. M."}, {"title": "A mathematical theory of"}, {"pages": "378–423"},
                      {"pages": "379–42"}, {"year": "1949"}, {"text": "Something else"}):
            with self.subTest(wrong), self.assertRaises(Disagreement):
                entry(**wrong)


class Styles(unittest.TestCase):
    def test_marks_stand_inside_the_affixes(self):
        marked = mark_style('<style xmlns="http://purl.org/net/xbiblio/csl"><bibliography><sort><key variable="title"/>'
                            '</sort><layout><text variable="title" prefix="("/><text term="in"/></layout>'
                            '</bibliography></style>')
        code = VARIABLES.index("title")
        self.assertIn('prefix="(%s" suffix="%s"' % (chr(OPEN + code), chr(CLOSE + code)), marked)
        self.assertNotIn("sort", marked)


class Committed(unittest.TestCase):
    def test_pages_are_those_counted(self):
        counts = json.loads((DATA / "pages_counts.json").read_text(encoding="utf-8"))
        works = {w["id"] for w in json.loads((DATA / "works.json").read_text(encoding="utf-8"))}
        records = read_pages(DATA / "pages.txt")
        self.assertEqual(len(records), counts["records_kept"])
        self.assertEqual(counts["records_kept"] + sum(counts["dropped"].values()), counts["records_set"])
        self.assertEqual(Counter(label for r in records for label in r.labels), Counter(counts["tokens"]))
        self.assertLessEqual({r.work for r in records}, works)
        self.assertEqual(Counter(r.page for r in records), {p: c["kept"] for p, c in counts["per_page"].items()})
        styles = {s for s in (DATA / "styles.txt").read_text(encoding="utf-8").split("\n") if s and s[0] != "#"}
        self.assertEqual({r.page for r in records}, styles)
        self.assertGreaterEqual(len(styles), 40)

    def test_shelves_share_no_work(self):
        shelf_of = {}
        for record in read_pages(DATA / "pages.txt"):
            self.assertEqual(shelf_of.setdefault(record.work, record.shelf), record.shelf)

    def test_features_see_no_label(self):
        record = read_pages(DATA / "pages.txt")[0]
        self.assertEqual(features_of(record), features_of(record._replace(labels=["Other"] * len(record.labels))))


if __name__ == "__main__":
    unittest.main()
