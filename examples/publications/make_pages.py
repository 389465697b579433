#!/usr/bin/env python3
"""Sets works in citation styles, one "publication page" for each style, and labels every token.

    make_pages.py [--works data/works.json] [--styles data/styles.txt] [--out data] [--seed 7]

Reads CSL-JSON, lets `pandoc --citeproc` set each page, and writes

    pages.txt          the pages: tokens, gold labels, spaces (format below)
    pages_counts.json  how many records were set, kept and dropped, and why; tokens of each label

Works are dealt to shelves, and each style to one shelf, from which its page takes a selection of
works. Pages of different shelves share no work, so a tagger trained on some shelves has not seen
the works of the others.

Labels. Every page is set twice: once as it is, and once with marks (private characters) around each
variable that the style renders. Both settings must have the same letters and digits, in the same
order: the marks then tell for each letter of the unmarked text which variable it comes from. The
text between a pair of marks is compared with the work's own field: names with names (initials and
"et al." are allowed), page ranges also if abbreviated, numbers also as ordinals, texts letter by
letter. Records in which anything disagrees, or in which the title, the year or the names are
missing, are dropped and counted.

Format of pages.txt, in UTF-8: "# page STYLE<tab>SHELF" begins a page, "# record WORK" a record.
Each further line is a token, TOKEN<tab>LABEL<tab>SPACE; SPACE is 1 if white space stands before the
token, else 0. An empty line ends a record. Other lines that begin with "# " and have no tabulator
are remarks. A token is a run of letters, digits and underscores, or one other character, after NFC.
"""

import argparse
import bisect
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unicodedata
import xml.etree.ElementTree as ElementTree
from collections import Counter

HERE = pathlib.Path(__file__).resolve().parent
CSL = "http://purl.org/net/xbiblio/csl"
STYLE_FOLDER = pathlib.Path("/usr/share/citation-style-language/styles")

OTHER = "Other"
LABEL_OF_VARIABLE = {
    "author": "Author", "editor": "Editor", "translator": "Editor", "container-author": "Editor",
    "collection-editor": "Editor", "editorial-director": "Editor", "editortranslator": "Editor",
    "title": "Title", "title-short": "Title",
    "container-title": "Venue", "container-title-short": "Venue", "event": "Venue", "event-title": "Venue",
    "volume": "Volume", "issue": "Issue", "number": "Issue",
    "page": "Pages", "page-first": "Pages",
    "issued": "Date", "publisher": "Publisher", "publisher-place": "Location", "event-place": "Location",
    "edition": "Edition", "collection-title": "Series", "collection-number": "Series",
    "genre": "Genre", "DOI": "Identifier", "ISBN": "Identifier", "ISSN": "Identifier", "URL": "Identifier",
}
NAMES = {"author", "editor", "translator", "container-author", "collection-editor", "editorial-director",
         "editortranslator"}
NUMBERS = {"volume", "issue", "number", "edition", "collection-number"}
LABELS = [OTHER, "Author", "Editor", "Title", "Venue", "Series", "Edition", "Volume", "Issue", "Pages", "Date", "Publisher",
          "Location", "Genre", "Identifier"]
VARIABLES = sorted(LABEL_OF_VARIABLE)
# Code points of the private use area; U+E0FF stands for "not a field" (labels such as "eds.", numbers of entries).
NOT_A_FIELD = 0xFF
OPEN, CLOSE = 0xE000, 0xE100
# Words that join names, in the languages of the styles.
JOINERS = set("and et al alii und u a ua y e i og och en ja with others otros outros autres andere dr kol a1 ve vd ark и др 等 他 "
              "ed eds".split())

PAIRS = {")": "(", "]": "[", "”": "“", "’": "‘", "»": "«"}
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
WORD = re.compile(r"[\w\u0300-\u036f]+|[^\w\s]")


def squash(text):
    """Returns the letters and digits alone, in one case: two settings of a field have these in
    common."""
    text = unicodedata.normalize("NFKD", text).casefold()
    return "".join(c for c in text if c.isalnum())


