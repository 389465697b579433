#!/usr/bin/env python3
"""Sets lists of made-up works as authors type them, without a citation style, and labels every token.

    by_hand.py --data FOLDER --out by_hand.conll [--lists 200] [--seed 1]

A list has a language and, for each thing in which such lists differ, one habit: where the year
stands, how editors, volumes, pages and publishers are written, what stands between fields. Authors
are not as constant as programs, so some references have another list's habits, and some lists have
been cut out of a page, with words broken at the ends of lines. Habits and the parts of titles are
in habits.json, and names and places are those of Faker (MIT); otherwise the materials are those of
typeset.py. No work exists. Writes the format that train.py reads.
"""

import argparse
import importlib
import json
import pathlib
import random
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "examples/publications"), str(HERE.parent / "src")]

import faker.providers.address.de_DE as address
import faker.providers.date_time as dates
import make_pages
from typeset import LISTS as WORKS
from typeset import Materials

# Words, and how lists write things, by language. "cities" are where books appear, beside the capitals
# of all countries and towns in Germany. "forms" are what differs between lists of a language, "habits"
# what differs between lists: choices, or a probability. Titles are patterns (`Typist.filled`).
LISTS = json.loads((HERE / "habits.json").read_text(encoding="utf-8"))
FORMS, MONTHS, WORDS = LISTS["forms"], LISTS["months"], LISTS["words"]


class Words:
    """Names, places and titles of a language."""

    def __init__(self, materials: Materials):
        self.materials = materials
        self.people, self.cities = {}, {}
        for language, locales in LISTS["locales"].items():
            given, families, cities = list(WORKS["given"][language]), [], list(materials.places)
            for locale in locales:
                provider = importlib.import_module("faker.providers.person." + locale).Provider
                families += sorted(set(provider.last_names))
                given += sorted(set(getattr(provider, "first_names", None) or (*provider.first_names_male, *provider.first_names_female)))
            cities += LISTS["cities"] + sorted({country.capital for country in dates.Provider.countries if country.capital.isascii()})
            if language == "de":
                cities += sorted(address.Provider.cities)
            self.people[language], self.cities[language] = (given, families), cities


class Hand:
    """The habits of one list."""

    def __init__(self, draw: random.Random, language: str):
        self.draw = draw
        pick = self.pick = {name: draw.choice(choices) for name, choices in FORMS[language].items()}
        self.last_and = pick["and"]
        pick["and"] = draw.choice([", ", "; ", pick["and"]]) if pick["and"].strip() not in "/;," else pick["and"]
        self.family_first = draw.choice(["all", "all", "all", "first", "first", "none"])
        if self.family_first == "all" and pick["and"] == ", ":
            pick["and"] = draw.choice([", ", "; "])
        self.editors_first = draw.choice(["all", "none", "none"]) if self.family_first != "none" else "none"
        self.take("given")
        self.comma = "" if self.given == "bare" and draw.random() < 0.5 else ","
        self.take("capitals", "year_first")
        self.head = draw.choice(LISTS["heads" if self.year_first else "heads without a year"])
        quotes = LISTS["quotes"][language]
        self.quotes = draw.choice(quotes) if draw.random() < 0.22 else ("", "")
        self.take("stop_inside", "end_title")
        self.end_book = self.end_title if draw.random() < 0.7 else draw.choice([". ", ", "])
        self.take("subtitle", "imprint", "imprint_year", "after_editors", "editors_after", "pages_place")
        self.in_journal = draw.random() < (0.55 if language == "de" else 0.1)
        self.take("before_volume", "before_pages", "journal_year", "year_before_volume", "dash", "stop", "before_letter")
        self.take("mark_after_year", "editors_unmarked", "prefix", "drops", "breaks")

    def take(self, *names: str):
        """Draws habits that do not depend on others."""
        for name in names:
            of = LISTS["habits"][name]
            setattr(self, name, self.draw.choice(of) if isinstance(of, list) else self.draw.random() < of)


def shown(form: str, *piece, **pieces):
    """Returns a form, such as "Vol. {}", as pieces (text, label). pieces: those of {name}; piece: the
    text and the label of any other place."""
    parts = re.split(r"\{(\w?)\}", form)
    return [pieces.get(part, piece) if k % 2 else (part, None) for k, part in enumerate(parts)]


