#!/usr/bin/env python3
"""Sets made-up works in many citation styles, and labels every token, as training data.

    typeset.py --data FOLDER --out pages.conll [--pages 160] [--seed 1]

A page has a profile (physics, medicine, social science, humanities, press ...), a language and a
style of the Debian package citation-style-language-styles that fits both; pandoc sets it, and
examples/publications/make_pages.py finds the labels. Titles, surnames, publishers and places are
drawn at random from the fields of anystyle_refs in FOLDER, and from works.json; no work exists.
Writes the format that train.py reads. Prints a line for each page.
"""

import argparse
import json
import pathlib
import random
import re
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "examples/publications"), str(HERE.parent / "src")]

import make_pages
from train import read

# Words, names and styles, by language or by profile. "journals" have their abbreviations, "publishers"
# their places. "profiles" are weights of the types of work; "preprint" and "standard" are types of
# this script. "untitled" are styles of physics and chemistry that leave out the titles of articles:
# half of the pages of physics. The "titles" of a language are joined from their parts.
LISTS = json.loads((HERE / "works.json").read_text(encoding="utf-8"))


class Materials:
    """What works are made of: fields of labelled references."""

    def __init__(self, folder: pathlib.Path):
        self.titles, self.families, self.places, self.publishers = [], set(), set(), set()
        for path in sorted((folder / "anystyle_refs").glob("*.conll")):
            for record in read(path):
                for label, words, spaces in runs(record):
                    text = "".join(s + w for w, s in zip(words, spaces)).strip()
                    if label == "Title" and 3 < len(words) < 26 and words[0][0].isalnum() and words[-1][-1].isalnum():
                        self.titles.append(text)
                    elif label == "Author":
                        self.families.update(w for w in words if re.fullmatch(r"[A-Z][^\W\d_]{2,}", w) and not w.isupper())
                    elif label == "Location" and len(words) < 4 and words[-1][-1].isalpha():
                        self.places.add(text)
                    elif label == "Publisher" and len(words) < 7 and words[-1][-1].isalpha():
                        self.publishers.add(text)
        self.titles.sort()
        self.families, self.places, self.publishers = sorted(self.families), sorted(self.places), sorted(self.publishers)


def runs(record):
    first = 0
    for k in range(1, len(record.tokens) + 1):
        if k == len(record.tokens) or record.labels[k] != record.labels[first]:
            yield record.labels[first], record.tokens[first:k], record.spaces[first:k]
            first = k


