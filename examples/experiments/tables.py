"""Makes Markdown tables and plots from the results of single points."""

import datetime
import os
import platform
from collections import namedtuple

import libchorale
import numpy as np

import domain_adaptation
import measure
import report
import repeated_words
from datasets import SOURCES

# The scores of one method: an array with a score for each split, and one with a score for each
# group of each split.
Scores = namedtuple("Scores", "splits groups")


def scores_of(results, method, kinds):
    """Returns the Scores of a method: token F1 of `kinds`; accuracy if `kinds` is None (for links,
    whose counts are (right, all))."""
    counts = [np.array(r["counts"][method]) for r in results]
    if kinds is None:
        return Scores(np.array([100.0 * c[:, 0].sum() / c[:, 1].sum() for c in counts]),
                      np.concatenate([100.0 * c[:, 0] / c[:, 1] for c in counts]))
    return Scores(np.array([float(measure.f1(c.sum(axis=0), kinds)) for c in counts]),
                  np.concatenate([measure.f1(c, kinds) for c in counts]))


def spread(scores):
    """Returns mean and standard deviation over splits, as text."""
    values = scores.splits
    if len(values) < 2:
        return f"{values.mean():.1f}"
    return f"{values.mean():.1f} ± {values.std(ddof=1):.1f}"


def difference(after, before):
    """Returns the mean difference and its p, as text."""
    p = measure.paired_p(after.splits, before.splits)
    gain = round((after.splits - before.splits).mean(), 1) + 0.0  # no minus zero
    return f"{gain:+.1f}" + (f" ({p_text(p)})" if np.isfinite(p) else "")


def p_text(p):
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def compared(after, before):
    """Returns the numbers of groups that are better / equal / worse, as text."""
    change = after.groups - before.groups
    return (f"{int((change > 1e-9).sum())} / {int((abs(change) <= 1e-9).sum())} / "
            f"{int((change < -1e-9).sum())}")


def verdict(after, control, name):
    """Returns the part of a sentence that says whether collective inference beats `control`."""
    gain = round((after.splits - control.splits).mean(), 1) + 0.0
    p = measure.paired_p(after.splits, control.splits)
    if gain > 0 and p < 0.05:
        return f"beats {name} by {gain:.1f} ({p_text(p)})"
    if not np.isfinite(p):
        return f"is {gain:+.1f} against {name} (one split, not tested)"
    if gain <= 0:
        return f"**does not beat {name}** ({gain:+.1f})"
    return f"is {gain:.1f} above {name}, **not significantly** (p = {p:.2f})"


class Output(namedtuple("Output", "folder prefix")):
    """The folder of the plots, and a prefix of their names (that of the quick pass is its own)."""

    def name(self, plot):
        return self.prefix + plot

    def path(self, plot):
        return self.folder / self.name(plot)


# ---- Domain adaptation ------------------------------------------------------------------------


def method_rows(head, results, methods, kinds, together):
    """Returns rows of a table, one a method (the first is the base, with `head`), and the scores
    {method: {kind: Scores}}."""
    by = {m: {k: scores_of(results, m, kinds[k]) for k in kinds} for m in methods}
    alls = {m: scores_of(results, m, together) for m in methods}
    rows = [[head, "base", *(spread(by["base"][k]) for k in kinds), "", "", ""]]
    for m in methods[1:]:
        rows.append(["", m, *(spread(by[m][k]) for k in kinds),
                     difference(by[m]["Title"], by["base"]["Title"]),
                     difference(by[m]["Venue"], by["base"]["Venue"]), compared(alls[m], alls["base"])])
    return rows, by


