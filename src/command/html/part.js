"use strict";
// One page of the report as a problem of its own: its run, what was corrected, and how it is shown.
const Part = (() => {
  const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  // A number that another problem hardly has.
  const markOf = (text) => {
    let mark = 0;
    for (let i = 0; i < text.length; ++i) mark = (Math.imul(mark, 31) + text.charCodeAt(i)) | 0;
    return mark;
  };
  const element = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes ?? {})) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const signed = (number) =>
    number === Infinity
      ? "required"
      : (number < 0 ? "\u2212" : "+") + Math.abs(number).toFixed(2);
  const counted = (number, one, many) => `${number} ${number === 1 ? one : many}`;

  class Part {
    constructor(chorale, page, options) {
      const data = JSON.parse(document.getElementById("part" + page.id.slice(1)).textContent);
      this.page = page;
      this.mark = markOf(data.problem);
      this.leftOut = options.leftOut;
      this.chains = data.chains;
      this.cliques = data.cliques;
      this.values = data.values;
      this.problem = chorale.readProblem(bytesOf(data.problem));
      const model = this.problem.model();
      this.names = this.problem.texts("labels");
      this.words = this.problem.texts("words");
      this.spaces = this.problem.texts("spaces");
      this.kinds = this.cliques.map((_, clique) => this.problem.cliqueKind(clique));
      this.offsets = [0];
      for (let chain = 0; chain < model.chains; ++chain)
        this.offsets.push(this.offsets[chain] + model.chainLength(chain));
      this.members = this.cliques.map((_, clique) => {
        const length = model.cliqueMembers(clique);
        return Array.from({ length }, (_, k) => model.member(clique, k).chain);
      });
      model.close();
      this.gold = this.problem.gold ?? new Int32Array(this.words.length).fill(-1);
      const { rounds, beam } = options;
      const joint = beam > 0 ? { jointMode: "beam", beamWidth: beam } : {};
      this.run = chorale.createRun(this.problem, { edits: true, rounds, ...joint });
      this.run.solve();
      this.own = this.run.allLabels({ own: true });
      this.now = this.run.allLabels();
      // The run of all pages may have ended before this page was as good as it is by itself.
      this.differing = this.now.filter((label, t) => label !== data.labels[t]).length;
      this.allowed = new Map(); // by position of the page: flags by label
      this.factors = this.cliques.map(() => 1);
    }

    positions(chain) {
      return { begin: this.offsets[chain], end: this.offsets[chain + 1] };
    }
    chainOf(position) {
      return this.offsets.findIndex((begin) => begin > position) - 1;
    }
    isWrong(labels, t) {
      return this.gold[t] >= 0 && this.gold[t] !== labels[t];
    }
    /** Positions around t with its label, in its record: a field. */
    field(t) {
      const { begin, end } = this.positions(this.chainOf(t));
      let first = t;
      let last = t;
      while (first > begin && this.now[first - 1] === this.now[t]) --first;
      while (last + 1 < end && this.now[last + 1] === this.now[t]) ++last;
      return Array.from({ length: last - first + 1 }, (_, k) => first + k);
    }

    /** What changes are there now, in the place of these. */
    present(changes) {
      return changes.map(({ position, clique }) =>
        position === undefined
          ? { clique, factor: this.factors[clique] }
          : { position, flags: this.allowed.get(position) ?? null },
      );
    }
    /** Takes changes, each of a position or a clique. Throws, and has taken none, if one fails. */
    take(changes) {
      const before = this.present(changes);
      try {
        changes.forEach((change) => this.#take(change));
      } catch (error) {
        before.forEach((change) => this.#take(change));
        throw error;
      }
    }
    #take({ position, flags, clique, factor }) {
      if (position === undefined) {
        this.run.setStrength(clique, factor);
        this.factors[clique] = factor;
        return;
      }
      const chain = this.chainOf(position);
      this.run.setAllowed(chain, position - this.offsets[chain], flags);
      if (flags === null) this.allowed.delete(position);
      else this.allowed.set(position, flags);
    }
    /** Labels the page again; the positions whose labels changed. */
    solve() {
      const { score } = this.run.solve();
      if (!Number.isFinite(score)) throw new Error("these corrections leave no labelling");
      const before = this.now;
      this.now = this.run.allLabels();
      return Array.from(this.now.keys()).filter((t) => this.now[t] !== before[t]);
    }

    tally() {
      const sums = { changed: 0, known: 0, ownErrors: 0, errors: 0, right: 0, said: 0, both: 0 };
      for (let chain = 0; chain < this.chains.length; ++chain) {
        const before = sums.errors;
        const { begin, end } = this.positions(chain);
        for (let t = begin; t < end; ++t) {
          sums.changed += this.own[t] !== this.now[t];
          if (this.gold[t] < 0) continue;
          sums.known += 1;
          sums.ownErrors += this.isWrong(this.own, t);
          sums.errors += this.isWrong(this.now, t);
          if (this.now[t] === this.leftOut) continue;
          sums.said += 1;
          sums.both += !this.isWrong(this.now, t);
        }
        sums.right += sums.errors === before && this.gold.slice(begin, end).some((y) => y >= 0);
      }
      return sums;
    }

    /** A problem file whose gold labels are those known before and those that were given. */
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

    // ---- How it is shown ------------------------------------------------------------------------

    token(t, first) {
      const { own, now, gold, names } = this;
      const changed = own[t] !== now[t];
      const wrong = this.isWrong(now, t);
      const corrected = this.allowed.has(t);
      const told = [`${this.words[t]}: ${names[now[t]]}`];
      if (corrected) told.push("corrected");
      if (changed) told.push(`alone ${names[own[t]]}`);
      if (wrong) told.push(`gold ${names[gold[t]]}`);
      const chain = this.chainOf(t);
      const place = t - this.offsets[chain];
      const made = element(changed ? "mark" : "span", {
        class: `t${wrong ? " e" : ""}${corrected ? " corrected" : ""}`,
        role: "button",
        tabindex: first ? 0 : -1,
        "aria-haspopup": "dialog",
        "aria-label": told.join(", "),
        "data-token": t,
        "data-now": now[t],
        "data-chain": this.chains[chain],
        "data-first": place,
        "data-last": place,
      });
      if (changed) made.dataset.own = own[t];
      if (gold[t] >= 0) made.dataset.gold = gold[t];
      made.append(this.words[t]);
      return made;
    }
    row(chain, labels, side, isLive) {
      const { begin, end } = this.positions(chain);
      const words = element("span", { class: "words" });
      if (isLive)
        for (const [name, value] of [
          ["role", "group"],
          ["aria-label", "Words and their labels; arrow keys move"],
        ])
          words.setAttribute(name, value);
      let field = words;
      for (let t = begin; t < end; ++t) {
        const goesOn = t > begin && labels[t] === labels[t - 1];
        if (!goesOn) words.append(this.spaces[t]);
        else field.append(this.spaces[t]);
        if (!goesOn) {
          field = words;
          if (labels[t] !== this.leftOut) {
            field = element("span", { class: `f l${labels[t]}` });
            words.append(field);
          }
        }
        if (isLive) field.append(this.token(t, t === begin));
        else if (this.own[t] !== this.now[t] || this.isWrong(labels, t))
          field.append(
            element(
              this.own[t] !== this.now[t] ? "mark" : "i",
              { class: this.isWrong(labels, t) ? "e" : "" },
              this.words[t],
            ),
          );
        else field.append(this.words[t]);
      }
      const row = element("p", { class: `row ${side}` });
      if (side !== "both") row.append(element("span", { class: "side" }, side));
      row.append(words);
      return row;
    }
    /** Why a record has its labels: what its cliques gain by them, the greatest first. */
    reasons(chain) {
      const list = element("ul", { id: "w" + this.chains[chain] });
      const payments = this.run.payments(chain).sort((a, b) => b.amount - a.amount);
      for (const { clique, position, ownValue, value, amount } of payments) {
        const alike = this.run.values(clique).filter((v) => v === value).length;
        const name = (v) => this.values[clique][v] ?? "something else";
        const item = element("li", position >= 0 ? { "data-position": position } : {});
        item.append(
          element("b", {}, this.cliques[clique]),
          `: \u201C${name(ownValue)}\u201D \u2192 \u201C${name(value)}\u201D, like ${alike} of ` +
            `${this.members[clique].length} `,
          element("span", { class: "amount" }, signed(amount)),
        );
        list.append(item);
      }
      const cost = this.run.chainScore(chain) - this.run.chainScore(chain, { own: true });
      list.append(
        element(
          "li",
          { class: "cost" },
          element("b", {}, "The record\u2019s own score"),
          " ",
          element("span", { class: "amount" }, signed(cost)),
        ),
      );
      return list;
    }
    showRecord(chain) {
      const article = document.getElementById("r" + this.chains[chain]);
      if (!article) return; // the report has no room for it
      const { begin, end } = this.positions(chain);
      const count = (has) => this.now.slice(begin, end).filter((_, k) => has(begin + k)).length;
      const changed = count((t) => this.own[t] !== this.now[t]);
      const errors = count((t) => this.isWrong(this.now, t));
      const ownErrors = count((t) => this.isWrong(this.own, t));
      const head = article.querySelector("h4");
      head.querySelector(".small")?.remove();
      if (errors + ownErrors > 0)
        head.append(
          element(
            "span",
            { class: "small" },
            (changed ? `${ownErrors} \u2192 ` : "") + counted(errors, "error", "errors"),
          ),
        );
      article.replaceChildren(head);
      if (changed) article.append(this.row(chain, this.own, "alone", false));
      article.append(this.row(chain, this.now, changed ? "together" : "both", true));
      if (changed)
        article.append(
          element("details", { class: "why" }, element("summary", {}, "Why"), this.reasons(chain)),
        );
    }
    /** Shows records anew, and the figures of the page. */
    show(chains) {
      for (const chain of chains) this.showRecord(chain);
      const { changed, known, ownErrors, errors } = this.tally();
      const { page } = this;
      let told = `${counted(this.chains.length, "record", "records")}, `;
      told += `${counted(changed, "token", "tokens")} changed`;
      if (known > 0) told += `, ${ownErrors} \u2192 ${errors} errors`;
      page.querySelector("summary .small").textContent = told;
      page.dataset.changed = changed;
      page.dataset.gain = ownErrors - errors;
      const badge = page.querySelector(".badge");
      if (!badge) return;
      const gain = ownErrors - errors;
      badge.className = `badge ${gain > 0 ? "better" : gain < 0 ? "worse" : "equal"}`;
      badge.textContent = gain === 0 ? "equal" : (gain > 0 ? "\u2212" : "+") + Math.abs(gain);
    }
    /** How many members of a clique show which value, alone and now. */
    shares(clique) {
      const count = (values) => {
        const sums = new Map();
        for (const value of values) sums.set(value, (sums.get(value) ?? 0) + 1);
        return sums;
      };
      const own = count(this.run.values(clique, { own: true }));
      const now = count(this.run.values(clique));
      const all = [...new Set([...now.keys(), ...own.keys()])];
      all.sort((a, b) => (now.get(b) ?? 0) - (now.get(a) ?? 0) || a - b);
      return all
        .slice(0, 4)
        .map((value) => {
          const [before, after] = [own.get(value) ?? 0, now.get(value) ?? 0];
          const name = this.values[clique][value] ?? "something else";
          return `\u201C${name}\u201D ${before}` + (before !== after ? ` \u2192 ${after}` : "");
        })
        .join(", ");
    }
  }
  return Object.assign(Part, { element, counted });
})();
