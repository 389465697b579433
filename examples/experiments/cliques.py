#!/usr/bin/env python3
"""The paper's figures on clique inference, measured again: see CLIQUES.md.

    cliques.sh [--quick] [--data FOLDER] [--only SECTION ...] [--cache FOLDER] [--out FOLDER]

Sections: potts, icm, majority (on synthetic cliques); words, iterations (on labelled data, read
from --data: wikigold and litbank, cora_ie and us50_addresses; missing sets are skipped). Writes
cliques-results.md (the quick pass: cliques-quick.md) and plots beside it. Progress goes to standard
error. Times are the thread's processor time, so other programs on the machine do not add to them.
What a call from Python costs (measured on a clique of one member) is subtracted from the times of
the library, but none counts as less than a microsecond.
"""

import argparse
import platform
import sys
import time
from datetime import date
from pathlib import Path

import numpy as np

import libchorale as ch
import clique_words
import synthetic
from report import line_plot, markdown_table
from rivals import potts_expansion, potts_trws, printed_lagrangian

clock = time.thread_time

# The size of each pass: members and values of a clique, number of strengths (0: all), cliques for
# each strength, greatest number of iterations of TRW-S, seconds for the exact solver.
PASSES = {
    "tiny": {"members": 12, "values": 4, "strengths": 3, "cliques": 2, "trws": 20, "limit": 1.0},
    "quick": {"members": 100, "values": 24, "strengths": 5, "cliques": 4, "trws": 200, "limit": 5.0},
    "full": {"members": 100, "values": 24, "strengths": 0, "cliques": 25, "trws": 300, "limit": 20.0},
}


class Timed:
    """A solver whose calls are timed. The time is the least of a few repetitions."""

    def __init__(self, repeats=3):
        self.solver = ch.CliqueSolver()
        self.repeats = repeats
        trifle, one = ch.Potential.potts(2, 1.0), np.zeros((1, 2))
        self.call = 0.0
        self.call = min(self.solve(trifle, one, "alpha_pass")[1] for _ in range(200))

    def solve(self, potential, psi, algorithm, **options):
        """Returns (result, seconds)."""
        used = []
        for _ in range(self.repeats):
            begun = clock()
            result = self.solver.solve(potential, psi, algorithm=algorithm, **options)
            used.append(clock() - begun)
            if used[-1] > 0.01:
                break
        return result, max(1e-6, min(used) - self.call)


class Measured:
    """What one algorithm reached on many cliques: scores, upper bounds, seconds and notes."""

    def __init__(self):
        self.score, self.bound, self.seconds, self.notes = [], [], [], []

    def add(self, score, seconds, bound=np.inf, note=None):
        self.score.append(score)
        self.seconds.append(seconds)
        self.bound.append(bound)
        self.notes.append(note)


def best_bound(measured):
    """Returns the lowest upper bound of each clique: the optimum where it is proven."""
    return np.min([m.bound for m in measured.values()], axis=0)


def is_optimum(score, best):
    return np.asarray(score) >= best - 1e-9 * np.maximum(1.0, np.abs(best))


def pick(values, count):
    """Returns `count` of the values, spread evenly; 0: all."""
    if not count or count >= len(values):
        return list(values)
    return [values[i] for i in np.unique(np.linspace(0, len(values) - 1, count).round().astype(int))]


def note(text):
    print(text, file=sys.stderr, flush=True)


def percent(share):
    return f"{100 * share:.1f} %"


def milliseconds(seconds):
    return f"{1000 * seconds:.3g}"


def at_least(ratios, points=25, low=None):
    """Returns the curve (r, share of cliques whose ratio is at least r), for r from `low` on."""
    ratios = np.asarray(ratios)
    low = ratios.min() if low is None else low
    grid = np.unique(np.append(np.linspace(low, ratios.max(), points), 1.0))
    return grid, [float(np.mean(ratios >= r - 1e-9)) for r in grid]


def summary(measured, best, yardstick):
    """Returns the table of algorithms: ratio of scores to the optimum (or best bound), and
    times."""
    rows = []
    for name, m in measured.items():
        ratio = np.array(m.score) / best
        times = np.array(m.seconds) / np.array(measured[yardstick].seconds)
        rows.append([name, f"{ratio.mean():.5f}", f"{ratio.min():.4f}",
                     percent(is_optimum(m.score, best).mean()), milliseconds(np.median(m.seconds)),
                     f"{np.median(times):.3g}"])
    return markdown_table(["algorithm", "mean ratio", "worst", "optimum found", "median ms",
                           f"time / {yardstick}"], rows)


