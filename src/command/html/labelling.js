"use strict";
// The problem embedded in the report: its current labels, its corrections, and the runs that label
// its pages again.
const Labelling = (() => {
  const bytesOf = (text) => {
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
    return bytes;
  };
  // Returns a hash of a text, which identifies the problem in the browser's storage.
  const markOf = (text) => {
    let mark = 0;
    for (let i = 0; i < text.length; ++i) mark = (Math.imul(mark, 31) + text.charCodeAt(i)) | 0;
    return mark;
  };
  const f1 = ({ gold, said, both }) => (gold + said > 0 ? (2 * both) / (gold + said) : 1);
  const allIn = (values) => new Map([...values].map((value, k) => [value, k]));

  return class Labelling {
    #chorale;
    // By page: { run, chains, cliques }. `chains` and `cliques` map numbers in the problem to
    // numbers in the run.
    #runs = new Map();

    /** data: the JSON object that carried.h describes. names: the names of the labels. */
    constructor(chorale, data, names) {
      this.#chorale = chorale;
      this.names = names;
      this.leftOut = data.left_out;
      this.pages = data.pages;
      this.training = new Set(data.training);
      this.cliques = data.cliques;
      this.mark = markOf(data.problem);
      this.temperature = data.temperature;
      this.options = { edits: true, rounds: data.rounds };
      this.beam = { jointMode: "beam", beamWidth: data.beam || 30 };
      this.problem = chorale.readProblem(bytesOf(data.problem));
      this.model = data.learnt
        ? chorale.readLearnt(data.learnt).apply(this.problem)
        : this.problem.model();
      const { model, problem } = this;
      this.kinds = this.cliques.map((_, clique) => problem.cliqueKind(clique));
      this.offsets = [0];
      for (let chain = 0; chain < model.chains; ++chain)
        this.offsets.push(this.offsets[chain] + model.chainLength(chain));
      this.chainAt = new Int32Array(data.together.length); // by position: its chain
      for (let chain = 0; chain < model.chains; ++chain)
        this.chainAt.fill(chain, this.offsets[chain], this.offsets[chain + 1]);
      this.pageOf = new Int32Array(model.chains);
      this.pages.forEach((chains, page) => chains.forEach((chain) => (this.pageOf[chain] = page)));
      this.members = this.cliques.map((_, clique) =>
        Array.from({ length: model.cliqueMembers(clique) }, (_, k) => model.member(clique, k)),
      );
      const words = problem.texts("words");
      const spaces = problem.texts("spaces");
      this.words = words.length > 0 ? words : data.words;
      this.spaces =
        spaces.length > 0 ? spaces : this.words.map((_, t) => (this.isFirst(t) ? "" : " "));
      this.gold = problem.gold ?? new Int32Array(this.words.length).fill(-1);
      this.own = Int32Array.from(data.own); // labels without cliques, before any correction
      this.now = Int32Array.from(data.together);
      this.factors = data.factors.length > 0 ? data.factors : this.cliques.map(() => 1);
      this.ownValues = []; // by clique of an opened page: its members' values without cliques
      this.allowed = new Map(); // by corrected position: for each label, true if it is allowed
    }

    // ---- Runs ---------------------------------------------------------------------------------

    /**
     * Labels a page, and the pages that cliques connect with it, starting from the labels shown.
     * Returns the positions whose labels changed: a run of these pages alone may find labels that
     * score higher.
     */
    open(page) {
      if (this.#runs.has(page)) return [];
      const pages = new Set([page]);
      const cliques = new Set();
      for (let before = 0; before < pages.size; ) {
        before = pages.size;
        for (const [clique, members] of this.members.entries())
          if (members.some(({ chain }) => pages.has(this.pageOf[chain]))) {
            cliques.add(clique);
            for (const { chain } of members) pages.add(this.pageOf[chain]);
          }
      }
      const chains = [...pages].flatMap((one) => this.pages[one]);
      const made = { chains: allIn(chains), cliques: allIn(cliques) };
      const model = this.#modelOf(made);
      try {
        this.#check(model, made);
        made.run = this.#runOf(model);
      } finally {
        model.close();
      }
      for (const [clique, here] of made.cliques)
        if (this.factors[clique] !== 1) made.run.setStrength(here, this.factors[clique]);
      made.run.setLabels(this.#on(made, this.now));
      for (const one of pages) this.#runs.set(one, made);
      const changed = this.#solve(page);
      for (const [clique, here] of made.cliques)
        this.ownValues[clique] = made.run.values(here, { own: true });
      return changed;
    }
    /**
     * Creates a run without a beam if all joint states fit the budget; such a run is also faster.
     * Otherwise creates a run with a beam.
     */
    #runOf(model) {
      try {
        return this.#chorale.createRun(model, this.options);
      } catch (error) {
        if (error.statusName !== "STATE_SPACE") throw error;
        return this.#chorale.createRun(model, { ...this.options, ...this.beam });
      }
    }
    #modelOf({ chains, cliques }) {
      const builder = this.#chorale.createModelBuilder();
      try {
        for (const chain of chains.keys()) builder.copyChain(this.model, chain);
        for (const [clique, here] of cliques) {
          const [property, dictionary, potential] = ["Property", "Dictionary", "Potential"].map(
            (what) => this.model[`clique${what}`](clique) ?? undefined,
          );
          const values = property ? undefined : this.model.cliqueValues(clique);
          builder.addClique({ potential, property, dictionary, values });
          for (const { chain, position } of this.members[clique])
            if (position < 0) builder.addMember(here, chains.get(chain));
            else builder.addPosition(here, chains.get(chain), position);
          for (const handle of [property, dictionary, potential]) handle?.close();
        }
        return builder.freeze();
      } finally {
        builder.close();
      }
    }
    /** From `labels` of all positions, returns those of the chains of a run, in the run's order. */
    #on({ chains }, labels) {
      return [...chains.keys()].flatMap((chain) =>
        Array.from(labels.subarray(this.offsets[chain], this.offsets[chain + 1])),
      );
    }
    /**
     * Throws an error unless every clique scores in `model` as in the problem. The scores differ if
     * members have position classes, tables or values of their own: the problem's model does not
     * reveal these, so #modelOf() cannot copy them.
     */
    #check(model, made) {
      for (const labels of [this.own, this.now]) {
        const expected = this.model.score(labels).cliqueScores;
        const { cliqueScores } = model.score(this.#on(made, labels));
        for (const [clique, here] of made.cliques)
          if (cliqueScores[here] !== expected[clique])
            throw new Error(`${this.cliques[clique]} has members with values of their own`);
      }
    }
    /** Solves the run of a page; returns the positions whose labels changed. */
    #solve(page) {
      const { run, chains } = this.#runs.get(page);
      if (!Number.isFinite(run.solve().score))
        throw new Error("these corrections leave no labelling");
      const now = run.allLabels();
      const changed = [];
      let at = 0;
      for (const chain of chains.keys())
        for (const t of this.positions(chain)) {
          if (this.now[t] !== now[at]) changed.push(t);
          this.now[t] = now[at++];
        }
      return changed;
    }
    #ofChain(chain) {
      const { run, chains, cliques } = this.#runs.get(this.pageOf[chain]);
      return { run, here: chains.get(chain), cliques };
    }
    #ofClique(clique) {
      const { run, cliques } = this.#runs.get(this.pageOf[this.members[clique][0].chain]);
      return { run, here: cliques.get(clique) };
    }
    /** Returns the values of the members of a clique. */
    values(clique) {
      const { run, here } = this.#ofClique(clique);
      return run.values(here);
    }
    payments(chain) {
      const { run, here, cliques } = this.#ofChain(chain);
      const numbers = [...cliques.keys()];
      return run.payments(here).map((paid) => ({ ...paid, clique: numbers[paid.clique] }));
    }
    /**
     * Returns a chain's own score under its present labels, minus its own score under the labels
     * that it has without cliques.
     */
    cost(chain) {
      const { run, here } = this.#ofChain(chain);
      return run.chainScore(here) - run.chainScore(here, { own: true });
    }
    /**
     * Returns the probabilities of the labels of a chain: `of(t, y)` is the probability of label y
     * at position t (positions are numbered over all chains), or 0 if the chain has no label y. The
     * probabilities of a position are raised to the power 1 / temperature and divided by their sum;
     * `exact` is false if the probabilities are approximate.
     */
    probabilities(chain) {
      const { run, here } = this.#ofChain(chain);
      const { probabilities, exact } = run.probabilities(here);
      const [begin, end] = [this.offsets[chain], this.offsets[chain + 1]];
      const labels = probabilities.length / (end - begin);
      const of = (t, y) => {
        const row = probabilities.subarray((t - begin) * labels, (t - begin + 1) * labels);
        const sum = row.reduce((all, p) => all + p ** (1 / this.temperature), 0);
        return y < labels ? row[y] ** (1 / this.temperature) / sum : 0;
      };
      return { exact, of };
    }
    /**
     * Returns an entry for each stretch of consecutive words of the chain whose label changed from
     * the same old label to the same new label: the first and last position of the stretch, the
     * least probability of the new label over its words, and whether probabilities are exact.
     * Returns an empty array if the chain has too many joint states to compute probabilities.
     */
    sureness(chain) {
      const { own, now, offsets } = this;
      let told;
      try {
        told = this.probabilities(chain);
      } catch (error) {
        if (error.statusName === "STATE_SPACE") return [];
        throw error;
      }
      const runs = [];
      const [begin, end] = [offsets[chain], offsets[chain + 1]];
      for (let first = begin, last; first < end; first = last + 1) {
        last = first;
        while (last + 1 < end && own[last + 1] === own[first] && now[last + 1] === now[first]) ++last;
        if (own[first] === now[first]) continue;
        let least = 1;
        for (let t = first; t <= last; ++t)
          least = Math.min(least, told.of(t, now[t]));
        runs.push({ first, last, least, exact: told.exact });
      }
      return runs;
    }
    /**
     * Returns the joint score of the present labels of all pages, minus that of the labels without
     * cliques.
     */
    gain() {
      const [now, own] = [this.now, this.own].map((labels) => {
        const { chainScores, cliqueScores } = this.model.score(labels);
        // Forbidden counts stay forbidden at strength 0.
        const paid = cliqueScores.reduce(
          (sum, score, c) => sum + (score === -Infinity ? score : this.factors[c] * score),
          0,
        );
        return chainScores.reduce((sum, score) => sum + score, paid);
      });
      return now - own;
    }

    // ---- Labels -------------------------------------------------------------------------------

    isFirst(t) {
      return this.offsets[this.chainAt[t]] === t;
    }
    /** Returns false for punctuation, which can be neither asked about nor corrected by itself. */
    isWord(t) {
      return /[^\p{P}\p{Sk}\s]/u.test(this.words[t]);
    }
    /** Returns the positions of a chain. */
    positions(chain) {
      const begin = this.offsets[chain];
      return Array.from({ length: this.offsets[chain + 1] - begin }, (_, k) => begin + k);
    }
    isChanged(chain) {
      return this.positions(chain).some((t) => this.own[t] !== this.now[t]);
    }
    isWrong(labels, t) {
      return this.gold[t] >= 0 && this.gold[t] !== labels[t];
    }
    /** Returns the field of position t: the consecutive positions around t with the label of t. */
    field(t) {
      const all = this.positions(this.chainAt[t]);
      let [first, last] = [t, t];
      while (first > all[0] && this.now[first - 1] === this.now[t]) --first;
      while (last < all[all.length - 1] && this.now[last + 1] === this.now[t]) ++last;
      return all.filter((s) => s >= first && s <= last);
    }
    /** Returns the cliques with a member on a page. */
    cliquesOf(page) {
      return [...this.members.keys()].filter((clique) =>
        this.members[clique].some(({ chain }) => this.pageOf[chain] === page),
      );
    }
    /**
     * Returns the name of a value of a clique. `madeUp` is true if the file has no name for the
     * value (as in value_name of corpus.h).
     */
    valueName(clique, value) {
      const count = this.model.cliqueValues(clique);
      const named = (v) => (v >= 0 && v < count && this.problem.valueName(clique, v)) || "";
      const madeUp = named(value) === "";
      let name = named(value);
      if (value === count) name = "nothing";
      else if (value === count + 1) name = "different things";
      else if (value < 0 || (madeUp && value === count - 1 && value > 0 && named(0)))
        name = "something else";
      else if (madeUp) name = `value ${value}`;
      return { name, madeUp };
    }

    /** Returns changes that restore the present state of the positions and cliques in `changes`. */
    present(changes) {
      return changes.map(({ position, clique }) =>
        position === undefined
          ? { clique, factor: this.factors[clique] }
          : { position, flags: this.allowed.get(position) ?? null },
      );
    }
    /**
     * Applies changes on a page, each to a position or a clique, and labels the page again. Returns
     * the positions whose labels changed. If no labelling is left, undoes the changes and throws.
     */
    relabel(page, changes) {
      const present = this.present(changes);
      try {
        changes.forEach((change) => this.#take(change));
        return this.#solve(page);
      } catch (error) {
        present.forEach((change) => this.#take(change));
        this.#solve(page);
        throw error;
      }
    }
    #take({ position, flags, clique, factor }) {
      if (position === undefined) {
        const { run, here } = this.#ofClique(clique);
        run.setStrength(here, factor);
        this.factors[clique] = factor;
        return;
      }
      const chain = this.chainAt[position];
      const { run, here } = this.#ofChain(chain);
      run.setAllowed(here, position - this.offsets[chain], flags);
      if (flags === null) this.allowed.delete(position);
      else this.allowed.set(position, flags);
    }

    /**
     * Returns counts like those of scores.h: of each page (`pages`), of all pages but training
     * pages (`all`), and of each label, without cliques and now (`labels`). Also returns `taken`
     * and `mended`, which comments below explain.
     */
    count() {
      const empty = () => ({
        changed: 0, changedRecords: 0, known: 0, ownErrors: 0, errors: 0, ownRight: 0, right: 0,
      });
      const byLabel = () => this.names.map(() => ({ gold: 0, said: 0, both: 0 }));
      const labels = { own: byLabel(), now: byLabel() };
      // taken: how many words were right alone and are wrong now, by gold label and present label.
      // mended: how many words were wrong alone and are right now.
      const taken = new Map();
      let mended = 0;
      const one = (list, gold, said) => {
        list[gold].gold += 1;
        list[said].said += 1;
        list[said].both += gold === said;
      };
      const record = (sums, chain) => {
        const { changed, known, ownErrors, errors } = sums;
        for (let t = this.offsets[chain]; t < this.offsets[chain + 1]; ++t) {
          const own = this.own[t];
          const now = this.now[t];
          const gold = this.gold[t];
          sums.changed += own !== now;
          if (gold < 0) continue;
          sums.known += 1;
          sums.ownErrors += own !== gold;
          sums.errors += now !== gold;
          if (this.training.has(this.pageOf[chain])) continue;
          one(labels.own, gold, own);
          one(labels.now, gold, now);
          mended += own !== gold && now === gold;
          if (own === gold && now !== gold) {
            const key = gold * this.names.length + now;
            taken.set(key, (taken.get(key) ?? 0) + 1);
          }
        }
        sums.changedRecords += sums.changed > changed;
        sums.ownRight += sums.known > known && sums.ownErrors === ownErrors;
        sums.right += sums.known > known && sums.errors === errors;
      };
      const all = empty();
      const pages = this.pages.map((chains, page) => {
        const sums = empty();
        chains.forEach((chain) => record(sums, chain));
        if (!this.training.has(page)) for (const name in all) all[name] += sums[name];
        return sums;
      });
      return { pages, all, labels, taken, mended };
    }
    /**
     * Returns two F1s of a label: without cliques ("alone") and in the result ("together"). If
     * `label` is the number of labels, they are micro averages over all labels except `leftOut`.
     */
    static f1Of(labels, leftOut, label) {
      return [labels.own, labels.now].map((list) => {
        if (label < list.length) return f1(list[label]);
        const sum = { gold: 0, said: 0, both: 0 };
        list.forEach((counts, y) => {
          for (const name in sum) sum[name] += y === leftOut ? 0 : counts[name];
        });
        return f1(sum);
      });
    }

    /** Returns the problem file, with the labels that corrections gave added to its gold labels. */
    toBytes() {
      const gold = this.gold.slice();
      for (const [t, flags] of this.allowed)
        if (flags.filter(Boolean).length === 1) gold[t] = flags.indexOf(true);
      const before = this.problem.gold;
      this.problem.gold = gold;
      try {
        return this.problem.toBytes();
      } finally {
        this.problem.gold = before;
      }
    }
  };
})();
