#!/usr/bin/env python3
"""Sets made-up works in many citation styles, and labels every token, as training data.

    typeset.py --data FOLDER --out pages.conll [--pages 160] [--seed 1]

A page has a profile (physics, medicine, social science, humanities, press ...), a language and a
style of the Debian package citation-style-language-styles that fits both; pandoc sets it, and
examples/publications/make_pages.py finds the labels. Titles, surnames, publishers and places are
drawn at random from the fields of anystyle_refs in FOLDER, and from the lists below; no work exists.
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
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "examples/publications"), str(HERE / "src")]

import make_pages
from train import read

GIVEN = {
    "en": "James Mary John Patricia Robert Jennifer Michael Linda William Elizabeth David Barbara Richard Susan Joseph Jessica "
          "Thomas Sarah Charles Karen Wei Xiaoming Yuki Hiroshi Raj Priya Ahmed Fatima Olga Ivan Chen Min-Jung Jean-Paul Ann-Marie",
    "de": "Hans Ursula Karl-Heinz Monika Wolfgang Petra Jürgen Sabine Günther Renate Klaus Brigitte Dieter Heike Stefan Gabriele "
          "Matthias Andrea Uwe Claudia Jörg Anne-Kathrin Björn Käthe",
    "fr": "Jean Marie Pierre Françoise Michel Monique André Catherine Philippe Nathalie Jean-Claude Anne-Marie René Hélène Gérard "
          "Éric Cécile Benoît",
    "es": "José María Antonio Carmen Manuel Ana Francisco Isabel Juan Dolores David Pilar Jesús Javier Mercedes Ángel Inés",
}
FAMILIES = {
    "en": "O'Brien MacDonald Smith-Jones Li Wang Zhang Kim Nguyen Patel Singh Tanaka Suzuki Ivanov Petrov Haddad Okafor",
    "de": "Müller Schröder Weiß Böhm Krüger Schäfer Jäger Köhler Großmann Hofmann Lindner Zimmermann Beck-Gernsheim Kühn",
    "fr": "Lefèvre Moreau Girard Lévi-Strauss Fournier Chevalier Gauthier Béranger Dupré Marchand Noël Rivière",
    "es": "García López|García Fernández Martínez|Ruiz Sánchez Gómez|Pérez Rodríguez Álvarez Muñoz|Soler Vázquez Ibáñez",
}
PARTICLES = {"en": ["van der", "de", "van"], "de": ["von", "von der", "zu"], "fr": ["de", "du", "de la"], "es": ["de", "de la", "del"]}
CORPORATE = {
    "physics": ["ATLAS Collaboration", "CMS Collaboration", "The Belle Collaboration", "Particle Data Group", "LIGO Scientific Collaboration"],
    "medicine": ["World Health Organization", "Heart Study Investigators", "National Institutes of Health", "Cochrane Stroke Group"],
    "en": ["World Bank", "United Nations", "OECD", "European Commission", "Office for National Statistics", "U.S. Department of Energy",
           "American Psychological Association", "UNESCO", "International Monetary Fund"],
    "de": ["Statistisches Bundesamt", "Bundesministerium für Bildung und Forschung", "Deutsche Bundesbank", "Deutsches Jugendinstitut"],
    "fr": ["INSEE", "Ministère de la Culture", "Conseil de l’Europe", "Cour des comptes"],
    "es": ["Instituto Nacional de Estadística", "Ministerio de Sanidad", "Banco de España", "CEPAL"],
}
# Journals, each with its abbreviation.
JOURNALS = {
    "physics": "Physical Review Letters=Phys. Rev. Lett.|Physical Review D=Phys. Rev. D|Physical Review B=Phys. Rev. B|Physics Letters B="
               "Phys. Lett. B|Nuclear Physics B=Nucl. Phys. B|Journal of High Energy Physics=J. High Energy Phys.|Astrophysical Journal="
               "Astrophys. J.|Astronomy & Astrophysics=Astron. Astrophys.|Monthly Notices of the Royal Astronomical Society="
               "Mon. Not. R. Astron. Soc.|European Physical Journal C=Eur. Phys. J. C|Journal of Chemical Physics=J. Chem. Phys.|"
               "Applied Physics Letters=Appl. Phys. Lett.|Reviews of Modern Physics=Rev. Mod. Phys.|Zeitschrift für Physik=Z. Phys.|"
               "Nuovo Cimento=Nuovo Cim.|Communications in Mathematical Physics=Commun. Math. Phys.|Journal of Physics A=J. Phys. A|"
               "Classical and Quantum Gravity=Class. Quantum Grav.|Physica A=Physica A|Annals of Physics=Ann. Phys. (N.Y.)|Nature=Nature|"
               "Science=Science|Soviet Physics JETP=Sov. Phys. JETP|International Journal of Modern Physics A=Int. J. Mod. Phys. A|"
               "Journal of Fluid Mechanics=J. Fluid Mech.|Nuclear Instruments and Methods in Physics Research Section A="
               "Nucl. Instrum. Methods Phys. Res., Sect. A|Physics Reports=Phys. Rep.|Europhysics Letters=Europhys. Lett.|Physical Review E="
               "Phys. Rev. E|New Journal of Physics=New J. Phys.|Progress of Theoretical Physics=Prog. Theor. Phys.",
    "medicine": "New England Journal of Medicine=N Engl J Med|The Lancet=Lancet|JAMA=JAMA|BMJ=BMJ|Annals of Internal Medicine=Ann Intern Med|"
                "Circulation=Circulation|Journal of Clinical Oncology=J Clin Oncol|Diabetes Care=Diabetes Care|Stroke=Stroke|Gut=Gut|"
                "Journal of Biological Chemistry=J Biol Chem|Cell=Cell|Proceedings of the National Academy of Sciences=Proc Natl Acad Sci U S A|"
                "PLoS One=PLoS One|Nucleic Acids Research=Nucleic Acids Res|American Journal of Epidemiology=Am J Epidemiol|Vaccine=Vaccine|"
                "Clinical Infectious Diseases=Clin Infect Dis|Journal of Immunology=J Immunol|European Heart Journal=Eur Heart J|Blood=Blood|"
                "British Journal of Surgery=Br J Surg|Pediatrics=Pediatrics|Neurology=Neurology|Journal of Urology=J Urol|Chest=Chest",
    "en": "American Sociological Review=Am. Sociol. Rev.|American Economic Review=Am. Econ. Rev.|Social Forces=Soc. Forces|Past & Present="
          "Past Present|Journal of Personality and Social Psychology=J. Pers. Soc. Psychol.|Econometrica=Econometrica|World Politics=World Polit.|"
          "Journal of Marriage and Family=J. Marriage Fam.|Critical Inquiry=Crit. Inq.|Philosophical Review=Philos. Rev.|English Historical Review="
          "Engl. Hist. Rev.|Language=Language|Demography=Demography|Political Analysis=Polit. Anal.|Third World Quarterly=Third World Q.|"
          "Journal of Common Market Studies=J. Common Mark. Stud.|Communications of the ACM=Commun. ACM|IEEE Transactions on Information Theory="
          "IEEE Trans. Inf. Theory|IEEE Transactions on Pattern Analysis and Machine Intelligence=IEEE Trans. Pattern Anal. Mach. Intell.|"
          "Machine Learning=Mach. Learn.|Journal of Machine Learning Research=J. Mach. Learn. Res.|Artificial Intelligence=Artif. Intell.|"
          "Bioinformatics=Bioinformatics|SIAM Journal on Computing=SIAM J. Comput.|Ecology Letters=Ecol. Lett.|Journal of Ecology=J. Ecol.",
    "de": "Kölner Zeitschrift für Soziologie und Sozialpsychologie=KZfSS|Zeitschrift für Soziologie=ZfS|Soziale Welt=Soz. Welt|Politische "
          "Vierteljahresschrift=PVS|Aus Politik und Zeitgeschichte=APuZ|Zeitschrift für Pädagogik=Z. f. Päd.|Leviathan=Leviathan|Historische "
          "Zeitschrift=HZ|Berliner Journal für Soziologie=Berl. J. Soziol.|Das Argument=Argument|Psychologische Rundschau=Psychol. Rundsch.|"
          "Zeitschrift für Familienforschung=ZfF|Merkur=Merkur|Geschichte und Gesellschaft=GG|Diskurs Kindheits- und Jugendforschung=Diskurs|"
          "Deutsche Zeitschrift für Philosophie=DZPhil|Zeitschrift für Erziehungswissenschaft=ZfE|Soziale Passagen=Soz. Pass.",
    "fr": "Annales. Histoire, Sciences Sociales=Ann. Hist. Sci. Soc.|Revue française de sociologie=Rev. fr. sociol.|Actes de la recherche en "
          "sciences sociales=Actes rech. sci. soc.|L’Homme=Homme|Revue économique=Rev. écon.|Cahiers du cinéma=Cah. cinéma|Communications="
          "Communications|Le Débat=Débat|Population=Population|Revue historique=Rev. hist.|Romantisme=Romantisme|Langages=Langages",
    "es": "Revista Española de Investigaciones Sociológicas=REIS|Papers=Papers|Hispania=Hispania|Cuadernos de Historia=Cuad. Hist.|Revista de "
          "Estudios Políticos=Rev. Estud. Polít.|Estudios Demográficos=Estud. demogr.|Revista Iberoamericana=Rev. Iberoam.|Nueva Sociedad="
          "Nueva Soc.|Gaceta Sanitaria=Gac Sanit|Medicina Clínica=Med Clin (Barc)|Arbor=Arbor|Isegoría=Isegoría",
}
NEWSPAPERS = {
    "en": ["The New York Times", "The Guardian", "Washington Post", "The Times", "Wall Street Journal", "The Economist", "Financial Times"],
    "de": ["Frankfurter Allgemeine Zeitung", "Süddeutsche Zeitung", "Die Zeit", "Der Spiegel", "die tageszeitung", "Die Welt", "Neue Zürcher Zeitung"],
    "fr": ["Le Monde", "Le Figaro", "Libération", "La Croix", "Le Monde diplomatique"],
    "es": ["El País", "ABC", "La Vanguardia", "El Mundo", "Clarín"],
}
PUBLISHERS = {
    "en": "Oxford University Press:Oxford|Cambridge University Press:Cambridge|MIT Press:Cambridge, MA|Springer:New York|Wiley:Hoboken, NJ|"
          "Routledge:London|Sage:Thousand Oaks, CA|Princeton University Press:Princeton|Elsevier:Amsterdam|Academic Press:San Diego|"
          "Palgrave Macmillan:Basingstoke|University of Chicago Press:Chicago|W. H. Freeman:San Francisco|Penguin:London|Addison-Wesley:Reading, MA|"
          "World Scientific:Singapore|Polity Press:Cambridge|Harvard University Press:Cambridge, MA|Blackwell:Oxford|McGraw-Hill:New York",
    "de": "Suhrkamp:Frankfurt am Main|VS Verlag für Sozialwissenschaften:Wiesbaden|Springer VS:Wiesbaden|C. H. Beck:München|Nomos:Baden-Baden|"
          "Campus Verlag:Frankfurt a. M.|Mohr Siebeck:Tübingen|Leske + Budrich:Opladen|Juventa:Weinheim|Duncker & Humblot:Berlin|Beltz:Weinheim|"
          "De Gruyter:Berlin|transcript:Bielefeld|Rowohlt:Reinbek|Westdeutscher Verlag:Opladen|UTB:Stuttgart|Hogrefe:Göttingen|Barbara Budrich:Opladen",
    "fr": "Gallimard:Paris|Éditions du Seuil:Paris|Presses universitaires de France:Paris|La Découverte:Paris|Presses de Sciences Po:Paris|"
          "Armand Colin:Paris|Flammarion:Paris|L’Harmattan:Paris|Fayard:Paris|Presses universitaires de Rennes:Rennes|Droz:Genève",
    "es": "Alianza Editorial:Madrid|Siglo XXI:México|Fondo de Cultura Económica:México|Ariel:Barcelona|Crítica:Barcelona|Tecnos:Madrid|"
          "Cátedra:Madrid|Paidós:Buenos Aires|Akal:Madrid|Anagrama:Barcelona",
}
TITLES = {
    "de": [["Zur", "Theorie", "der"], ["Soziologie", "Geschichte", "Krise", "Struktur", "Zukunft", "Ethik", "Politik", "Wirkung", "Grundlagen"],
           ["der", "von", "einer"], ["modernen Gesellschaft", "Familie im Wandel", "Arbeit und Bildung", "sozialen Ungleichheit", "Jugend in Europa",
            "öffentlichen Verwaltung", "politischen Beteiligung", "Migration", "Medien", "Wissenschaft", "Lebensverläufe in Ostdeutschland"],
           ["", ": Eine empirische Untersuchung", ". Ergebnisse einer Längsschnittstudie", ": Beiträge zur Debatte", " – ein Überblick",
            ". Theorie und Praxis", "? Anmerkungen zu einem alten Streit", ". Eine Einführung"]],
    "fr": [["La", "Une"], ["crise", "sociologie", "formation", "question", "politique", "genèse", "pratique", "notion"], ["de"],
           ["la vie quotidienne", "l’État moderne", "la lecture", "l’école républicaine", "la famille", "l’emploi en Europe", "la mémoire collective"],
           ["", " : essai d’interprétation", ". Éléments pour une histoire", " au XIXe siècle", " (1789-1848)", " : enjeux et perspectives"]],
    "es": [["La", "Una"], ["política", "historia", "crisis", "construcción", "teoría", "evolución", "práctica"], ["de"],
           ["la democracia", "las políticas sociales", "la familia en España", "los movimientos sociales", "la identidad nacional",
            "la educación superior", "la novela contemporánea"],
           ["", ": un estudio comparado", ". Balance y perspectivas", " en América Latina", " (1939-1975)", ": teoría y método"]],
    "physics": [["Measurement of", "Observation of", "Theory of", "Search for", "Numerical study of", "Evidence for", "On", "Quantum", "Scaling of"],
                ["neutrino", "dark-matter", "top-quark", "spin-wave", "two-dimensional", "relativistic", "nonlinear", "superconducting", "turbulent"],
                ["oscillations", "production", "transitions", "excitations", "correlations", "condensates", "black holes", "phases", "transport"],
                [" in", " at", " near", " beyond"], [" the Standard Model", " strongly correlated systems", " pp collisions at √s = 13 TeV",
                 " La2−xSrxCuO4", " the early Universe", " random media", " the critical point", " graphene"]],
}
REPORTS = {"en": ["Technical Report", "Working Paper", "Discussion Paper", "Research Report"], "de": ["Arbeitspapier", "Forschungsbericht", "Discussion Paper"],
           "fr": ["Rapport de recherche", "Document de travail"], "es": ["Informe técnico", "Documento de trabajo"]}
THESES = {"en": ["PhD thesis", "Doctoral dissertation", "Master’s thesis", "Ph.D. thesis"], "de": ["Dissertation", "Diplomarbeit", "Habilitationsschrift"],
          "fr": ["Thèse de doctorat", "Mémoire de maîtrise"], "es": ["Tesis doctoral", "Tesis de maestría"]}
UNIVERSITIES = {"en": ["Stanford University", "University of Michigan", "MIT", "University of Oxford", "University of California, Berkeley"],
                "de": ["Universität Bremen", "Freie Universität Berlin", "Technische Universität München", "ETH Zürich"],
                "fr": ["Université Paris-Sorbonne", "EHESS", "Université de Lyon 2"], "es": ["Universidad Complutense de Madrid", "Universidad de Chile"]}
SERIES = {"en": ["Lecture Notes in Computer Science", "Lecture Notes in Physics", "Cambridge Studies in Social Theory", "Graduate Texts in Mathematics"],
          "de": ["Edition Soziologie", "Beiträge zur Sozialforschung", "Schriften zur Politik", "stw"], "fr": ["Bibliothèque des histoires", "Points Essais", "Quadrige"],
          "es": ["Biblioteca de sociología", "Colección Historia", "Ciencia Política"]}
CONFERENCES = ["Proceedings of the {n}th International Conference on {x}", "Advances in {x}", "Proc. {n}th Int. Conf. on {x}", "{x} {y}",
               "Proceedings of the {n}th Annual Meeting of the Society for {x}", "International Symposium on {x}", "Workshop on {x}"]
FIELDS = ["Machine Learning", "Computer Vision", "Information Retrieval", "Software Engineering", "Particle Physics", "Solid State Circuits", "Databases",
          "Robotics and Automation", "Computational Linguistics", "High Energy Physics", "Signal Processing", "Public Health", "Data Mining"]
# Weights of the types of work by profile; "preprint" and "standard" are types of this script.
PROFILES = {
    "physics": {"article": 14, "preprint": 3, "book": 2, "chapter": 1, "thesis": 1, "paper": 2, "report": 1},
    "medicine": {"article": 16, "book": 1, "chapter": 1, "web": 1, "report": 1},
    "computing": {"paper": 7, "article": 5, "preprint": 2, "book": 2, "thesis": 1, "report": 1, "standard": 1, "web": 1},
    "social": {"article": 6, "book": 5, "chapter": 6, "report": 2, "news": 1, "web": 2, "thesis": 1},
    "humanities": {"book": 7, "chapter": 5, "article": 4, "thesis": 1, "news": 1},
    "press": {"news": 6, "web": 4, "report": 3, "standard": 1, "book": 1, "article": 2},
}
TURNS = ["physics", "social", "medicine", "humanities", "social", "physics", "computing", "social", "humanities", "press"]
# Styles of physics and chemistry that leave out the titles of articles: half of the pages of physics.
UNTITLED = (
    "american-institute-of-physics american-physical-society-et-al american-physics-society-without-titles angewandte-chemie "
    "annual-review-of-astronomy-and-astrophysics annual-review-of-nuclear-and-particle-science chemical-and-pharmaceutical-bulletin "
    "indian-journal-of-physics international-journal-of-electrochemical-science international-union-of-crystallography "
    "japanese-journal-of-applied-physics journal-of-the-electrochemical-society journal-of-the-serbian-chemical-society lcgc optics-letters "
    "royal-society-of-chemistry springer-physics-author-date springer-physics-brackets protein-engineering-design-and-selection synthesis"
).split()
STYLE_FIELDS = {
    "physics": {"physics", "science", "chemistry", "astronomy", "engineering"}, "medicine": {"medicine", "biology"},
    "computing": {"engineering", "communications", "math", "science"}, "social": {"social_science", "sociology", "political_science", "psychology", "generic-base"},
    "humanities": {"humanities", "history", "literature", "philosophy", "theology", "linguistics"},
    "press": {"generic-base", "communications", "law", "social_science", "geography", "geology"},
}


class Materials:
    """What works are made of: fields of labelled references, and lists."""

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

    def of(self, table):
        choices = table[self.language]
        return self.draw.choice(choices.split("|") if isinstance(choices, str) else choices)

    def person(self):
        given = [self.draw.choice(GIVEN[self.language].split())]
        if self.chance(0.4):
            given.append(self.draw.choice(GIVEN[self.language].split()))
        if not self.full_names:
            given = [g[0] + "." for g in given]
        if self.chance(0.7):
            family = self.draw.choice(self.materials.families)
        else:
            family = self.draw.choice(FAMILIES[self.language].split()).replace("|", " ")
        name = {"family": family, "given": " ".join(given)}
        if self.chance(0.06):
            name["non-dropping-particle"] = self.draw.choice(PARTICLES[self.language])
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
        grammar = TITLES.get(self.language) or (TITLES["physics"] if self.profile == "physics" else None)
        if grammar and self.chance(0.5):
            parts = [self.draw.choice(choices) for choices in grammar]
            if self.language in TITLES:
                return " ".join(parts[:-1]) + parts[-1]
            return "%s %s %s" % tuple(parts[:3]) + "".join(parts[3:])
        return self.draw.choice(self.materials.titles)

    def publisher(self, work):
        if self.chance(0.5):
            work["publisher"], work["publisher-place"] = self.of(PUBLISHERS).split(":")
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
        kinds = PROFILES[self.profile]
        kind = self.draw.choices(list(kinds), list(kinds.values()))[0]
        year = self.draw.randint(1900, 2024) if self.chance(0.15) else self.draw.randint(1975, 2024)
        work = {"id": "w%d" % number, "language": self.language, "title": self.title(), "author": self.people(12), "issued": {"date-parts": [[year]]}}
        if self.chance(0.08) or kind in ("report", "web") and self.chance(0.4):
            names = CORPORATE.get(self.profile, CORPORATE[self.language])
            work["author"] = [{"literal": self.draw.choice(names)}]
        elif self.profile == "physics" and self.chance(0.1):
            work["author"] = work["author"][:1] + [{"literal": self.draw.choice(CORPORATE["physics"])}]
        getattr(self, "_" + kind)(work, year)
        if self.has_doi and kind in ("article", "paper", "chapter") and self.chance(0.7):
            work["DOI"] = "10.%d/%s" % (self.draw.randint(1000, 9999), self.draw.choice(["s%d-%d", "j.abc.%d.%d", "PhysRevB.%d.%d", "%d.%d"]) % (
                self.draw.randint(10, 9999), self.draw.randint(1, 999999)))
        return work

    def _article(self, work, year):
        table = JOURNALS.get(self.profile) or JOURNALS[self.language]
        if self.language != "en" and self.chance(0.7):
            table = JOURNALS[self.language]
        name, short = self.draw.choice(table.split("|")).split("=")
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
            number = "%s/%02d%05d" % (self.draw.choice(["hep-th", "hep-ph", "astro-ph", "cond-mat", "quant-ph", "gr-qc"]), year % 100, self.draw.randint(1001, 12999))
        work.update(type="article", URL="https://arxiv.org/abs/" + number, publisher="arXiv", number="arXiv:" + number)

    def _book(self, work, year):
        work["type"] = "book"
        self.publisher(work)
        if self.chance(0.25):
            work["editor"] = work.pop("author")
        if self.chance(0.2):
            work["edition"] = str(self.draw.randint(2, 6))
        if self.chance(0.15):
            work["collection-title"], work["collection-number"] = self.of(SERIES), str(self.draw.randint(1, 900))
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
            work["collection-title"] = self.of(SERIES)
        if self.chance(0.1):
            work["edition"] = str(self.draw.randint(2, 4))

    def _thesis(self, work, year):
        work.update(type="thesis", genre=self.of(THESES), publisher=self.of(UNIVERSITIES), author=work["author"][:1])
        if self.chance(0.5):
            work["publisher-place"] = self.draw.choice(self.materials.places)

    def _report(self, work, year):
        work.update(type="report", genre=self.of(REPORTS), publisher=self.of(UNIVERSITIES) if self.chance(0.5) else self.of(CORPORATE))
        if self.chance(0.7):
            work["number"] = self.draw.choice([str(self.draw.randint(1, 400)), "TR-%d-%02d" % (year, self.draw.randint(1, 50))])
        if self.chance(0.4):
            work["publisher-place"] = self.draw.choice(self.materials.places)
        if self.chance(0.3):
            self._address(work)

    def _paper(self, work, year):
        name = self.draw.choice(CONFERENCES).format(n=self.draw.choice([4, 5, 6, 7, 8, 9, 10, 14, 25, 36]), x=self.draw.choice(FIELDS), y=year)
        work.update(type="paper-conference", page=self.pages())
        work["container-title"] = name
        if self.chance(0.6):
            self.publisher(work)
        if self.chance(0.2):
            work["editor"] = self.people(3)
        if self.chance(0.2):
            work["collection-title"], work["volume"] = self.of(SERIES), str(self.draw.randint(100, 9999))
        if self.chance(0.2):
            work["event-place"] = self.draw.choice(self.materials.places)

    def _news(self, work, year):
        work.update(type="article-newspaper", issued={"date-parts": [[year, self.draw.randint(1, 12), self.draw.randint(1, 28)]]})
        work["container-title"] = self.of(NEWSPAPERS)
        work["author"] = work["author"][:1]
        if self.chance(0.5):
            work["page"] = self.draw.choice(["%d", "A%d", "B%d"]) % self.draw.randint(1, 40)
        if self.chance(0.3):
            self._address(work)

    def _web(self, work, year):
        work["type"] = "webpage"
        if self.chance(0.5):
            work["container-title"] = self.of(CORPORATE) if self.chance(0.5) else self.of(NEWSPAPERS)
        if self.chance(0.5):
            work["issued"]["date-parts"] = [[year, self.draw.randint(1, 12), self.draw.randint(1, 28)]]
        self._address(work)

    def _standard(self, work, year):
        number = self.draw.choice(["ISO %d", "IEEE Std %d", "DIN %d", "RFC %d", "ISO/IEC %d-1"]) % self.draw.randint(100, 19999)
        body = self.draw.choice(["International Organization for Standardization", "IEEE", "Deutsches Institut für Normung", "ITU-T"])
        work.update(type="report", number=number, author=[{"literal": body}], publisher=body)

    def _address(self, work):
        site = self.draw.choice(["www.oecd.org", "example.com", "www.bpb.de", "www.who.int", "www.nytimes.com", "hal.archives-ouvertes.fr", "en.wikipedia.org"])
        path = self.draw.choice(["publications/%d.pdf", "%d/report", "news/article-%d.html", "index.php?id=%d", "wiki/Page_%d"]) % self.draw.randint(1, 99999)
        work["URL"] = self.draw.choice(["https", "http"]) + "://" + site + "/" + path
        if self.chance(0.5):
            work["accessed"] = {"date-parts": [[self.draw.randint(2000, 2024), self.draw.randint(1, 12), self.draw.randint(1, 28)]]}


def physicists(records, draw: random.Random):
    """Changes records as physicists write them: the collaboration in brackets after "et al.", and
    the number of the preprint at the end. A page has one form of each."""
    with_preprints, form = draw.random() < 0.5, draw.choice([", arXiv:%s", " [%s]", " [arXiv:%s]", ", %s", " (%s)", "; arXiv:%s."])
    with_groups, separators = draw.random() < 0.5, draw.choice([(" et al. (", ")"), (" et al. [", "]"), (", ", ""), (" et al., ", ",")])
    for _, tokens in records:
        count = sum(label == "Author" for _, label, _ in tokens)
        if with_groups and draw.random() < 0.4 and tokens[0][1] == "Author" and count < 9:
            last = max(k for k in range(count) if tokens[k][1] == "Author") + 1
            group = separators[0] + draw.choice(CORPORATE["physics"]) + separators[1]
            tokens[last:last] = labelled(group, "Author")
        if with_preprints and draw.random() < 0.6:
            year = draw.randint(92, 109) % 100
            number = "%s/%02d%02d%03d" % (draw.choice(["hep-th", "hep-ph", "astro-ph", "cond-mat", "gr-qc", "nucl-th"]), year, draw.randint(1, 12), draw.randint(1, 999))
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
            profile = TURNS[number % len(TURNS)]
            language = draw.choices(["en", "de", "fr", "es"], [5, 4, 1, 1] if profile not in ("physics", "medicine", "computing") else [10, 1, 0.5, 0.5])[0]
            fitting = [s for s in styles if s.language == language and s.fields & STYLE_FIELDS[profile]]
            if len(fitting) < 5:
                fitting = [s for s in styles if s.language == language]
            if profile == "physics" and number % 20 > 9:
                fitting = [s for s in styles if s.path.stem in UNTITLED]
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
