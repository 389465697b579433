#!/usr/bin/env python3
"""Tests of check_works.py: data/works.json has no faults, and every rule finds the fault made for
it."""
import contextlib
import copy
import http.server
import io
import json
import pathlib
import socket
import tempfile
import threading
import unittest

import check_works

WORKS = json.loads((check_works.HERE / "data/works.json").read_text(encoding="utf-8"))


def first(**wanted):
    """Returns a copy of the list, and in it the first work with these values; a value True: any
    value."""
    works = copy.deepcopy(WORKS)
    return works, next(w for w in works if all(k in w and (v is True or w[k] == v) for k, v in wanted.items()))


def run(*arguments):
    out, error = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        status = check_works.main([str(a) for a in arguments])
    return status, out.getvalue(), error.getvalue()


class Facts(unittest.TestCase):
    def test_committed_works_pass(self):
        self.assertEqual(check_works.check(WORKS), [])
        status, out, _ = run()
        self.assertEqual(status, 0)
        self.assertTrue(out.startswith(f"{len(WORKS)} works: "))


class Faults(unittest.TestCase):
    def assertFault(self, works, expected):
        faults = check_works.check(works)
        self.assertTrue(any(expected in fault for fault in faults), f"{expected!r} not in {faults}")

    def test_fields(self):
        for field, value, expected in [
                ("type", "webpage", "type 'webpage' is none of"),
                ("type", ["book"], "type ['book'] is none of"),
                ("language", "xx", "language 'xx' is none of"),
                ("titel", "A", "unknown field titel"),
                ("title", "", "title is empty"),
                ("title", "A  B", "title is empty, or has spaces"),
                ("title", "Go\u0308del", "title is not in NFC"),
                ("title", "A\tB", "title has a control character"),
                ("volume", 12, "volume is not a string"),
                ("edition", "3rd", "edition '3rd' is not a number"),
                ("author", [], "author is not a list of names"),
                ("author", [{"literal": "A"}], "author[0] is not a name"),
                ("author", [{"family": "A", "given": " B"}], "author[0].given is empty, or has spaces"),
                ("author", [{"family": "A", "given": "B"}] * 2, "author names somebody twice"),
                ("issued", {"raw": "1999"}, "issued is not one date"),
                ("issued", {"date-parts": [["1999"]]}, "issued is not one date"),
                ("issued", {"date-parts": [[1999, 13]]}, "issued is no date"),
                ("issued", {"date-parts": [[3000]]}, "issued in 3000"),
                ("page", "12-", "page '12-' is neither"),
                ("page", "40-31", "page range 40-31 does not ascend"),
                ("DOI", "https://doi.org/10.1/2", "is not 10.NUMBER/NAME"),
                ("URL", "www.example.org", "is not the address of a page"),
                ("ISBN", "0131103629", "wrong form or check digit"),
                ("ISBN", "9780262033849", "wrong form or check digit"),
                ("ISBN", "978026203384", "wrong form or check digit")]:
            with self.subTest(field=field, value=value):
                works, work = first(type="article-journal", DOI=True)
                work[field] = value
                self.assertFault(works, expected)

    def test_missing_fields(self):
        for kind, fields in {**check_works.NEEDED, "article-journal": {"title", "language", "issued", "author"}}.items():
            for field in fields:
                with self.subTest(type=kind, field=field):
                    works, work = first(type=kind, **{field: True})
                    del work[field]
                    self.assertFault(works, f"{work['id']}: no {field}")
        works, work = first(type="book", author=True)
        work.pop("author"), work.pop("editor", None)
        self.assertFault(works, "neither author nor editor")
        works, work = first(DOI=True)
        work.pop("DOI"), work.pop("URL", None), work.pop("ISBN", None)
        self.assertFault(works, "no identifier")

    def test_repeated(self):
        for kind, field, other in [("book", "ISBN", "book"), ("article-journal", "DOI", "chapter"),
                                   ("thesis", "URL", "paper-conference"), ("book", "id", "thesis")]:
            with self.subTest(field=field):
                works, work = first(type=kind, **{field: True})
                again = next(w for w in works if w is not work and w["type"] == other)
                again[field] = work[field].upper() if field == "DOI" else work[field]
                self.assertFault(works, f"has the {field} of work")
        works, work = first(type="book")
        works.append({**work, "id": "again", "ISBN": "0306406152"})
        self.assertFault(works, "has the type, title and year of work")
        works, work = first(type="book", ISBN="9780262033848")
        # The same ISBN in ten digits.
        next(w for w in works if w["type"] == "thesis")["ISBN"] = "0262033844"
        self.assertFault(works, "has the ISBN of work")

    def test_chapters_may_share_a_book(self):
        works, work = first(type="chapter", ISBN=True)
        next(w for w in works if w["type"] == "chapter" and w is not work)["ISBN"] = work["ISBN"]
        self.assertEqual(check_works.check(works), [])

    def test_counts(self):
        self.assertFault(WORKS[:check_works.LEAST_WORKS - 1], f"at least {check_works.LEAST_WORKS} wanted")
        for kind, least in check_works.LEAST_OF_TYPE.items():
            self.assertFault([w for w in WORKS if w["type"] != kind], f"0 works of type {kind}; at least {least} wanted")
        self.assertFault([w for w in WORKS if w["language"] == "en"], "0 works in other languages")

    def test_not_works(self):
        self.assertEqual(check_works.check({}), ["not a list of works"])
        self.assertFault([1], "work 0: no id")
        with tempfile.TemporaryDirectory() as folder:
            broken = pathlib.Path(folder) / "broken.json"
            broken.write_text("[{", encoding="utf-8")
            self.assertEqual(run(broken)[0], 2)
            self.assertEqual(run(pathlib.Path(folder) / "absent.json")[0], 2)
            broken.write_text("[{}]", encoding="utf-8")
            self.assertEqual(run("--quiet", broken)[:2], (1, "work 0: no id of small letters and digits\n"))