def add_pairwise(measured, psi, strength, iterations):
    """Adds the two pairwise rivals on the sum of psi plus strength * sum_v n_v^2."""
    _, score, bound, reached, _, at, _ = potts_trws(psi, strength, iterations, clock)
    measured["TRW-S"].add(score, reached, bound, at)
    _, score, seconds, cuts = potts_expansion(psi, strength, clock)
    measured["graph cuts"].add(score, seconds, note=cuts)


def against_alpha_pass(measured):
    """Returns, for each pairwise rival, a sentence with the paper's two ratios to alpha-pass: of
    scores and of times."""
    alpha = measured["alpha-pass"]
    lines = []
    for rival in ("TRW-S", "graph cuts"):
        score = np.array(measured[rival].score) / alpha.score
        times = np.array(measured[rival].seconds) / alpha.seconds
        lines.append(
            f"- {rival} to alpha-pass: score ratio {score.min():.4f} to {score.max():.4f}, mean "
            f"{score.mean():.5f}; lower in {percent((score < 1 - 1e-9).mean())} of the cliques, "
            f"higher in {percent((score > 1 + 1e-9).mean())}. More than 5 times slower in "
            f"{percent((times > 5).mean())}, more than 10 times in {percent((times > 10).mean())}, "
            f"faster in {percent((times < 1).mean())}; median {np.median(times):.0f} times.")
    return "\n".join(lines) + "\n"


LIBRARY_POTTS = {
    "alpha-pass": ("alpha_pass", {}),
    "generalised, q = 2": ("generalised_alpha_pass", {}),
    "alpha-pass and moves": ("auto", {}),
    "alpha-expansion (DP)": ("alpha_expansion", {}),
    "ICM": ("icm", {}),
}


def potts(size, output):
    """Compares algorithms on Potts with TRW-S and graph cuts: ratios of scores and of times, by
    lambda."""
    rng, timed = np.random.default_rng(1), Timed()
    strengths = pick(synthetic.CONTENDED, size["strengths"])
    names = [*LIBRARY_POTTS, "graph cuts", "TRW-S", "exact"]
    measured = {name: Measured() for name in names}
    owners = []
    for strength in strengths:
        note(f"potts: lambda {strength}")
        potential = ch.Potential.potts(size["values"], strength, scale="members")
        for _ in range(size["cliques"]):
            psi = synthetic.scores(rng, size["members"], size["values"])
            for name, (algorithm, options) in LIBRARY_POTTS.items():
                result, seconds = timed.solve(potential, psi, algorithm, **options)
                measured[name].add(result.score, seconds, result.upper_bound)
            add_pairwise(measured, psi, strength / size["members"], size["trws"])
            result, seconds = timed.solve(potential, psi, "exact", time_limit=size["limit"])
            measured["exact"].add(result.score, seconds, result.upper_bound)
            owners.append(strength)
    best, owners = best_bound(measured), np.array(owners)
    proven = is_optimum(measured["exact"].score, best).mean()

    def by_strength(values, how):
        return [float(how(np.asarray(values)[owners == s])) for s in strengths]

    line_plot(output / "cliques-potts-ratio.svg", "Potts: score to the optimum", "lambda",
              "mean ratio", [(n, strengths, by_strength(np.array(measured[n].score) / best, np.mean))
                             for n in names if n not in ("exact", "ICM")])
    line_plot(output / "cliques-potts-time.svg", "Potts: time to that of alpha-pass", "lambda",
              "median ratio",
              [(n, strengths, by_strength(np.array(measured[n].seconds) /
                                          measured["alpha-pass"].seconds, np.median))
               for n in names if n != "alpha-pass"], log_y=True)
    rows = [[f"{s:.2f}"] + [f"{by_strength(np.array(measured[n].score) / best, np.mean)[k]:.5f}"
                            for n in names] for k, s in enumerate(strengths)]
    return "\n".join([
        "## Potts against TRW-S and graph cuts", "",
        f"{len(owners)} cliques of {size['members']} members and {size['values']} values, lambda "
        f"{strengths[0]} to {strengths[-1]}; the optimum is proven on {percent(proven)}. TRW-S: the "
        f"time until the labelling it returns was in hand (at most {size['trws']} iterations; "
        f"median {np.median(measured['TRW-S'].notes):.0f}).", "",
        summary(measured, best, "alpha-pass"), against_alpha_pass(measured),
        "Mean ratio to the optimum by lambda:", "", markdown_table(["lambda", *names], rows),
        "![score](cliques-potts-ratio.svg) ![time](cliques-potts-time.svg)", ""])