class Maker:
    """Makes the works of one page."""

    def __init__(self, draw: random.Random, from_: Materials, profile: str, language: str):
        self.draw, self.materials, self.profile, self.language = draw, from_, profile, language
        self.abbreviates = draw.random() < {"physics": 0.8, "medicine": 0.8}.get(profile, 0.25)
        self.full_names = draw.random() < (0.3 if profile in ("physics", "medicine") else 0.7)
        self.has_doi, self.has_issue, self.first_page_only = (draw.random() < p for p in (0.4, 0.6, 0.25))
        self.letter_at_volume = draw.random() < 0.3
        # What stands before a subtitle.
        self.before_subtitle = draw.choice([None, ". ", ". ", ": ", " – "])

    def chance(self, p):
        return self.draw.random() < p

    def of(self, name):
        return self.draw.choice(LISTS[name][self.language])

    def person(self):
        given = [self.of("given")]
        if self.chance(0.4):
            given.append(self.of("given"))
        if not self.full_names:
            given = [g[0] + "." for g in given]
        if self.chance(0.7):
            family = self.draw.choice(self.materials.families)
        else:
            family = self.of("families")
        name = {"family": family, "given": " ".join(given)}
        if self.chance(0.06):
            name["non-dropping-particle"] = self.of("particles")
        if self.chance(0.01):
            name["suffix"] = self.draw.choice(["Jr.", "III"])
        return name

    def people(self, most):
        return [self.person() for _ in range(self.draw.choice([1, 1, 2, 2, 3, 3, 4, most]))]

    def title(self):
        title = self.one_title()
        if self.before_subtitle:
            if ": " not in title and self.profile in ("social", "humanities", "press") and self.chance(0.35):
                title += ": " + re.split(r"[:.?] ", self.one_title())[-1]
            title = re.sub(r"(?<=\w): (?=\w)", self.before_subtitle, title, count=1)
            if self.before_subtitle == ". ":
                title = re.sub(r"(?<=\. )\w", lambda match: match.group().upper(), title, count=1)
        return title

    def one_title(self):
        titles = LISTS["titles"]
        grammar = titles.get(self.language) or (titles["physics"] if self.profile == "physics" else None)
        if grammar and self.chance(0.5):
            parts = [self.draw.choice(choices) for choices in grammar]
            if self.language in titles:
                return " ".join(parts[:-1]) + parts[-1]
            return "%s %s %s" % tuple(parts[:3]) + "".join(parts[3:])
        return self.draw.choice(self.materials.titles)

    def publisher(self, work):
        if self.chance(0.5):
            work["publisher"], work["publisher-place"] = self.draw.choice(list(LISTS["publishers"][self.language].items()))
        else:
            work["publisher"] = self.draw.choice(self.materials.publishers)
            work["publisher-place"] = self.draw.choice(self.materials.places)
        if self.chance(0.1):
            del work["publisher-place"]

    def pages(self):
        first = self.draw.choice([self.draw.randint(1, 40), self.draw.randint(1, 1200), self.draw.randint(100, 9999)])
        if self.profile == "physics" and self.chance(0.3):
            return "%06d" % self.draw.randint(1000, 253000)
        if self.profile == "medicine" and self.chance(0.1):
            return "e%d" % self.draw.randint(100, 99999)
        if self.first_page_only and self.chance(0.8):
            return str(first)
        return "%d-%d" % (first, first + self.draw.randint(2, 40))

    def make(self, number):
        kinds = LISTS["profiles"][self.profile]
        kind = self.draw.choices(list(kinds), list(kinds.values()))[0]
        year = self.draw.randint(1900, 2024) if self.chance(0.15) else self.draw.randint(1975, 2024)
        work = {"id": "w%d" % number, "language": self.language, "title": self.title(), "author": self.people(12), "issued": {"date-parts": [[year]]}}
        if self.chance(0.08) or kind in ("report", "web") and self.chance(0.4):
            names = LISTS["corporate"].get(self.profile, LISTS["corporate"][self.language])
            work["author"] = [{"literal": self.draw.choice(names)}]
        elif self.profile == "physics" and self.chance(0.1):
            work["author"] = work["author"][:1] + [{"literal": self.draw.choice(LISTS["corporate"]["physics"])}]
        getattr(self, "_" + kind)(work, year)
        if self.has_doi and kind in ("article", "paper", "chapter") and self.chance(0.7):
            work["DOI"] = "10.%d/%s" % (self.draw.randint(1000, 9999), self.draw.choice(["s%d-%d", "j.abc.%d.%d", "PhysRevB.%d.%d", "%d.%d"]) % (
                self.draw.randint(10, 9999), self.draw.randint(1, 999999)))
        return work

    def _article(self, work, year):
        journals = LISTS["journals"]
        table = journals.get(self.profile) or journals[self.language]
        if self.language != "en" and self.chance(0.7):
            table = journals[self.language]
        name, short = self.draw.choice(list(table.items()))
        work.update(type="article-journal", volume=str(self.draw.randint(1, 400)), page=self.pages())
        if self.letter_at_volume and re.search(r" [A-H]$", short):
            name, short, letter = name[:-2], short[:-2], short[-1]
            work["volume"] = letter + work["volume"]
        work["container-title"] = short if self.abbreviates else name
        work["container-title-short"] = short
        if self.has_issue and self.chance(0.8):
            work["issue"] = self.draw.choice([str(self.draw.randint(1, 12)), "%d-%d" % (1, 2), "Suppl 1"] if self.chance(0.1) else [str(self.draw.randint(1, 12))])
        if self.profile == "medicine" and self.chance(0.3):
            work["issued"]["date-parts"] = [[year, self.draw.randint(1, 12)]]

    def _preprint(self, work, year):
        number = "%02d%02d.%05d" % (year % 100, self.draw.randint(1, 12), self.draw.randint(1, 19999))
        if self.chance(0.4):
            number = "%s/%02d%05d" % (self.draw.choice(LISTS["archives"]), year % 100, self.draw.randint(1001, 12999))
        work.update(type="article", URL="https://arxiv.org/abs/" + number, publisher="arXiv", number="arXiv:" + number)

    def _book(self, work, year):
        work["type"] = "book"
        self.publisher(work)
        if self.chance(0.25):
            work["editor"] = work.pop("author")
        if self.chance(0.2):
            work["edition"] = str(self.draw.randint(2, 6))
        if self.chance(0.15):
            work["collection-title"], work["collection-number"] = self.of("series"), str(self.draw.randint(1, 900))
        if self.chance(0.15):
            work["volume"] = str(self.draw.randint(1, 5))
        if self.chance(0.1):
            work["translator"] = self.people(2)
        if self.chance(0.05):
            work["ISBN"] = "978-%d-%d-%04d-%d" % (self.draw.randint(0, 9), self.draw.randint(100, 999), self.draw.randint(0, 9999), self.draw.randint(0, 9))

    def _chapter(self, work, year):
        work.update(type="chapter", page=self.pages(), editor=self.people(4))
        work["container-title"] = self.title()
        self.publisher(work)
        if self.chance(0.15):
            work["collection-title"] = self.of("series")
        if self.chance(0.1):
            work["edition"] = str(self.draw.randint(2, 4))

    def _thesis(self, work, year):
        work.update(type="thesis", genre=self.of("theses"), publisher=self.of("universities"), author=work["author"][:1])
        if self.chance(0.5):
            work["publisher-place"] = self.draw.choice(self.materials.places)

    def _report(self, work, year):
        work.update(type="report", genre=self.of("reports"), publisher=self.of("universities") if self.chance(0.5) else self.of("corporate"))
        if self.chance(0.7):
            work["number"] = self.draw.choice([str(self.draw.randint(1, 400)), "TR-%d-%02d" % (year, self.draw.randint(1, 50))])
        if self.chance(0.4):
            work["publisher-place"] = self.draw.choice(self.materials.places)
        if self.chance(0.3):
            self._address(work)

    def _paper(self, work, year):
        name = self.draw.choice(LISTS["conferences"]).format(n=self.draw.choice([4, 5, 6, 7, 8, 9, 10, 14, 25, 36]), x=self.draw.choice(LISTS["fields"]), y=year)
        work.update(type="paper-conference", page=self.pages())
        work["container-title"] = name
        if self.chance(0.6):
            self.publisher(work)
        if self.chance(0.2):
            work["editor"] = self.people(3)
        if self.chance(0.2):
            work["collection-title"], work["volume"] = self.of("series"), str(self.draw.randint(100, 9999))
        if self.chance(0.2):
            work["event-place"] = self.draw.choice(self.materials.places)

    def _news(self, work, year):
        work.update(type="article-newspaper", issued={"date-parts": [[year, self.draw.randint(1, 12), self.draw.randint(1, 28)]]})
        work["container-title"] = self.of("newspapers")
        work["author"] = work["author"][:1]
        if self.chance(0.5):
            work["page"] = self.draw.choice(["%d", "A%d", "B%d"]) % self.draw.randint(1, 40)
        if self.chance(0.3):
            self._address(work)

    def _web(self, work, year):
        work["type"] = "webpage"
        if self.chance(0.5):
            work["container-title"] = self.of("corporate") if self.chance(0.5) else self.of("newspapers")
        if self.chance(0.5):
            work["issued"]["date-parts"] = [[year, self.draw.randint(1, 12), self.draw.randint(1, 28)]]
        self._address(work)

    def _standard(self, work, year):
        number = self.draw.choice(LISTS["standards"]) % self.draw.randint(100, 19999)
        body = self.draw.choice(LISTS["standard bodies"])
        work.update(type="report", number=number, author=[{"literal": body}], publisher=body)

    def _address(self, work):
        site = self.draw.choice(LISTS["sites"])
        path = self.draw.choice(LISTS["paths"]) % self.draw.randint(1, 99999)
        work["URL"] = self.draw.choice(["https", "http"]) + "://" + site + "/" + path
        if self.chance(0.5):
            work["accessed"] = {"date-parts": [[self.draw.randint(2000, 2024), self.draw.randint(1, 12), self.draw.randint(1, 28)]]}