def words_of(text):
    return [squash(w) for w in re.findall(r"[\w\u0300-\u036f]+", unicodedata.normalize("NFC", text))]


# ---- Setting ------------------------------------------------------------------------------------------------------


def mark_style(source):
    """Returns the style with a pair of marks around everything that renders a variable, inside its
    affixes."""
    ElementTree.register_namespace("", CSL)
    root = ElementTree.fromstring(source)

    def mark(element, code):
        element.set("prefix", element.get("prefix", "") + chr(OPEN + code))
        element.set("suffix", chr(CLOSE + code) + element.get("suffix", ""))

    for element in root.iter():
        tag = element.tag.removeprefix("{%s}" % CSL)
        if tag == "label":
            mark(element, NOT_A_FIELD)
        elif tag in ("text", "number", "date", "names") and element.get("variable"):
            variable = element.get("variable").split()[0]
            mark(element, VARIABLES.index(variable) if variable in LABEL_OF_VARIABLE else NOT_A_FIELD)
    # The marked setting must keep the order in which it gets the works, that of the unmarked
    # setting.
    bibliography = root.find("{%s}bibliography" % CSL)
    sort = bibliography.find("{%s}sort" % CSL)
    if sort is not None:
        bibliography.remove(sort)
    return ElementTree.tostring(root, encoding="unicode")


def flatten(node, small_caps=False):
    """Returns the text of a part of pandoc's document as pandoc's plain writer gives it: small
    capitals become capitals, and raised digits stay raised."""
    if isinstance(node, list):
        return "".join(flatten(n, small_caps) for n in node)
    kind, content = node["t"], node.get("c")
    if kind == "Str":
        return content.upper() if small_caps else content
    if kind in ("Space", "SoftBreak", "LineBreak"):
        return " "
    if kind == "Quoted":
        left, right = ("‘", "’") if content[0]["t"] == "SingleQuote" else ("“", "”")
        return left + flatten(content[1], small_caps) + right
    if kind == "SmallCaps":
        return flatten(content, True)
    if kind == "Superscript":
        return flatten(content, small_caps).translate(SUPERSCRIPTS)
    if kind in ("Emph", "Strong", "Underline", "Subscript", "Strikeout"):
        return flatten(content, small_caps)
    if kind in ("Span", "Div"):
        blocks = {"csl-left-margin", "csl-right-inline", "csl-block", "csl-indent"} & set(content[0][1])
        text = flatten(content[1], small_caps)
        return " " + text + " " if blocks else text
    if kind in ("Para", "Plain"):
        return flatten(content, small_caps)
    if kind == "Link":
        return flatten(content[1], small_caps)
    raise ValueError("pandoc wrote an element that is not known here: " + kind)


def set_page(style, works, folder):
    """Returns [(id, text)] of a page, in the order of the style."""
    bibliography = folder / "works.json"
    bibliography.write_text(json.dumps(works, ensure_ascii=False), encoding="utf-8")
    command = ["pandoc", "-f", "markdown", "-t", "json", "--citeproc", "--csl", str(style), "--bibliography",
               str(bibliography)]
    done = subprocess.run(command, input='---\nnocite: "@*"\n---\n', capture_output=True, text=True, check=True)
    entries = []
    for block in json.loads(done.stdout)["blocks"]:
        if block["t"] == "Div" and block["c"][0][0] == "refs":
            for entry in block["c"][1]:
                text = unicodedata.normalize("NFC", flatten(entry))
                text = re.sub("[\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad]", "", text)
                entries.append((entry["c"][0][0].removeprefix("ref-"), re.sub(r"\s+", " ", text).strip()))
    return entries


# ---- Alignment ----------------------------------------------------------------------------------------------------


class Disagreement(Exception):
    """The reason why a record is dropped."""