def icm(size, output):
    """Compares alpha-pass with ICM, for four families of potentials."""
    rng, timed = np.random.default_rng(2), Timed()
    strengths = pick(synthetic.WIDE, size["strengths"])
    families = synthetic.potentials(ch, size["values"])
    curves, rows = [], []
    for family, make in families.items():
        note(f"icm: {family}")
        measured = {name: Measured() for name in ("alpha-pass", "ICM", "best")}
        for strength in strengths:
            potential = make(strength)
            for _ in range(size["cliques"]):
                psi = synthetic.scores(rng, size["members"], size["values"])
                for name, algorithm in (("alpha-pass", "alpha_pass"), ("ICM", "icm")):
                    result, seconds = timed.solve(potential, psi, algorithm)
                    measured[name].add(result.score, seconds, result.upper_bound)
                result, seconds = timed.solve(potential, psi, "exact",
                                              time_limit=min(1.0, size["limit"]))
                measured["best"].add(result.score, seconds, result.upper_bound)
        best = best_bound(measured)
        alpha, rival = (np.array(measured[n].score) for n in ("alpha-pass", "ICM"))
        ratio = alpha / rival
        times = np.array(measured["ICM"].seconds) / measured["alpha-pass"].seconds
        curves.append((family, *at_least(ratio, low=min(1.0, ratio.min()))))
        rows.append([family, f"{ratio.mean():.4f}", f"{ratio.min():.4f}", f"{ratio.max():.4f}",
                     percent((ratio > 1 + 1e-9).mean()), percent((ratio < 1 - 1e-9).mean()),
                     f"{(alpha / best).mean():.5f}", f"{(rival / best).mean():.5f}",
                     percent(is_optimum(measured["best"].score, best).mean()),
                     f"{np.median(times):.2f}"])
    line_plot(output / "cliques-icm.svg", "alpha-pass against ICM",
              "r: score of alpha-pass / score of ICM", "share of cliques with at least r", curves)
    return "\n".join([
        "## alpha-pass against ICM", "",
        f"{len(strengths) * size['cliques']} cliques a family, lambda {strengths[0]} to "
        f"{strengths[-1]}. Ratios of scores, alpha-pass / ICM; then both to the optimum, or to the "
        "best upper bound where no optimum was proven in a second; time of ICM / alpha-pass.", "",
        markdown_table(["potential", "mean", "least", "most", "alpha-pass higher", "ICM higher",
                        "alpha-pass to bound", "ICM to bound", "proven", "time"], rows),
        "![ratios](cliques-icm.svg)", ""])


MAJORITY = {
    "ICM": "icm",
    "modified alpha-pass": "modified_alpha_pass",
    "Lagrangian, conservative": "lagrangian_conservative",
    "Lagrangian, golden section": "lagrangian_golden_section",
    "Lagrangian, subgradient": "lagrangian_subgradient",
    "exact": "exact_majority",
}
THRESHOLDS = (0.9, 0.97, 0.99, 0.995, 0.999, 0.9995, 0.9999)


def majority_tables(measured, yardstick="exact"):
    best = np.array(measured["exact"].score)
    rows = []
    for name, m in measured.items():
        if name != "exact":
            ratio = np.array(m.score) / best
            rows.append([name] + [percent((ratio >= r).mean()) for r in THRESHOLDS])
    return summary(measured, best, yardstick) + "\nShare of cliques with at least that ratio:\n\n" \
        + markdown_table(["algorithm", *(str(r) for r in THRESHOLDS)], rows)


def solve_majority(timed, measured, weights, psi):
    """Runs all algorithms on one clique. Returns how many values share the highest count at the
    optimum."""
    potential = ch.Potential.majority(weights)
    for name, algorithm in MAJORITY.items():
        result, seconds = timed.solve(potential, psi, algorithm)
        measured[name].add(result.score, seconds, result.upper_bound)
    counts = np.bincount(result.labels)  # of the exact algorithm, the last
    return int(np.sum(counts == counts.max()))