def physicists(records, draw: random.Random):
    """Changes records as physicists write them: the collaboration in brackets after "et al.", and
    the number of the preprint at the end. A page has one form of each."""
    with_preprints, form = draw.random() < 0.5, draw.choice(LISTS["preprints of physicists"])
    with_groups, separators = draw.random() < 0.5, draw.choice(LISTS["before and after a group"])
    for _, tokens in records:
        count = sum(label == "Author" for _, label, _ in tokens)
        if with_groups and draw.random() < 0.4 and tokens[0][1] == "Author" and count < 9:
            last = max(k for k in range(count) if tokens[k][1] == "Author") + 1
            group = separators[0] + draw.choice(LISTS["corporate"]["physics"]) + separators[1]
            tokens[last:last] = labelled(group, "Author")
        if with_preprints and draw.random() < 0.6:
            year = draw.randint(92, 109) % 100
            number = "%s/%02d%02d%03d" % (draw.choice(LISTS["archives of physicists"]), year, draw.randint(1, 12), draw.randint(1, 999))
            if draw.random() < 0.4:
                number = "%02d%02d.%04d" % (draw.randint(7, 20), draw.randint(1, 12), draw.randint(1, 9999))
            if tokens[-1][0] == ".":
                tokens.pop()
            tokens += labelled(form % number, "Identifier")