def domain(found, this, out):
    text = ["## Domain adaptation\n", DOMAIN_TEXT]
    for name in ("excite_refs", "grobid_refs", "pages"):
        points = {f: r for (e, n, f), r in sorted(found.items()) if e == "domain" and n == name}
        if not points:
            continue
        data = this.load(name).data
        kinds = {k: measure.kinds_of(data, [k]) for k in domain_adaptation.KINDS}
        together = measure.kinds_of(data, domain_adaptation.KINDS)
        rows, sentences = [], []
        for fraction, results in points.items():
            methods = [m for m in domain_adaptation.METHODS if m in results[0]["counts"]]
            more_rows, by = method_rows(
                f"{fraction:.0%} ({results[0]['train']} groups, {len(results)} splits)", results,
                methods, kinds, together)
            rows += more_rows
            sentences.append(f"- {fraction:.0%}: collective inference " + "; ".join(
                f"in {k} {verdict(by['collective'][k], by['control'][k], 'the control')}"
                for k in ("Title", "Venue")) + ".")
        text += [f"### {name}: {SOURCES[name].title}\n",
                 report.markdown_table(
                     ["trained on", "method", *(f"{k} F1" for k in kinds), "Title against base",
                      "Venue against base", "groups better / equal / worse"], rows, "llrrrrrr"),
                 "Against the control:\n", "\n".join(sentences) + "\n"]
        text.append(applied_table(points))
        text += domain_plots(name, points, kinds, together, out)
    return text if len(text) > 2 else []


def others(found, this):
    """Returns the section on the paper's four properties alone, and on all six over a plain
    base."""
    rows, sentences = [], []
    for experiment, what in (("domain-four", "four properties"), ("domain-plain", "plain tagger")):
        for (e, name, fraction), results in sorted(found.items()):
            if e != experiment:
                continue
            data = this.load(name).data
            kinds = {k: measure.kinds_of(data, [k]) for k in domain_adaptation.KINDS}
            together = measure.kinds_of(data, domain_adaptation.KINDS)
            parts = {"": results}
            if len(results) > 5:
                parts = {"splits 0 to 4": [r for r in results if r["split"] < 5],
                         "splits 5 and on": [r for r in results if r["split"] >= 5]}
            for part, chosen in ((part, chosen) for part, chosen in parts.items() if chosen):
                head = f"{name} {fraction:.0%}, {what}" + (f", {part}" if part else "")
                more_rows, by = method_rows(f"{head} ({len(chosen)} splits)", chosen,
                                            domain_adaptation.SHORT_METHODS, kinds, together)
                rows += more_rows
                sentences.append(f"- {head}: collective inference " + "; ".join(
                    f"in {k} " + verdict(by["collective"][k], by["control"][k], "the control")
                    for k in ("Title", "Venue")) + ".")
    if not rows:
        return []
    return ["## Domain adaptation with four properties, and over a plain tagger\n", OTHERS_TEXT,
            report.markdown_table(
                ["set, for training", "method", *(f"{k} F1" for k in domain_adaptation.KINDS),
                 "Title against base", "Venue against base", "groups better / equal / worse"],
                rows, "llrrrrrr"),
            "Against the control:\n", "\n".join(sentences) + "\n"]


def applied(results, method="collective"):
    """Returns, split by split, whether what the method had learnt was applied, and why."""
    return ", ".join(r["learnt"][method]["verdict"] for r in results)


def applied_table(points):
    rows = [[f"{fraction:.0%}", applied(results)] for fraction, results in points.items()]
    return ("The learner's verdict, split by split (*gain*: agreement is applied):\n\n"
            + report.markdown_table(["trained on", "verdict"], rows, "ll"))