PRINTED = "conservative, as printed"
KINDS = {
    "dense": (synthetic.dense, "MAJ-DENSE"),
    "dominant": (synthetic.dominant, "MAJ-DENSE with a dominant diagonal"),
    "sparse": (synthetic.sparse, "MAJ-SPARSE"),
}


def majority(size, output):
    """Compares algorithms on MAJ-DENSE and MAJ-SPARSE with the optimum."""
    timed, text = Timed(), []
    strengths = pick(synthetic.WIDE, size["strengths"])
    for kind, (make, title) in KINDS.items():
        rng = np.random.default_rng(3)
        measured, tied = {name: Measured() for name in (PRINTED, *MAJORITY)}, []
        for strength in strengths:
            note(f"majority: {kind}, lambda {strength}")
            for _ in range(size["cliques"]):
                weights = make(rng, strength, size["values"])
                psi = synthetic.scores(rng, size["members"], size["values"])
                tied.append(solve_majority(timed, measured, weights, psi))
                begun = clock()
                score = printed_lagrangian(psi, weights)
                measured[PRINTED].add(score, clock() - begun)
        best = np.array(measured["exact"].score)
        to_icm = np.array(measured["Lagrangian, conservative"].score) / measured["ICM"].score
        curves = [(n, *at_least(np.array(m.score) / best)) for n, m in measured.items()
                  if n != "exact"] + [("conservative / ICM", *at_least(to_icm))]
        line_plot(output / f"cliques-majority-{kind}.svg", f"{title}: score to the optimum",
                  "r", "share of cliques with at least r", curves)
        text += [f"## {title}", "",
                 f"{len(best)} cliques of {size['members']} members and {size['values']} values, "
                 f"lambda {strengths[0]} to {strengths[-1]}. Conservative Lagrangian to ICM: mean "
                 f"ratio {to_icm.mean():.3f}. At the optimum several values share the highest count "
                 f"on {percent(np.mean(np.array(tied) > 1))} of the cliques, {np.mean(tied):.1f} "
                 "values on average.", "", majority_tables(measured),
                 f"![curves](cliques-majority-{kind}.svg)", ""]
    return "\n".join(text)


def words(size, output, data, cache):
    """Compares algorithms on cliques of repeated words: Potts with its pairwise rivals, majority
    with the optimum."""
    text, timed = [], Timed()
    for name in ("wikigold", "litbank"):
        cliques = clique_words.cliques(data, name, cache, 0 if size["members"] == 100 else 30)
        if cliques is None:
            text += [f"## Words of {name}: skipped, no data", ""]
            continue
        sizes = np.array([len(psi) for psi in cliques.psi])
        measured = {n: Measured() for n in (*LIBRARY_POTTS, "graph cuts", "TRW-S", "exact")}
        for k, psi in enumerate(cliques.psi):
            if k % 50 == 0:
                note(f"words: {name}, clique {k} of {len(sizes)}")
            potential = ch.Potential.potts(psi.shape[1], 0.9, scale="members")
            for algorithm, (number, options) in LIBRARY_POTTS.items():
                result, seconds = timed.solve(potential, psi, number, **options)
                measured[algorithm].add(result.score, seconds, result.upper_bound)
            add_pairwise(measured, psi, 0.9 / len(psi), size["trws"])
            result, seconds = timed.solve(potential, psi, "exact", time_limit=size["limit"])
            measured["exact"].add(result.score, seconds, result.upper_bound)
        best = best_bound(measured)
        order = np.argsort(sizes, kind="stable")
        bins = [b for b in np.array_split(order, min(12, len(order))) if len(b)]
        line_plot(output / f"cliques-{name}-time.svg", f"{name}: time to that of alpha-pass",
                  "members of the clique (median of a twelfth)", "median ratio",
                  [(n, [float(np.median(sizes[b])) for b in bins],
                    [float(np.median((np.array(measured[n].seconds) /
                                      measured["alpha-pass"].seconds)[b])) for b in bins])
                   for n in ("TRW-S", "graph cuts", "exact", "alpha-pass and moves")],
                  log_x=True, log_y=True)
        text += [f"## Words of {name}: Potts", "",
                 f"{cliques.description} Median {np.median(sizes):.0f} members, largest "
                 f"{sizes.max()}. lambda 0.9 / n.", "",
                 summary(measured, best, "alpha-pass"), against_alpha_pass(measured),
                 f"![time](cliques-{name}-time.svg)", ""]
        for source, weights in cliques.weights.items():
            measured = {n: Measured() for n in MAJORITY}
            for psi in cliques.psi:
                solve_majority(timed, measured, weights, psi)
            zeros = np.mean(weights == 0)
            text += [f"## Words of {name}: majority, W {source}", "",
                     f"{percent(zeros)} of the entries of W are zero.", "",
                     majority_tables(measured, "modified alpha-pass")]
    return "\n".join(text)