class Typist:
    """Writes the works of one list."""

    def __init__(self, draw: random.Random, words: Words, language: str):
        self.draw, self.words, self.language = draw, words, language
        self.hand = self.habit = Hand(draw, language)
        self.with_places = draw.random() < 0.8
        self.letters = draw.random() < 0.5

    def chance(self, p):
        return self.draw.random() < p

    def form(self, name):
        """Returns how a list writes something; now and then its author writes it otherwise."""
        return self.draw.choice(FORMS[self.language][name]) if self.chance(0.06) else self.hand.pick[name]

    def last(self, language):
        """Returns what stands before the last name."""
        return self.draw.choice(FORMS[language]["and"]) if self.chance(0.06) else self.hand.last_and

    # What works are made of.

    def filled(self, pattern, language):
        choice, people, cities = self.draw.choice, self.words.people[language], self.words.cities[language]
        fill = {
            "C": lambda: choice(WORDS["heads"]) + choice(WORDS["tails"]),
            "N": lambda: choice(WORDS["nouns"]),
            "a": lambda: choice(WORDS["adjectives"]),
            "s": lambda: choice(WORDS["subjects"]),
            "k": lambda: choice(WORDS["kinds"]),
            "g": lambda: choice(people[0]),
            "f": lambda: choice(people[1]),
            "p": lambda: choice(cities),
            "n": lambda: str(self.draw.randint(5, 36)),
            "y": lambda: str(self.draw.randint(1970, 2018)),
        }

        def word(match):
            name = match[1]
            return fill[name]() if name in fill else fill[name.lower()]().capitalize()

        return re.sub(r"\{(\w)\}", word, pattern)

    def title(self, language):
        if language in LISTS["titles"] and (language == "de" or self.chance(0.6)):
            title = self.filled(self.draw.choice(LISTS["titles"][language]), language)
            if self.chance(0.5):
                title += (" " if title.endswith("?") else self.hand.subtitle) + self.filled(self.draw.choice(LISTS["subtitles"][language]), language)
            return title
        if language in WORKS["titles"] and self.chance(0.6):
            parts = [self.draw.choice(choices) for choices in WORKS["titles"][language]]
            return " ".join(parts[:-1]) + parts[-1]
        title = self.draw.choice(self.words.materials.titles)
        return title.replace(": ", self.hand.subtitle, 1) if self.chance(0.7) else title

    def of(self, name, language):
        choices = WORKS[name][language]
        return self.draw.choice(list(choices.items()) if isinstance(choices, dict) else choices)

    def journal(self, language):
        if language in LISTS["journals"] and self.chance(0.55):
            return self.filled(self.draw.choice(LISTS["journals"][language]), language)
        name, short = self.of("journals", language)
        return short if self.chance(0.15) else name

    def body(self, language):
        if language in LISTS["bodies"] and self.chance(0.7):
            return self.filled(self.draw.choice(LISTS["bodies"][language]), language)
        return self.of("corporate", language)

    def house(self, language):
        """Returns a publisher and its place."""
        if self.chance(0.6):
            house, place = self.of("publishers", language)
        else:
            house, place = self.draw.choice(self.words.materials.publishers), self.draw.choice(self.words.cities[language])
            if language == "de":
                family = self.draw.choice(self.words.people["de"][1])
                house = self.draw.choice([house, family, "Verlag " + family, family + " Verlag",
                                          "%s & %s" % (family, self.draw.choice(self.words.people["de"][1])), "Univ. " + place, family + " und Co."])
        if self.chance(0.12):
            place += self.draw.choice([" und ", "/", ", ", " / ", "; "]) + self.draw.choice(self.words.cities[language]).split(",")[0]
        return house, place

    def name(self, language, family_first):
        given, families = self.words.people[language if self.chance(0.8) else self.draw.choice(list(LISTS["locales"]))]
        family = self.draw.choice(families if self.chance(0.7) else self.words.materials.families)
        if self.chance(0.06):
            family += "-" + self.draw.choice(families)
        firsts = [self.draw.choice(given) for _ in range(2 if self.chance(0.2) else 1)]
        hand = self.hand
        if hand.given == "initials":
            firsts = ["-".join(part[0] + "." for part in first.split("-")) for first in firsts]
        elif hand.given == "bare":
            firsts = ["".join(first[0] for first in firsts)]
        particle = self.of("particles", language) if self.chance(0.04) else ""
        if hand.capitals:
            family = family.upper()
        if not family_first:
            return " ".join(filter(None, [*firsts, particle, family]))
        if particle and self.chance(0.5):
            firsts, particle = [*firsts, particle], ""
        return "%s%s %s" % (" ".join(filter(None, [particle, family])), hand.comma, " ".join(firsts))

    def people(self, language, order, most=4):
        count = self.draw.choice([1, 1, 1, 2, 2, 3, most])
        names = [self.name(language, order == "all" or order == "first" and k == 0) for k in range(count)]
        if count > 2 and self.chance(0.15):
            return names[0] + self.draw.choice([" ", ", "]) + self.form("al")
        text = names[0]
        for k, name in enumerate(names[1:], 2):
            text += (self.last(self.language) if k == count else self.hand.pick["and"]) + name
        return text

    # A reference as pieces (text, label).

    def reference(self, number):
        draw = self.draw
        self.hand = Hand(draw, self.language) if self.chance(0.05) else self.habit
        hand = self.hand
        language = self.language if self.language == "en" or self.chance(0.7) else "en"
        year = str(draw.randint(1900, 2019) if self.chance(0.1) else draw.randint(1970, 2019))
        if self.letters and self.chance(0.12):
            year += hand.before_letter + draw.choice("abc")
        if self.chance(0.02):
            year = draw.choice(["%s [%d]", "%s/%d", "[%s] %d"]) % (year[:4], draw.randint(1880, 1969))
        elif self.chance(0.015):
            year = "%s%s%d" % (year[:4], hand.dash.strip(), int(year[:4]) + draw.randint(1, 5))
        kind = draw.choices(["book", "edited", "chapter", "article", "thesis", "report", "news", "web"], [28, 6, 24, 26, 2, 7, 3, 4])[0]
        pieces = [(hand.prefix.format(number), None)] if hand.prefix else []
        by_body = self.chance({"report": 0.6, "web": 0.6}.get(kind, 0.03))
        no_year = self.chance(0.02)
        head_year = hand.year_first or no_year
        mark = ""
        if kind == "news" and self.language == "en" and "({})" in hand.head and self.chance(0.7):
            year = "%s, %s %d" % (year[:4], draw.choice(MONTHS["en"]), draw.randint(1, 28))
        if kind == "edited":
            pieces.append((self.people(language, hand.family_first), "Editor"))
            mark = self.form("eds")
            mark = mark if mark.startswith(",") else " " + mark
            if not (hand.mark_after_year and hand.year_first):
                pieces.append((mark, None))
                mark = ""
        elif self.chance(0.015) and not by_body:
            head_year = False
        else:
            pieces.append((self.body(language) if by_body else self.people(language, hand.family_first), "Author"))
            if by_body and self.chance(0.15):
                pieces[-1:] = [(pieces[-1][0], "Editor"), (" " + self.form("eds"), None)]
        if len(pieces) > bool(hand.prefix):
            if hand.year_first:
                before, after = hand.head.split("{}")
                if mark:
                    closed = len(after) - len(after.lstrip(")]"))
                    after = after[:closed] + mark + after[closed:]
                pieces += [(before, None), (self.form("no year") if no_year else year, "Date"), (after, None)]
            else:
                pieces.append((hand.head, None))
        quotes = hand.quotes if kind not in ("book", "edited", "thesis", "report") or self.chance(0.1) else ("", "")
        title = self.title(language)
        end = hand.end_book if kind in ("book", "edited", "report", "thesis") else hand.end_title
        inside = bool(quotes[0]) and hand.stop_inside
        pieces += [(quotes[0], None), (title, "Title"), (end[0] if inside else "", None), (quotes[1], None)]
        self.stop(pieces, end[1:] if inside else end)
        getattr(self, "_" + kind)(pieces, language, year, None if head_year else year)
        if kind == "web" or self.chance(0.04):
            self.stop(pieces, draw.choice([". ", ", ", " "]))
            self.address(pieces, year)
        self.stop(pieces, hand.stop)
        return pieces

    def stop(self, pieces, text):
        """Ends a field: a full stop or comma after "?", "!" or an abbreviation is left out."""
        last = "".join(t for t, _ in pieces)[-2:].rstrip()
        if last[-1:] in ("?", "!") or last[-1:] == "." and text[:1] == ".":
            text = text.lstrip(".,;") or text[1:]
        pieces.append((text, None))

    def pages(self):
        first = self.draw.choice([self.draw.randint(1, 60), self.draw.randint(50, 700), self.draw.randint(50, 1500)])
        text = "%d%s%d" % (first, self.hand.dash, first + self.draw.randint(4, 35))
        more = ""
        if self.chance(0.06):
            text, more = str(first), self.draw.choice(["", self.form("more")])
        before, after = self.form("pages").split("{}")
        return shown(before + "{}" + more + after, text, "Pages")

    def imprint(self, pieces, language, year):
        hand, (house, place) = self.hand, self.house(language)
        form = self.draw.choice(["{p}", "{h}", "{p}: {h}"]) if self.chance(0.06) else hand.imprint
        if not self.with_places and "{h}" in form:
            form = "{h}"
        if year:
            form = hand.imprint_year.format(i=form, y="{y}")
        pieces += shown(form, p=(place, "Location"), h=(house, "Publisher"), y=(year, "Date"))

    def edition(self, pieces, before=". ", bracket=0.5):
        text = self.form("edition").format(n=self.draw.randint(2, 9))
        if self.chance(bracket):
            self.unstop(pieces)
            pieces += [(" (", None), (text, "Edition"), (")", None)]
            self.stop(pieces, before)
        else:
            pieces.append((text, "Edition"))
            self.stop(pieces, before)

    def unstop(self, pieces):
        """Takes back the end of the field before."""
        if pieces[-1][1] is None and not pieces[-1][0].strip(" .,;:"):
            pieces.pop()

    def series(self, pieces, language, before):
        name = self.of("series", language)
        if language == "de" and self.chance(0.5):
            name = self.filled(self.draw.choice(LISTS["german series"]), "de")
        *parts, last = shown(self.form("series"), name, "Series")
        pieces += parts
        if self.chance(0.6):
            number = str(self.draw.randint(1, 300))
            word = self.form("part").split("{}")[0]
            pieces += [(self.draw.choice([", ", " "]) + word, None), (number, "Volume" if word else "Series")]
        pieces.append(last)
        self.stop(pieces, before)

    def _book(self, pieces, language, year, late):
        end = self.hand.end_book if self.hand.end_book != "; " else ". "
        if self.chance(0.05):
            editors = self.people(language, "none", 3)
            pieces += shown(self.form("edited"), editors, "Editor")
            self.stop(pieces, end)
        if self.chance(0.08):
            pieces += shown(self.form("volume of book"), str(self.draw.randint(1, 5)), "Volume")
            self.stop(pieces, end)
        if self.chance(0.15):
            self.edition(pieces, end)
        last_series = self.chance(0.5)
        has_series = self.chance(0.1)
        if has_series and not last_series:
            self.series(pieces, language, end)
        self.imprint(pieces, language, late)
        if has_series and last_series:
            self.stop(pieces, self.draw.choice([" ", ". "]))
            self.series(pieces, language, "")

    _edited = _book

    def _chapter(self, pieces, language, year, late):
        hand, draw = self.hand, self.draw
        self.opening(pieces)
        container = self.title(language)
        editors = self.people(language, hand.editors_first, 3)
        if self.chance(0.08):
            editors = ""
        elif language == "de" and self.chance(0.05):
            editors = draw.choice(["Ders.", "Dies.", "ders.", "dies."])
        elif self.chance(0.03):  # a book that the list has by itself
            families = [draw.choice(self.words.people[language][1]) for _ in range(draw.randint(1, 3))]
            pieces += [("/".join(families), "Editor"), (hand.before_pages, None), *self.pages()]
            return
        if hand.editors_after and editors:
            pieces += [(container, "Venue"), (draw.choice([", ", ". "]), None)]
            pieces += shown(self.form("edited"), editors, "Editor")
        else:
            if editors and hand.editors_unmarked:
                pieces += [(editors, "Editor"), (": ", None)]
            elif editors:
                mark = self.form("eds")
                pieces += [(editors, "Editor"), ("" if mark.startswith(",") else " ", None), (mark, None)]
                self.stop(pieces, hand.after_editors)
            pieces.append((container, "Venue"))
            if self.chance(0.06):
                form = self.form("volume of book")
                pieces += shown(draw.choice([", ", ". "]) + form, str(draw.randint(1, 5)), "Volume")
        end = draw.choice([". ", ", "]) if self.chance(0.1) else hand.end_book
        place = "last" if hand.pages_place == "brackets" and late else hand.pages_place
        pages = self.pages() if self.chance(0.93) else []
        if pages and place == "brackets":
            pieces += [(" (", None), *pages, (")", None)]
        elif pages and place == "before":
            pieces += [(", ", None), *pages]
        if self.chance(0.08):
            self.stop(pieces, end)
            self.edition(pieces, "", 0.3)
        self.stop(pieces, end)
        self.imprint(pieces, language, late)
        if pages and place == "last":
            self.stop(pieces, hand.before_pages)
            pieces += pages

    def opening(self, pieces):
        """The word before a container."""
        text = self.form("in")
        if pieces[-1][0].endswith(", ") and text.startswith("In") and self.chance(0.7):
            text = text.lower()
        elif pieces[-1][0].endswith(". ") and self.chance(0.9):
            text = text[0].upper() + text[1:]
        pieces.append((text, None))

    def _article(self, pieces, language, year, late):
        hand, draw = self.hand, self.draw
        if hand.in_journal:
            self.opening(pieces)
        pieces.append((self.journal(language), "Venue"))
        volume, issue = str(draw.randint(1, 80)), draw.choice([str(draw.randint(1, 12)), str(draw.randint(1, 4)),
                                                               draw.choice(["1/2", "3/4", "1-2", "5/6", "Sonderheft"])])
        shown_year = late or (year if self.chance(0.04) else None)
        if shown_year and hand.year_before_volume:
            pieces += shown(hand.journal_year, shown_year, "Date")
        if self.chance(0.93):
            pieces += [(hand.before_volume, None), *shown(self.form("volume"), volume, "Volume")]
            if shown_year and not hand.year_before_volume and self.chance(0.5):
                pieces += shown(hand.journal_year, shown_year, "Date")
                shown_year = None
            if self.chance(0.6):
                pieces += shown(self.form("issue"), issue, "Issue")
        else:
            pieces += [(draw.choice([" ", ", H. ", ", Nr. ", " "]), None), (issue, "Issue"), (draw.choice(["/", "/"]), None), (year[:4], "Date")]
            shown_year = None
        if shown_year and not hand.year_before_volume:
            pieces += shown(hand.journal_year, shown_year, "Date")
        if self.chance(0.95):
            pieces += [(hand.before_pages, None), *self.pages()]

    def _thesis(self, pieces, language, year, late):
        pieces += [(self.form("thesis"), "Genre"), (self.draw.choice([", ", ". ", " "]), None)]
        university = self.of("universities", language)
        if language == "de":
            university = self.draw.choice([university, "Univ. " + self.draw.choice(self.words.cities["de"]),
                                           "Universität " + self.draw.choice(self.words.cities["de"]),
                                           "TU " + self.draw.choice(self.words.cities["de"])])
        pieces.append((university, "Publisher"))
        if self.chance(0.2):
            pieces += [(", ", None), (self.draw.choice(self.words.cities[language]), "Location")]
        if late:
            pieces += [(self.draw.choice([" ", ", "]), None), (late, "Date")]

    def _report(self, pieces, language, year, late):
        if self.chance(0.5):
            number = self.draw.choice(["Nr. {}", "No. {}", "{}", "#{}", "{}/%s" % year[2:4]]).split("{}")
            body = self.draw.choice(["", "", "IAB-", "WZB ", "DJI-", "IZA ", "MPIfG ", "NBER ", "ZUMA-", "SOEPpapers ", "DIW ",
                                     "Institut für %s, " % self.filled("{C}", "de") if language == "de" else "OECD "])
            kind = self.of("reports", language) if not body.endswith("-") else self.draw.choice(LISTS["german reports"])
            if self.chance(0.3):
                self.unstop(pieces)
                pieces += [(" (", None), (body + kind, "Genre"), (" " + number[0], None), (str(self.draw.randint(1, 900)), "Issue"),
                           (number[1] + ")", None)]
            else:
                pieces += [(body + kind, "Genre"), (" " + number[0], None), (str(self.draw.randint(1, 900)), "Issue"), (number[1], None)]
            self.stop(pieces, self.hand.end_book)
        elif self.chance(0.25):
            pieces.append((self.form("note"), "Genre"))
            self.stop(pieces, self.hand.end_book)
        self.imprint(pieces, language, late)

    def date(self, year):
        forms = self.form("date")
        return forms.format(d=self.draw.randint(1, 28), m=(month := self.draw.randint(1, 12)), M=MONTHS[self.language][month - 1],
                            y=year[:4])

    def _news(self, pieces, language, year, late):
        if self.chance(0.6):
            self.opening(pieces)
        pieces += [(self.of("newspapers", language), "Venue"), (self.draw.choice([", ", " ", ", "]), None)]
        if self.chance(0.3):
            pieces += [("Nr. " if self.language == "de" else "no. ", None), (str(self.draw.randint(1, 300)), "Issue"), (", ", None)]
        if "," in year:  # the day stands beside the year
            self.unstop(pieces)
        else:
            date = self.date(year)
            if date.startswith("vom "):
                pieces.append(("vom ", None))
                date = date[4:]
            pieces.append((date, "Date"))
        if self.chance(0.5):
            pieces += [(", ", None), *self.pages()]

    def _web(self, pieces, language, year, late):
        if self.chance(0.4):
            pieces.append((self.body(language), "Publisher"))
            self.stop(pieces, self.hand.end_book)
        if late and self.chance(0.7):
            pieces.append((late, "Date"))
        elif pieces[-1][1] is None:
            self.unstop(pieces)

    def address(self, pieces, year):
        draw = self.draw
        site = draw.choice(["www.destatis.de", "www.bpb.de", "www.dji.de", "library.fes.de", "ec.europa.eu", "www.oecd.org", "www.ssoar.info",
                            "www.zeit.de", "nbn-resolving.de", "www.uni-%s.de" % draw.choice(["koeln", "bremen", "muenchen"]),
                            "www.qualitative-research.net", "www.jstor.org", "www.bmbf.de"])
        path = draw.choice(LISTS["paths"]) % draw.randint(1, 99999)
        address = draw.choice(["http://", "http://", "https://", ""]) + site + "/" + path
        date = FORMS[self.language]["date"][draw.randint(0, 2)].format(d=draw.randint(1, 28), m=(month := draw.randint(1, 12)),
                                                                       M=MONTHS[self.language][month - 1],
                                                                       y=draw.randint(2000, 2019))
        pieces += shown(self.form("at"), u=(address, "Identifier"), t=(date.replace("vom ", ""), None))