def domain_plots(name, points, kinds, together, out):
    text = []
    if len(points) > 1:
        for kind in ("Title", "Venue"):
            series = []
            for m in next(iter(points.values()))[0]["counts"]:
                per = [scores_of(r, m, kinds[kind]).splits for r in points.values()]
                series.append((m, [100 * f for f in points], [p.mean() for p in per],
                               [p.std(ddof=1) if len(p) > 1 else 0.0 for p in per]))
            # Leaves out methods far below the base, since the axis would press the others together.
            base = np.array(series[0][2])
            kept = [s for s in series if min(np.array(s[2]) - base) > -8]
            left_out = [s[0] for s in series if s not in kept]
            file = f"domain-{name}-{kind.lower()}.svg"
            report.line_plot(out.path(file), f"{name}: {kind}", "groups for training, %", "token F1", kept)
            text.append(f"![Token F1 of {kind} on {name} by training fraction]({out.name(file)})\n")
            if left_out:
                text.append(f"(Not drawn, far below: {', '.join(left_out)}.)\n")
    fraction = 0.2 if 0.2 in points else next(iter(points))
    first = points[fraction][0]
    errors = {m: 100.0 - measure.f1(np.array(first["counts"][m]), together)
              for m in ("base", "collective")}
    order = np.argsort(-errors["base"], kind="stable")
    file = f"groups-{name}.svg"
    report.bar_plot(out.path(file), f"{name}: error of each test group, {fraction:.0%}, first split",
                    "test groups, by the error of the base", "100 - F1 of Title, Venue and Author",
                    [str(k + 1) for k in range(len(order))],
                    [(m, list(errors[m][order])) for m in errors], width=900)
    text.append(f"![Error of each test group of {name}]({out.name(file)})\n")
    return text


# ---- Repeated words ---------------------------------------------------------------------------


def repeated(found, this, out):
    text, bars = ["## Repeated words\n", WORDS_TEXT], []
    for experiment, place in (("words", "inside documents"), ("words-across", "across documents")):
        for name in repeated_words.FRACTIONS:
            for (e, n, fraction), results in found.items():
                if e != experiment or n != name:
                    continue
                data = this.load(name).data
                kinds = measure.kinds_of(data)
                names = [m for m in repeated_words.METHODS if m in results[0]["counts"]]
                by = {m: scores_of(results, m, kinds) for m in names}
                rows = [[m, spread(by[m])] + (["", "", ""] if m == "base" else
                        [difference(by[m], by["base"]), difference(by[m], by["control"]),
                         compared(by[m], by["base"])]) for m in names]
                text += [f"### {name}, cliques {place}: {fraction:.0%} for training\n",
                         f"{SOURCES[name].title[0].upper()}{SOURCES[name].title[1:]}; "
                         f"{len(results)} splits, {results[0]['cliques']} cliques in the first.\n",
                         report.markdown_table(
                             ["method", "token F1", "against base", "against the control",
                              "documents better / equal / worse"], rows, "lrrrr"),
                         f"The learner's verdict, split by split: {applied(results)}. Collective inference "
                         + verdict(by["collective"], by["control"], "the control") + "; it "
                         + verdict(by["collective"], by["base"], "the base") + ".\n"]
                bars.append((f"{name.split('_')[0]} {place.split()[0]}", by))
    if not bars:
        return []
    shown = [m for m in repeated_words.METHODS[1:] if all(m in by for _, by in bars)]
    report.bar_plot(out.path("words.svg"), "Repeated words: gain over the base", "", "points of token F1",
                    [b[0] for b in bars],
                    [(m, [float((by[m].splits - by["base"].splits).mean()) for _, by in bars])
                     for m in shown], width=1280)
    text.append(f"![Gains over the base on repeated words]({out.name('words.svg')})\n")
    return text


# ---- Links ------------------------------------------------------------------------------------


def linked(found, this, out):
    text = ["## Links\n", LINKS_TEXT]
    for (e, name, fraction), results in sorted(found.items()):
        if e != "links":
            continue
        by = {m: scores_of(results, m, None) for m in results[0]["counts"]}
        rows = [[m, spread(by[m])] + (["", "", ""] if m == "base" else
                [difference(by[m], by["base"]), difference(by[m], by["stacking"]),
                 compared(by[m], by["base"])]) for m in by]
        text += [f"### {name}: {fraction:.0%} of the groups for training, {len(results)} splits\n",
                 report.markdown_table(["method", "accuracy", "against base", "against stacking",
                                        "groups better / equal / worse"], rows, "lrrrr"),
                 "Collective inference "
                 + verdict(by["collective"], by["base"], "the base")
                 + "; it " + verdict(by["collective"], by["shuffled links"], "shuffled links")
                 + "; it " + verdict(by["collective"], by["stacking"], "stacking") + ".\n"]
    return text if len(text) > 2 else []