def iterations(size, output, data, cache):
    """Compares accuracy by round of message passing with accuracy by iteration of TRW-S."""
    text = []
    for name, fraction in (("cora_ie", 0.1), ("us50_addresses", 0.3), ("wikigold", 0.3)):
        found = clique_words.by_iteration(data, name, fraction, cache, clock,
                                          60 if size["members"] == 100 else 5, note)
        if found is None:
            text += [f"## {name}, by iteration: skipped, no data", ""]
            continue
        collective, trws = found.collective, found.trws
        rounds = len(trws.f1) - 1
        line_plot(output / f"cliques-{name}-iterations.svg", f"{name}: token F1 by iteration",
                  "rounds, iterations", "token F1",
                  [("collective run", list(range(len(collective.f1))), collective.f1),
                   ("TRW-S", list(range(rounds + 1)), trws.f1)])
        rows = []
        for label, m in (("collective run", collective), ("TRW-S", trws)):
            last, peak = m.f1[-1], max(m.f1[1:])
            within = next(k for k in range(1, len(m.f1)) if m.f1[k] >= min(peak, last) - 0.05)
            rows.append([label, f"{m.f1[0]:.2f}", f"{m.f1[1]:.2f}", f"{last:.2f}", within,
                         f"{m.score[1]:.2f}", f"{m.score[-1]:.2f}", f"{m.bound:.2f}",
                         milliseconds(np.mean(m.seconds[1:])), milliseconds(sum(m.seconds[:within + 1]))])
        text += [f"## {name}: by iteration", "", found.description, "",
                 markdown_table(["", "F1 before", "F1 after 1", "F1 at the end",
                                 "iterations to within 0.05 of it", "score after 1",
                                 "score at the end", "upper bound", "ms an iteration",
                                 "ms until then"], rows),
                 f"![F1](cliques-{name}-iterations.svg)", ""]
    return "\n".join(text)


SYNTHETIC = {"potts": potts, "icm": icm, "majority": majority}
LABELLED = {"words": words, "iterations": iterations}


def processor():
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--quick", dest="size", action="store_const", const="quick", default="full",
                       help="a minute in the place of ten")
    sizes.add_argument("--tiny", dest="size", action="store_const", const="tiny",
                       help="seconds, small cliques: to see that it works")
    parser.add_argument("--data", type=Path, help="folder of the labelled sets")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "chorale-experiments",
                        help="folder for trained models' scores")
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parent,
                        help="folder for the tables and plots")
    sections = [*SYNTHETIC, *LABELLED]
    parser.add_argument("--only", nargs="*", default=[], choices=sections, metavar="SECTION",
                        help=f"of {', '.join(sections)}")
    arguments = parser.parse_args()
    wanted = arguments.only or sections
    size = PASSES[arguments.size]
    arguments.out.mkdir(parents=True, exist_ok=True)
    command = ["cliques.sh", *([f"--{arguments.size}"] if arguments.size != "full" else []),
               *(["--data FOLDER"] if arguments.data else []),
               *(["--only", *arguments.only] if arguments.only else [])]
    text = [f"# Clique inference: the {arguments.size} pass", "",
            f"`{' '.join(command)}`, {date.today()}, {processor()}, "
            f"Python {platform.python_version()}, chorale {ch.__version__}.", ""]
    for section in wanted:
        begun = time.monotonic()
        if section in SYNTHETIC:
            text.append(SYNTHETIC[section](size, arguments.out))
        elif arguments.data is None:
            text += [f"## {section}: skipped, no --data", ""]
        else:
            text.append(LABELLED[section](size, arguments.out, arguments.data, arguments.cache))
        note(f"{section}: {time.monotonic() - begun:.0f} s")
    name = "cliques-results.md" if arguments.size == "full" else f"cliques-{arguments.size}.md"
    (arguments.out / name).write_text("\n".join(text), encoding="utf-8")
    note(f"written to {arguments.out / name}")


if __name__ == "__main__":
    main()