def read_marks(marked):
    """Returns the letters and digits of a marked text, each with its variable (NOT_A_FIELD: none)
    and the number of its span (-1: none), and the variable and text of each span."""
    letters, stack, spans = [], [], []
    for c in marked:
        code = ord(c)
        if OPEN <= code <= OPEN + 0xFF:
            stack.append((code - OPEN, len(spans)))
            spans.append([code - OPEN, ""])
        elif CLOSE <= code <= CLOSE + 0xFF:
            if not stack or stack.pop()[0] != code - CLOSE:
                raise Disagreement("marks do not nest")
        else:
            if stack:
                spans[stack[-1][1]][1] += c
            if squash(c):
                variable, span = stack[-1] if stack else (NOT_A_FIELD, -1)
                letters += [(s, variable, span) for s in squash(c)]
    if stack:
        raise Disagreement("marks do not nest")
    return letters, spans


def roman(number):
    text = ""
    for value, numeral in ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
                           (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):
        text += numeral * (number // value)
        number %= value
    return text


def name_words(names):
    allowed = set(JOINERS)
    for name in names:
        given = words_of(name.get("given", ""))
        initials = "".join(w[0] for w in given if w)
        parts = given + [initials[a:b] for a in range(len(initials)) for b in range(a + 1, len(initials) + 1)]
        for part in ("family", "suffix", "non-dropping-particle", "dropping-particle", "literal"):
            parts += words_of(name.get(part, ""))
        allowed.update(parts)
        allowed.add("".join(words_of(name.get("family", ""))))
    return allowed


def year_of(work):
    return str(work["issued"]["date-parts"][0][0])


def agrees(variable, text, work):
    """Returns whether the text of a span is a setting of the work's field `variable`."""
    found = squash(text)
    if variable in NAMES:
        names = work.get(variable) or work.get("editor", []) or work.get("author", [])
        allowed = name_words(names)
        return bool(names) and all(w in allowed for w in words_of(text))
    if variable == "issued":
        digits = re.findall(r"\d+", text)
        parts = {str(p) for date in work["issued"]["date-parts"] for p in date}
        parts |= {p.zfill(2) for p in parts} | {p[-2:] for p in parts}
        if digits:
            return all(d in parts for d in digits)
        # The name of a month, set apart from its year.
        return len(work["issued"]["date-parts"][0]) > 1 and len(words_of(text)) == 1
    if variable in ("page", "page-first"):
        field = [squash(p) for p in re.split(r"[-–,;]", work.get("page", "")) if squash(p)]
        shown = [squash(p) for p in re.findall(r"\w+", text)]
        if not shown or not field or shown[0] != field[0]:
            return False
        # 379-423 may be set as 379-423, 379-23 and so on, or as 379, the first page alone.
        return len(shown) <= len(field) and all(f.endswith(s) for s, f in zip(shown, field))
    if variable in NUMBERS:
        field = squash(str(work.get(variable, "")))
        return bool(field) and (found.startswith(field) or field.isdigit() and found == roman(int(field)))
    stem = variable.removesuffix("-short")
    fields = [work.get(variable), work.get(stem), work.get(stem + "-short")]
    if variable in ("event", "event-title"):
        fields = [work.get("event"), work.get("event-title")]
    return found in {squash(str(f)) for f in fields if f}


def align(text, marked, work, previous, untitled=False):
    """Returns [(token, label, space before)] of a record. Raises Disagreement if a label is in
    doubt. untitled: whether the style may leave out titles."""
    letters, spans = read_marks(marked)
    if squash(text) != "".join(letter for letter, _, _ in letters):
        raise Disagreement("marks change the text")
    shown = Counter()
    for code, content in spans:
        if code != NOT_A_FIELD and squash(content):
            if not agrees(VARIABLES[code], content, work):
                raise Disagreement(VARIABLES[code] + " is not that of the work", content)
            shown[LABEL_OF_VARIABLE[VARIABLES[code]]] += 1
    if shown["Title"] != 1 and not (untitled and not shown["Title"]):
        raise Disagreement("title missing" if not shown["Title"] else "title twice")
    dates = [content for code, content in spans if code == VARIABLES.index("issued")]
    if not shown["Date"] or year_of(work)[-2:] not in "".join(dates):
        raise Disagreement("year missing")
    repeated = 0  # the end of a row of dashes that stands for the authors of the entry before
    if not shown["Author"] and work.get("author"):
        dashes = re.match(r"\W*?([-–—―_]{2,}|[—―])", text)
        if not dashes or not previous or previous.get("author", [None])[0] != work["author"][0]:
            raise Disagreement("author missing")
        repeated = dashes.end()

    tokens, of_token, starts, at = [], [], [], 0
    end = 0
    for match in WORD.finditer(text):
        token = match.group()
        length = len(squash(token))
        votes = Counter((v, s) for _, v, s in letters[at:at + length])
        at += length
        if length:
            inside = [vote for vote in votes.most_common() if vote[0][0] != NOT_A_FIELD]
            variable, span = (inside or votes.most_common(1))[0][0]
        else:
            variable, span = None, None  # punctuation: decided below
        if match.end() <= repeated and not token[0].isalnum():
            variable, span = (VARIABLES.index("author"), -2) if token[0] in "-–—―_" else (NOT_A_FIELD, -1)
        tokens.append((token, match.start() > end))
        of_token.append((variable, span))
        starts.append(match.start())
        end = match.end()

    labels = []
    for i, (variable, span) in enumerate(of_token):
        if variable is None:
            # Punctuation belongs to a field if both neighbouring words do.
            before = next((of_token[k] for k in range(i - 1, -1, -1) if of_token[k][0] is not None), None)
            after = next((of_token[k] for k in range(i + 1, len(of_token)) if of_token[k][0] is not None), None)
            variable = before[0] if before is not None and before == after else NOT_A_FIELD
        labels.append(OTHER if variable == NOT_A_FIELD else LABEL_OF_VARIABLE[VARIABLES[variable]])
    # A title keeps its question mark, and a field the bracket or quotation mark that closes one
    # inside it.
    for i in range(1, len(tokens)):
        token, label = tokens[i][0], labels[i - 1]
        if labels[i] != OTHER or label == OTHER:
            continue
        start = i
        while start and labels[start - 1] == label:
            start -= 1
        inside = [t for t, _ in tokens[start:i]]
        if token in PAIRS and inside.count(PAIRS[token]) > inside.count(token) or (
                token in "?!" and label == "Title" and work["title"].endswith(token)) or (
                token == "/" and label == "Identifier"):
            labels[i] = label
    # An address is one field, whether the style or the work gives its scheme (https).
    for match in re.finditer(r"https?://\S+", text):
        first, last = (bisect.bisect_left(starts, edge) for edge in match.span())
        if "Identifier" in labels[first:last]:
            stop = max(k for k in range(first, last) if labels[k] == "Identifier")
            labels[first:stop + 1] = ["Identifier"] * (stop + 1 - first)
    return [(token, label, space) for (token, space), label in zip(tokens, labels)]


# ---- Pages --------------------------------------------------------------------------------------------------------


FORMS = {"article-journal": "article", "paper-conference": "paper"}  # all other types: "book"


def deal(works, shelves, generator):
    """Deals works to shelves. People publish mostly in one form, so two thirds of a shelf are of
    one form: articles, conference papers, or books with chapters and theses. Each time the form of
    which most works are left is taken. The rest of a shelf is mixed."""
    order = sorted(works, key=lambda w: w["id"])
    generator.shuffle(order)
    forms = {}
    for work in order:
        forms.setdefault(FORMS.get(work["type"], "book"), []).append(work)
    size = len(works) // shelves
    main = size * 2 // 3
    dealt = []
    for _ in range(shelves):
        form = max(sorted(forms), key=lambda f: len(forms[f]))
        dealt.append([forms[form].pop() for _ in range(min(main, len(forms[form])))])
    rest = [w for form in sorted(forms) for w in forms[form]]
    generator.shuffle(rest)
    for work in rest:
        min(dealt, key=len).append(work)
    generator.shuffle(dealt)
    return dealt


def choose(shelf, records, generator):
    """Returns the works of one page: `records` works of a shelf, or up to two more or fewer."""
    return generator.sample(shelf, min(len(shelf), records + generator.randint(-2, 2)))


def make_page(source, chosen, folder, untitled=False):
    """Sets works in the style of a file. Returns the records kept, [(work's id, what align()
    returns)] in the order of the style, and those dropped, [(work's id, Disagreement)]. Writes to
    `folder`. untitled: as for align()."""
    by_id = {w["id"]: w for w in chosen}
    plain = set_page(source, chosen, folder)
    marked_style = folder / "marked.csl"
    marked_style.write_text(mark_style(source.read_text(encoding="utf-8")), encoding="utf-8")
    marked = dict(set_page(marked_style, [by_id[i] for i, _ in plain], folder))
    shown = {identity for identity, _ in plain}
    records, dropped, previous = [], [(i, Disagreement("not set")) for i in by_id if i not in shown], {}
    for identity, text in plain:
        before, previous = previous, by_id[identity]
        try:
            records.append((identity, align(text, marked.get(identity, ""), by_id[identity], before, untitled)))
        except Disagreement as disagreement:
            dropped.append((identity, disagreement))
    return records, dropped


def page_lines(page, shelf, records):
    """Returns a page as lines in the format of pages.txt."""
    lines = ["# page %s\t%d" % (page, shelf)]
    for identity, tokens in records:
        lines.append("# record " + identity)
        lines += ["%s\t%s\t%d" % token_label_space for token_label_space in tokens]
        lines.append("")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--works", type=pathlib.Path, default=HERE / "data/works.json")
    parser.add_argument("--styles", type=pathlib.Path, default=HERE / "data/styles.txt")
    parser.add_argument("--style-folder", type=pathlib.Path, default=STYLE_FOLDER)
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "data")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--shelves", type=int, default=10)
    parser.add_argument("--records", type=int, default=14, help="works of a page (two more or fewer)")
    options = parser.parse_args()

    works = json.loads(options.works.read_text(encoding="utf-8"))
    styles = [s for s in options.styles.read_text(encoding="utf-8").split("\n") if s and not s.startswith("#")]
    generator = random.Random(options.seed)
    shelves = deal(works, options.shelves, generator)
    generator.shuffle(styles)
    shelf_of = {style: k % options.shelves for k, style in enumerate(styles)}

    lines, per_page, reasons, per_label = [], {}, Counter(), Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for style in sorted(styles):
            shelf = shelves[shelf_of[style]]
            chosen = choose(shelf, options.records, generator)
            records, dropped = make_page(options.style_folder / (style + ".csl"), chosen, folder)
            for identity, why in dropped:
                print("dropped  %s  %s: %s" % (style, identity, " | ".join(why.args)), file=sys.stderr)
            lines += page_lines(style, shelf_of[style], records)
            per_label.update(label for _, tokens in records for _, label, _ in tokens)
            why = Counter(why.args[0] for _, why in dropped)
            reasons.update(why)
            per_page[style] = {"shelf": shelf_of[style], "set": len(chosen), "kept": len(records), "dropped": dict(why)}

    (options.out / "pages.txt").write_text("\n".join(lines), encoding="utf-8")
    counts = {
        "works": len(works), "pages": len(per_page), "shelves": options.shelves, "seed": options.seed,
        "records_set": sum(p["set"] for p in per_page.values()),
        "records_kept": sum(p["kept"] for p in per_page.values()),
        "dropped": dict(reasons.most_common()),
        "tokens": {label: per_label[label] for label in LABELS},
        "per_page": per_page,
    }
    (options.out / "pages_counts.json").write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")
    print("%(pages)d pages, %(records_kept)d of %(records_set)d records" % counts, file=sys.stderr)


if __name__ == "__main__":
    main()