class Online(unittest.TestCase):
    """Checks against a resolver of this test, which answers from a table."""

    def setUp(self):
        self.table = table = {w["DOI"]: dict(w) for w in WORKS if "DOI" in w}

        class Resolver(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                doi = check_works.urllib.parse.unquote(self.path[1:])
                known = doi in table and self.headers["Accept"] == "application/vnd.citationstyles.csl+json"
                body = json.dumps(table[doi]).encode() if known else b""
                self.send_response(200 if known else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Resolver)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()

    def test_agrees(self):
        self.assertEqual(run("--online", "--quiet", "--resolver", self.address)[:2], (0, ""))

    def test_disagrees(self):
        doi = "10.1002/j.1538-7305.1948.tb01338.x"
        works = [w for w in WORKS if w.get("DOI") == doi]
        for field, value, expected in [
                ("title", "The Mathematics of Gambling", "registered with title 'The Mathematics of Gambling'"),
                ("issued", {"date-parts": [[1949, 1]]}, "registered with year 1949"),
                ("volume", "28", "registered with volume 28"), ("issue", "4", "registered with issue 4"),
                ("page", "380-423", "registered with page 380-423"),
                ("author", [{"family": "Weaver", "given": "W."}], "registered with first author Weaver")]:
            with self.subTest(field=field):
                before = self.table[doi][field]
                self.table[doi][field] = value
                self.assertEqual(check_works.check_online(works, self.address), [f"shannon1948: {expected}"])
                self.table[doi][field] = before

    def test_spelling_does_not_matter(self):
        work = next(w for w in WORKS if w["id"] == "shannon1948")
        self.table[work["DOI"]].update({"title": ["A MATHEMATICAL <i>theory</i> of Communication"], "page": "379–423",
                                       "issued": {"date-parts": [[None]]},
                                       "published-print": {"date-parts": [[1948, 7]]}})
        self.assertEqual(check_works.check_online([work], self.address), [])

    def test_not_registered(self):
        del self.table["10.1038/171737a0"]
        self.assertEqual(run("--online", "--quiet", "--resolver", self.address)[:2],
                         (1, "watson1953: DOI 10.1038/171737a0 is not registered\n"))

    def test_out_of_reach(self):
        with socket.socket() as unused:  # bound, but not listening
            unused.bind(("127.0.0.1", 0))
            status, _, error = run("--online", "--resolver", f"http://127.0.0.1:{unused.getsockname()[1]}")
        self.assertEqual(status, 2)
        self.assertIn("the DOIs are not verified", error)


if __name__ == "__main__":
    unittest.main()
