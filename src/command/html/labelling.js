"use strict";
// The labels of a report and their reasons, as the command found them; with the library, the runs that
// label pages again after corrections.
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
  // Returns a map from each value to its index.
  const allIn = (values) => new Map([...values].map((value, k) => [value, k]));

  return class Labelling {
    #chorale;
    // By open page: { run, chains, cliques, pages }. Pages that cliques connect share one run; `pages`
    // are all of these. `chains` and `cliques` map numbers in the problem to numbers in the run.
    #runs = new Map();
    #ownValues = []; // by clique of which the command's run changed a value: the values without cliques
    #sure = new Map(); // by chain: what sureness() has computed

    /** data: the JSON object that data.h describes. */
    constructor(data) {
      const { chains } = data.run;
      this.data = data;
      this.names = data.labels.map((name, label) => name || `Label ${label}`);
      this.names[-1] = "left out"; // the label of every word of a chain that is left out
      this.leftOut = data.left_out;
      this.pages = data.pages;
      this.training = new Set([...this.pages.keys()].filter((page) => this.pages[page].training));
      this.cliques = data.cliques;
      this.offsets = [0];
      for (const { labels } of chains) this.offsets.push(this.offsets.at(-1) + labels.length);
      this.chainAt = new Int32Array(this.offsets.at(-1)); // by position: its chain
      this.own = new Int32Array(this.chainAt.length); // labels without cliques, before any correction
      this.now = new Int32Array(this.chainAt.length);
      this.gold = data.gold.length > 0 ? data.gold : new Int32Array(this.chainAt.length).fill(-1);
      this.records = new Map(data.records.map((record) => [record.chain, record])); // those shown
      this.words = []; // by position of a record that the report shows
      this.spaces = [];
      chains.forEach(({ labels, own_labels: own, reasons = [] }, chain) => {
        this.chainAt.fill(chain, this.offsets[chain], this.offsets[chain + 1]);
        this.own.set(own ?? labels, this.offsets[chain]);
        this.now.set(labels, this.offsets[chain]);
        for (const { clique, member, own_value: value } of reasons)
          (this.#ownValues[clique] ??= data.run.cliques[clique].values.slice())[member] = value;
        const { words = [], spaces } = this.records.get(chain) ?? {};
        words.forEach((word, k) => {
          this.words[this.offsets[chain] + k] = word;
          this.spaces[this.offsets[chain] + k] = spaces?.[k] ?? (k > 0 ? " " : "");
        });
      });
      this.pageOf = new Int32Array(chains.length);
      this.placeOf = new Int32Array(chains.length); // by chain: its place in the page
      this.pages.forEach((one, page) => one.chains.forEach((chain, place) => {
        this.pageOf[chain] = page;
        this.placeOf[chain] = place;
      }));
      // Numbers of the pages that the report shows, as it shows them.
      this.order = [...new Set(data.records.map(({ chain }) => this.pageOf[chain]))];
      this.allowed = new Map(); // by corrected position: for each label, true if it is allowed
      const known = new Set(this.names.map((name) => name.toLowerCase()));
      this.hasReferences = known.has("author") && known.has("title");
      this.hasGold = this.count().all.known > 0;
    }
    /** Reads the problem in the data, with the library whose runs label the pages that are opened. */
    start(chorale) {
      const { data } = this;
      this.#chorale = chorale;
      this.mark = markOf(data.problem);
      this.problem = chorale.readProblem(bytesOf(data.problem));
      this.model = data.learnt
        ? chorale.readLearnt(data.learnt).apply(this.problem)
        : this.problem.model();
      const { model, problem } = this;
      this.kinds = this.cliques.map((_, clique) => problem.cliqueKind(clique));
      this.members = this.cliques.map((_, clique) => {
        const { chains, positions } = model.membersOf(clique);
        return chains.map((chain, k) => ({ chain, position: positions[k] }));
      });
      this.factors = data.factors.length > 0 ? data.factors : this.cliques.map(() => 1);
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
      const chains = [...pages].flatMap((one) => this.pages[one].chains);
      const made = { chains: allIn(chains), cliques: allIn(cliques) };
      made.model = this.#modelOf(made);
      try {
        this.#check(made);
        made.run = this.#runOf(made.model);
      } catch (error) {
        made.model.close();
        throw error;
      }
      for (const [clique, here] of made.cliques)
        if (this.factors[clique] !== 1) made.run.setStrength(here, this.factors[clique]);
      made.run.setLabels(this.#on(made, this.now));
      for (const one of pages) this.#runs.set(one, made);
      made.pages = [...pages];
      return this.#solve(page);
    }
    /** Returns the pages that share the run of an open page, which is one of them. */
    reached(page) {
      return this.#runs.get(page).pages;
    }
    /** Returns true if a page has a run, and so takes corrections. */
    isOpen(page) {
      return this.#runs.has(page);
    }
    /**
     * Creates a run without a beam if there are few enough joint states; such a run is also faster.
     * Otherwise creates a run with a beam.
     */
    #runOf(model) {
      const { rounds, beam } = this.data;
      const options = { edits: true, rounds };
      try {
        return this.#chorale.createRun(model, options);
      } catch (error) {
        if (error.statusName !== "STATE_SPACE") throw error;
        return this.#chorale.createRun(model, { ...options, jointMode: "beam", beamWidth: beam || 30 });
      }
    }
    #modelOf({ chains, cliques }) {
      const builder = this.#chorale.createModelBuilder();
      try {
        for (const chain of chains.keys()) builder.copyChain(this.model, chain);
        for (const [clique, here] of cliques) {
          builder.copyClique(this.model, clique);
          for (const { chain, position } of this.members[clique])
            if (position < 0) builder.addMembers(here, [chains.get(chain)]);
            else builder.addMembers(here, [chains.get(chain)], { positions: [position] });
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
     * Throws an error unless every clique scores in the made model as in the problem. They differ if
     * members have position classes, tables or values of their own: the problem's model does not
     * reveal these, so #modelOf() cannot copy them.
     */
    #check(made) {
      for (const labels of [this.own, this.now]) {
        const expected = this.model.score(labels).cliqueScores;
        const { cliqueScores } = made.model.score(this.#on(made, labels));
        for (const [clique, here] of made.cliques)
          if (cliqueScores[here] !== expected[clique])
            throw new Error(`${this.cliques[clique].name} has members with values of their own`);
      }
    }
    /**
     * Solves the run of a page; returns the positions whose labels changed. Throws an error if no
     * labelling is left.
     */
    #solve(page) {
      const { run, chains } = this.#runs.get(page);
      if (!Number.isFinite(run.solve().score))
        throw new Error("these corrections leave no labelling");
      const now = run.labels();
      const changed = [];
      let at = 0;
      for (const chain of chains.keys()) {
        this.#sure.delete(chain);
        for (const t of this.positions(chain)) {
          if (this.now[t] !== now[at]) changed.push(t);
          this.now[t] = now[at++];
        }
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
    /** Returns the values of the members of a clique: without cliques, and now. */
    values(clique) {
      const { values } = this.data.run.cliques[clique];
      const own = this.#ownValues[clique] ?? values;
      if (!this.members || !this.isOpen(this.pageOf[this.members[clique][0].chain])) return { own, now: values };
      const { run, here } = this.#ofClique(clique);
      return { own, now: run.values(here) };
    }
    /** Returns the cliques with a member on a page whose value is not the one without cliques. */
    changedCliques(page) {
      const reasons = this.pages[page].chains.flatMap((chain) => this.reasons(chain));
      return [...new Set(reasons.map(({ clique }) => clique))].sort((a, b) => a - b);
    }
    /**
     * Returns the reasons for the labels of a chain (chorale_run_reasons), of the run of its page; if the
     * page is not open, of the command's run.
     */
    reasons(chain) {
      if (!this.isOpen(this.pageOf[chain]))
        return (this.data.run.chains[chain].reasons ?? []).map((reason) => ({
          ...reason, ownValue: reason.own_value, agreeingBefore: reason.agreeing_before,
          amount: reason.amount ?? Infinity,
        }));
      const { run, here, cliques } = this.#ofChain(chain);
      const numbers = [...cliques.keys()];
      return run.reasons(here).map((reason) => ({ ...reason, clique: numbers[reason.clique] }));
    }
    /**
     * Returns a chain's own score under its present labels, minus its own score under the labels
     * that it has without cliques.
     */
    cost(chain) {
      const { score, own_score: own } = this.data.run.chains[chain];
      if (!this.isOpen(this.pageOf[chain])) return score - (own ?? score);
      const made = this.#runs.get(this.pageOf[chain]);
      const [now, alone] = [this.now, this.own].map(
        (labels) => made.model.score(this.#on(made, labels)).chainScores[made.chains.get(chain)],
      );
      return now - alone;
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
        const power = 1 / this.data.temperature;
        const sum = row.reduce((all, p) => all + p ** power, 0);
        return y < labels ? row[y] ** power / sum : 0;
      };
      return { exact, of };
    }
    /**
     * Returns an entry for each stretch of consecutive words of the chain whose label changed from
     * the same old label to the same new label: the first and last position of the stretch, the
     * least probability of the new label over its words, and whether probabilities are exact.
     * Returns an empty array if the chain has too many joint states to compute probabilities. On an
     * open page this takes long: if `known` is true and it was not computed before, returns an empty
     * array.
     */
    sureness(chain, known) {
      if (!this.#sure.has(chain) && known && this.isOpen(this.pageOf[chain])) return [];
      if (!this.#sure.has(chain)) this.#sure.set(chain, this.#computeSureness(chain));
      return this.#sure.get(chain);
    }
    #computeSureness(chain) {
      const { own, now } = this;
      const { sure, exact } = this.records.get(chain);
      let told = sure && { exact, of: (t) => sure[t - this.offsets[chain]] };
      try {
        if (this.isOpen(this.pageOf[chain])) told = this.probabilities(chain);
      } catch (error) {
        if (error.statusName !== "STATE_SPACE") throw error;
        told = undefined;
      }
      if (!told) return [];
      const goesOn = (t) => own[t] === own[t - 1] && now[t] === now[t - 1];
      return Labelling.stretches(this.positions(chain), goesOn)
        .filter(([t]) => own[t] !== now[t])
        .map((places) => ({
          first: places[0], last: places.at(-1), exact: told.exact,
          least: Math.min(...places.map((t) => told.of(t, now[t]))),
        }));
    }
    /**
     * Returns the joint score of the present labels of all pages, minus that of the labels without
     * cliques.
     */
    gain() {
      const { score, own_score: alone } = this.data.run;
      if (!this.model) return score - alone;
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

    /** Returns false for punctuation and signs, which can be neither asked about nor corrected alone. */
    isWord(t) {
      return /[^\p{P}\p{S}\s]/u.test(this.words[t]);
    }
    /** Divides a list into stretches: places such that goesOn(place) holds for all but the first. */
    static stretches(list, goesOn) {
      const found = [];
      for (const place of list)
        if (found.length > 0 && goesOn(place)) found.at(-1).push(place);
        else found.push([place]);
      return found;
    }
    /** Returns the chains of a page that the report shows. */
    shown(page) {
      return this.pages[page].chains.filter((chain) => this.records.has(chain));
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
      const goesOn = (s) => this.now[s] === this.now[s - 1];
      return Labelling.stretches(this.positions(this.chainAt[t]), goesOn).find((field) => field.includes(t));
    }
    /** Returns the cliques with a member on a page. */
    cliquesOf(page) {
      return [...this.members.keys()].filter((clique) =>
        this.members[clique].some(({ chain }) => this.pageOf[chain] === page),
      );
    }
    /**
     * Returns the name of a value of a clique. `madeUp` is true if the file has no name for the
     * value.
     */
    valueName(clique, value) {
      const { values, names } = this.cliques[clique];
      const named = (v) => (this.problem && v >= 0 && v < values ? this.problem.valueName(clique, v) : names?.[v]) || "";
      const madeUp = named(value) === "";
      let name = named(value);
      if (value === values) name = "nothing";
      else if (value === values + 1) name = "different things";
      // The value is outside the clique's dictionary (-1), or it is the dictionary's last value, which
      // stands for all values outside and has no name.
      else if (value < 0 || (madeUp && value === values - 1 && value > 0 && named(0)))
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
     * Applies changes on a page and labels it again. A change is { position, flags } (flags: for each
     * label, true if it is allowed; null: all are) or { clique, factor }. Returns the positions whose
     * labels changed. If no labelling is left, undoes the changes and throws.
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
     * Returns counts like those of scores.h, without training pages: of each page (`pages`), of all
     * pages (`all`), and of each label, without cliques and now (`labels`). Also returns `taken`
     * and `mended`, which comments below explain.
     */
    count() {
      const empty = () => ({
        tokens: 0, changed: 0, chains: 0, changedRecords: 0, known: 0, ownErrors: 0, errors: 0,
        records: 0, ownRight: 0, right: 0,
      });
      const byLabel = () => this.names.map(() => ({ gold: 0, said: 0, both: 0 }));
      const labels = { own: byLabel(), now: byLabel() };
      // taken: how many words were right alone and are wrong now, by gold label and present label.
      // mended: how many words were wrong alone and are right now.
      const taken = new Map();
      let mended = 0;
      const one = (list, gold, said) => {
        list[gold].gold += 1;
        if (said < 0) return; // the chain is left out
        list[said].said += 1;
        list[said].both += gold === said;
      };
      const record = (sums, chain) => {
        const { changed, known, ownErrors, errors } = sums;
        for (let t = this.offsets[chain]; t < this.offsets[chain + 1]; ++t) {
          const own = this.own[t];
          const now = this.now[t];
          const gold = this.gold[t];
          sums.tokens += 1;
          sums.changed += own !== now;
          if (gold < 0) continue;
          sums.known += 1;
          sums.ownErrors += own !== gold;
          sums.errors += now !== gold;
          one(labels.own, gold, own);
          one(labels.now, gold, now);
          mended += own !== gold && now === gold;
          const key = gold * this.names.length + now;
          if (own === gold && now !== gold) taken.set(key, (taken.get(key) ?? 0) + 1);
        }
        const isKnown = sums.known > known;
        sums.chains += 1;
        sums.changedRecords += sums.changed > changed;
        sums.records += isKnown;
        sums.ownRight += isKnown && sums.ownErrors === ownErrors;
        sums.right += isKnown && sums.errors === errors;
      };
      const all = empty();
      const pages = this.pages.map(({ chains, training }) => {
        const sums = empty();
        if (!training) chains.forEach((chain) => record(sums, chain));
        for (const name in all) all[name] += sums[name];
        return sums;
      });
      return { pages, all, labels, taken, mended };
    }
    /**
     * Returns the rows of the table of labels: of each label that occurs, how many tokens have it by
     * gold, and its F1 without cliques and now. The last row has the micro averages over all labels
     * except `leftOut`.
     */
    rows({ labels }) {
      const sum = (list) => list.reduce((all, counts, y) => {
        for (const name in all) all[name] += y === this.leftOut ? 0 : counts[name];
        return all;
      }, { gold: 0, said: 0, both: 0 });
      const row = (name, own, now) =>
        ({ name, tokens: own.gold, own: f1(own), now: f1(now), isSeen: now.gold + own.said + now.said > 0 });
      const rows = this.names.map((name, y) => row(name, labels.own[y], labels.now[y]));
      return [...rows.filter((one) => one.isSeen), row("All", sum(labels.own), sum(labels.now))];
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