def labelled(text: str, label: str):
    """Returns tokens of a text, all but punctuation at the edges labelled."""
    found = [(m.group(), m.start() > 0 and text[m.start() - 1] == " ") for m in make_pages.WORD.finditer(text)]
    inside = [k for k, (word, _) in enumerate(found) if word[0].isalnum()]
    return [(word, label if inside[0] <= k <= inside[-1] else make_pages.OTHER, space) for k, (word, space) in enumerate(found)]


class Style:
    def __init__(self, path):
        text = path.read_text(encoding="utf-8")
        self.path = path
        self.fields = set(re.findall(r'<category field="([^"]+)"', text))
        locale = re.search(r'default-locale="(\w\w)', text)
        self.language = locale.group(1) if locale else "en"
        self.usable = "<bibliography" in text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--pages", type=int, default=160)
    parser.add_argument("--works", type=int, default=26, help="works on a page")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    materials = Materials(options.data)
    styles = [style for path in sorted(make_pages.STYLE_FOLDER.glob("*.csl")) if (style := Style(path)).usable]
    draw = random.Random(options.seed)
    kept = left_out = 0
    with options.out.open("w", encoding="utf-8") as out, tempfile.TemporaryDirectory() as name:
        for number in range(options.pages):
            profile = LISTS["turns"][number % len(LISTS["turns"])]
            language = draw.choices(["en", "de", "fr", "es"], [5, 4, 1, 1] if profile not in ("physics", "medicine", "computing") else [10, 1, 0.5, 0.5])[0]
            fitting = [s for s in styles if s.language == language and not s.fields.isdisjoint(LISTS["style fields"][profile])]
            if len(fitting) < 5:
                fitting = [s for s in styles if s.language == language]
            if profile == "physics" and number % 20 > 9:
                fitting = [s for s in styles if s.path.stem in LISTS["untitled"]]
            style = draw.choice(fitting)
            maker = Maker(draw, materials, profile, language)
            works = [maker.make(k) for k in range(options.works)]
            try:
                records, dropped = make_pages.make_page(style.path, works, pathlib.Path(name), untitled=True)
            except (make_pages.subprocess.CalledProcessError, ValueError, AttributeError, ElementTree.ParseError) as error:
                print("%s: not set: %s" % (style.path.stem, error), flush=True)
                continue
            if profile == "physics":
                physicists(records, draw)
            out.write("\n".join(make_pages.page_lines(style.path.stem, number, records)) + "\n")
            out.flush()
            kept, left_out = kept + len(records), left_out + len(dropped)
            reasons = {why.args[0] for _, why in dropped}
            print("%s, %s, %s: %d kept, %d left out %s" % (style.path.stem, profile, language, len(records), len(dropped), json.dumps(sorted(reasons))), flush=True)
    print("%d records kept, %d left out" % (kept, left_out))


if __name__ == "__main__":
    main()