# ---- Together ---------------------------------------------------------------------------------

DOMAIN_TEXT = """A CRF is trained on a fraction of the groups and labels the others: by itself (*base*), with
cliques of six properties inside each group (*collective*), and with the baselines. *vote* forces every
record to its group's commonest value of each of four properties. *stacking* is a second CRF that reads the
first one's labels and the group's commonest values as features (Krishnan and Manning 2006). What agreement is
worth is learnt on the training groups (`libchorale.learn`, micro F1 of the three labels, nothing chosen by
hand). *auto* is what it finds without gold labels. The *control* has a bonus alone, the best on the training
groups: what it gains is no gain of collective inference. Token F1, mean ± standard deviation over splits; p of
a paired t-test over splits; groups of all splits together, by F1 of Title, Venue and Author.
"""

OTHERS_TEXT = """*four properties*: the paper's alone. *plain tagger*: the same window features without places, so that
nothing says where in its record a token stands; all six properties.
"""

WORDS_TEXT = """Mentions of a word are members of a clique, inside each document or across all. *vote* gives each
mention the commonest kind of its clique; *stacking* is a second CRF that reads those majorities as
features. *collective* is learnt on the training documents, for micro F1 of all labels but Other; *auto* is
found without gold labels; the *control* has a bonus for any such label in a clique, the best on the training
documents. Across documents the training documents are ten parts with cliques of their own. Token F1 of all
labels but Other.
"""

LINKS_TEXT = """Topics of papers from their words by logistic regression (*base*), with cliques of each paper and the
papers it is linked to: over the *neighbourhood*, or *centred*. *auto* is the neighbourhood with the strength
that is found without gold labels. *vote* takes the commonest of a paper's and its neighbours' own topics;
*stacking* is a second classifier that reads the shares of topics among the neighbours; *shuffled links* are
the neighbourhoods of random links. *collective* is what costs less on held-out training papers. Accuracy.
"""


def sources(found):
    rows = [[f"`{n}`", SOURCES[n].title, SOURCES[n].origin, SOURCES[n].licence]
            for n in SOURCES if any(key[1] == n for key in found)]
    return ["## Data\n", report.markdown_table(["set", "what", "source", "licence"], rows, "llll")]


def machine():
    """Returns a description of the machine that the pass ran on."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.machine()
    return f"{model}, {os.cpu_count()} processors, {platform.system()}, Python {platform.python_version()}"


def write(found, missing, this, out, quick):
    """Writes the tables to OUT/quick.md or OUT/results.md and the plots beside it. missing: the
    points of the plan that have not been run, {(experiment, set, fraction): splits}."""
    out.mkdir(parents=True, exist_ok=True)
    command = "examples/experiments/run.sh --data FOLDER" + (" --quick" if quick else "")
    command += " --short" if this.options.short else ""
    command += f" --experiments {' '.join(this.options.experiments)}" if this.options.experiments else ""
    text = [f"# Results of the {'quick' if quick else 'full'} pass\n",
            f"    {command}\n",
            f"{datetime.date.today()}; {machine()}; chorale {libchorale.__version__}.\n"]
    if this.skipped:
        text.append("Skipped, not there: " + ", ".join(this.skipped) + ".\n")
    if missing:
        text.append("Not run: " + "; ".join(
            f"{name} {fraction:.0%} ({experiment}), {len(splits)} splits"
            for (experiment, name, fraction), splits in missing.items()) + ".\n")
    plots = Output(out, "quick-" if quick else "")
    text += domain(found, this, plots) + others(found, this)
    text += repeated(found, this, plots) + linked(found, this, plots)
    text += sources(found)
    path = out / ("quick.md" if quick else "results.md")
    path.write_text("\n".join(t for t in text if t), encoding="utf-8")
    print(f"wrote {path}")