def tokens_of(pieces, hand: Hand, draw: random.Random):
    """Returns the tokens of a reference, each with its label and whether white space stands before it.
    Punctuation at the edges of a field is in no field."""
    text, labels = "", []
    for piece, label in pieces:
        inside = [k for k, c in enumerate(piece) if c.isalnum()] if label else []
        first, last = (inside[0], inside[-1]) if inside else (0, -1)
        if text.endswith((".", "?", "!")) and piece.startswith("."):
            piece, first, last = piece[1:], first - 1, last - 1
        text += piece
        labels += [label if first <= k <= last else make_pages.OTHER for k in range(len(piece))]
    tokens = []
    end = 0
    for match in make_pages.WORD.finditer(text):
        word, space = match.group(), match.start() > end
        end = match.end()
        if hand.drops and draw.random() < 0.02:
            if not word.isalnum():
                continue
            space = False
        if hand.breaks and len(word) > 7 and word.isalpha() and draw.random() < 0.04:
            cut = draw.randint(3, len(word) - 3)
            label = labels[match.start()]
            tokens += [(word[:cut], label, space), ("-", label, False), (word[cut:], label, True)]
            continue
        if tokens and not space and tokens[-1][0].isalnum() and word.isalnum():
            space = True
        tokens.append((word, labels[match.start()], space))
    return tokens


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--lists", type=int, default=200)
    parser.add_argument("--works", type=int, default=22, help="works in a list")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    words = Words(Materials(options.data))
    draw = random.Random(options.seed)
    with options.out.open("w", encoding="utf-8") as out:
        for number in range(options.lists):
            language = draw.choices(list(FORMS), [5, 4, 0.5, 0.5])[0]
            typist = Typist(draw, words, language)
            records = [("w%d" % k, tokens_of(typist.reference(k + 1), typist.hand, draw)) for k in range(options.works)]
            out.write("\n".join(make_pages.page_lines("by-hand-" + language, number, records)) + "\n")


if __name__ == "__main__":
    main()
