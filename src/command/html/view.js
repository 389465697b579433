"use strict";
// Renders a labelling in the report: records, reasons, pages, figures, charts.
const View = (() => {
  const element = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes ?? {})) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const grouped = new Intl.NumberFormat("en");
  const counted = (number, one, many) =>
    `${grouped.format(number)} ${number === 1 ? one : many}`;
  /** Formats a number as put_number of html.h does; infinity becomes "required". */
  const number = (value, digits, sign) => {
    const text = Math.abs(value).toFixed(digits);
    if (value === Infinity) return "required";
    if (Number(text) === 0) return text;
    return (value < 0 ? "\u2212" : sign ? "+" : "") + text;
  };
  // Changes the text only if it differs, since after a change the browser computes the layout anew.
  const say = (node, text) => {
    if (node.textContent !== String(text)) node.textContent = text;
  };
  const set = (node, attributes) => {
    for (const [name, value] of Object.entries(attributes))
      if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
  };
  const small = (text) => element("span", { class: "small" }, text);

  class View {
    constructor(labelling) {
      this.of = labelling;
      this.places = new Map(); // by element of a page: its number
      for (const place of document.querySelectorAll(".page"))
        this.places.set(place, Number(place.id.slice(1)));
      this.figures = new Map(); // by name of a figure: the elements that show it
      for (const place of document.querySelectorAll("[data-figure]")) {
        const { figure } = place.dataset;
        this.figures.set(figure, [...(this.figures.get(figure) ?? []), place]);
      }
    }
    pageOf(node) {
      return this.places.get(node.closest(".page"));
    }
    tokenAt(t) {
      return document.getElementById("r" + this.of.chainAt[t])?.querySelector(`[data-token="${t}"]`);
    }

    // ---- Records ------------------------------------------------------------------------------

    #token(t) {
      const { own, now, gold, names, words } = this.of;
      const wrong = this.of.isWrong(now, t);
      const corrected = this.of.allowed.has(t);
      const attributes = {
        class: `t${wrong ? " e" : ""}${corrected ? " corrected" : ""}`,
        "data-token": t,
        ...this.#told(t),
      };
      const made = element(own[t] !== now[t] ? "mark" : "span", attributes, words[t]);
      if (!this.of.isWord(t)) return made;
      const told = [`${words[t]}: ${names[now[t]]}`];
      if (corrected) told.push("corrected");
      if (own[t] !== now[t]) told.push(`alone ${names[own[t]]}`);
      if (wrong) told.push(`gold ${names[gold[t]]}`);
      let first = this.of.offsets[this.of.chainAt[t]]; // the first word of the record
      while (!this.of.isWord(first)) ++first;
      set(made, {
        role: "button",
        tabindex: t === first ? 0 : -1,
        "aria-haspopup": "dialog",
        "aria-label": told.join(", "),
      });
      return made;
    }
    /** Returns attributes of a word, from which report.js explains the word's label. */
    #told(t) {
      const { own, now, gold, chainAt, offsets } = this.of;
      const place = t - offsets[chainAt[t]];
      const told = { "data-now": now[t], "data-chain": chainAt[t] };
      Object.assign(told, { "data-first": place, "data-last": place });
      if (own[t] !== now[t]) told["data-own"] = own[t];
      if (gold[t] >= 0) told["data-gold"] = gold[t];
      return told;
    }
    /**
     * Appends the words of a record to `to`, in fields (stretches of words with the same label);
     * wordOf(t) makes the word at t.
     */
    #words(to, chain, labels, wordOf) {
      let field = to;
      for (const t of this.of.positions(chain)) {
        const begins = this.of.isFirst(t) || labels[t] !== labels[t - 1];
        (begins ? to : field).append(this.of.spaces[t]);
        if (begins) {
          field = to;
          if (labels[t] !== this.of.leftOut) {
            field = element("span", { class: `f l${labels[t]}` });
            to.append(field);
          }
        }
        field.append(wordOf(t));
      }
    }
    #marked(labels) {
      return (t) => {
        const { own, now, words } = this.of;
        const wrong = this.of.isWrong(labels, t);
        if (own[t] === now[t] && !wrong) return words[t];
        const attributes = { class: wrong ? "e" : "", ...this.#told(t) };
        if (own[t] === now[t]) return element("i", attributes, words[t]);
        // The Tab key stops only at the first of neighbouring changed words.
        if (labels === now && (this.of.isFirst(t) || own[t - 1] === now[t - 1]))
          attributes.tabindex = 0;
        return element("mark", attributes, words[t]);
      };
    }
    #row(chain, labels, side, isLive) {
      const words = element("span", { class: "words" });
      if (isLive) {
        words.setAttribute("role", "group");
        words.setAttribute("aria-label", "Words and their labels; arrow keys move");
      }
      this.#words(words, chain, labels, isLive ? (t) => this.#token(t) : this.#marked(labels));
      const row = element("p", { class: `row ${side}` });
      if (side !== "both") row.append(element("span", { class: "side" }, side));
      row.append(words);
      return row;
    }
    #value(clique, value) {
      const { name, madeUp } = this.of.valueName(clique, value);
      return element(madeUp ? "em" : "q", {}, name);
    }
    /**
     * Returns a list of the reasons for the labels of a record: the gains of its cliques, greatest
     * first, and the change of its own score. t: leaves out reasons for other positions.
     */
    reasons(chain, t) {
      const { of } = this;
      const list = element("ul");
      const add = (attributes, ...told) => list.append(element("li", attributes, ...told));
      const amount = (value) =>
        element("span", { class: value < 0 ? "amount loss" : "amount" }, number(value, 2, true));
      const concerns = ({ position }) =>
        t === undefined || position < 0 || of.offsets[chain] + position === t;
      const payments = of.payments(chain).filter(concerns).sort((a, b) => b.amount - a.amount);
      for (const paid of payments) {
        const { clique, position, ownValue, value, others, agreeingBefore, agreeing } = paid;
        const word = position >= 0 ? `${of.words[of.offsets[chain] + position]}, ` : "";
        add(
          position >= 0 ? { "data-position": position } : {},
          element("b", {}, of.cliques[clique]),
          `: ${word}`,
          this.#value(clique, ownValue),
          " \u2192 ",
          this.#value(clique, value),
          // Nothing is told of a centre, or of a member that is alone.
          others > 0
            ? `: ${agreeingBefore} of ${others} others were, ${agreeing} of ${others} are now `
            : " ",
          amount(paid.amount),
        );
      }
      add({}, element("b", {}, "The record\u2019s own score"), " ",
        amount(of.cost(chain)));
      return list;
    }
    record(chain) {
      const { of } = this;
      const article = document.getElementById("r" + chain);
      if (!article) return; // the report is too long to show this record
      const changed = of.isChanged(chain);
      const wrongIn = (labels) => of.positions(chain).filter((t) => of.isWrong(labels, t)).length;
      const [ownErrors, errors] = [wrongIn(of.own), wrongIn(of.now)];
      const head = article.querySelector("h4");
      head.querySelector(".small")?.remove();
      if (errors + ownErrors > 0)
        head.append(
          small((changed ? `${ownErrors} \u2192 ` : "") + counted(errors, "error", "errors")),
        );
      article.replaceChildren(head);
      if (changed) article.append(this.#row(chain, of.own, "alone", false));
      article.append(this.#row(chain, of.now, changed ? "together" : "both", true));
      if (!changed) return;
      const reasons = this.reasons(chain);
      reasons.id = "w" + chain;
      const why = element("details", { class: "why" }, element("summary", {}, "Why"), reasons);
      // Probabilities take longer than the other reasons, so they are computed when the reader
      // opens the list.
      why.addEventListener("toggle", () => this.#addSureness(reasons, chain), { once: true });
      article.append(why);
    }
    /** Adds to the reasons for a record how probable its changed labels are. */
    #addSureness(reasons, chain) {
      const { now, names, words, offsets } = this.of;
      for (const { first, last, least, exact } of this.of.sureness(chain)) {
        const place = { "data-position": first - offsets[chain], "data-last": last - offsets[chain] };
        const sure = `${exact ? "" : "\u2248\u00A0"}${(100 * least).toFixed(0)}\u00A0%`;
        reasons.lastElementChild.before(
          element("li", place, element("b", {}, "How sure"),
            `: ${words[first]}${last > first ? " \u2026" : ""}, `, element("q", {}, names[now[first]]),
            " ", element("span", { class: "amount" }, sure)),
        );
      }
    }
    /** Refreshes the records of the chains `touched` in the list at the top, alone and together. */
    example(touched) {
      for (const [side, column] of document.querySelectorAll(".example ol").entries())
        for (const item of column.children) {
          if (!touched.has(Number(item.dataset.record))) continue;
          const labels = side === 0 ? this.of.own : this.of.now;
          const wordOf = side === 0 ? (t) => this.#plain(t) : this.#marked(labels);
          item.textContent = "";
          this.#words(item, Number(item.dataset.record), labels, wordOf);
        }
    }
    #plain(t) {
      const { own, words } = this.of;
      return this.of.isWrong(own, t) ? element("i", { class: "e" }, words[t]) : words[t];
    }

    // ---- Pages --------------------------------------------------------------------------------

    #page(place, { changed, known, ownErrors, errors }) {
      const records = this.of.pages[this.places.get(place)].length;
      const gain = ownErrors - errors;
      let told = `${counted(records, "record", "records")}, `;
      told += `${counted(changed, "token", "tokens")} changed`;
      if (known > 0) told += `, ${ownErrors} \u2192 ${errors} errors`;
      say(place.querySelector("summary .small"), told);
      set(place, { "data-changed": changed, "data-gain": gain });
      const badge = place.querySelector(".badge");
      if (!badge) return;
      set(badge, { class: `badge ${gain > 0 ? "better" : gain < 0 ? "worse" : "equal"}` });
      say(badge, gain === 0 ? "equal" : number(-gain, 0, true));
    }
    /**
     * Returns strings and elements that say how many members have each of a clique's 4 commonest
     * values, without cliques and now.
     */
    shares(clique) {
      const count = (values) => {
        const sums = new Map();
        for (const value of values) sums.set(value, (sums.get(value) ?? 0) + 1);
        return (value) => sums.get(value) ?? 0;
      };
      const values = [this.of.ownValues[clique], this.of.values(clique)];
      const [own, now] = values.map(count);
      return [...new Set([...values[0], ...values[1]])]
        .sort((a, b) => now(b) - now(a) || own(b) - own(a) || a - b)
        .slice(0, 4)
        .flatMap((value, rank) => [
          rank > 0 ? ", " : "",
          this.#value(clique, value),
          `\u00A0${own(value)}` + (own(value) === now(value) ? "" : `\u00A0\u2192\u00A0${now(value)}`),
        ]);
    }

    // ---- Figures and charts -------------------------------------------------------------------

    /** Refreshes the pages' heads and all figures and charts of counts. Returns the counts. */
    counts() {
      const told = this.of.count();
      const { pages, all } = told;
      for (const [place, page] of this.places) this.#page(place, pages[page]);
      const put = (name, text) => {
        for (const place of this.figures.get(name) ?? []) say(place, text);
      };
      const reduction = 1 - all.errors / all.ownErrors;
      put("reduction", `${Math.abs(100 * reduction).toFixed(0)}\u00A0% ` +
        (reduction < 0 ? "more" : "fewer"));
      for (const place of this.figures.get("reduction") ?? [])
        set(place, { class: reduction < 0 ? "loss" : "gain" });
      put("changed-first", counted(all.changed, "label", "labels"));
      if (all.known === 0) put("score", number(this.of.gain(), 1, true));
      for (const [name, count] of [
        ["errors", all.errors], ["right", all.right], ["changed", all.changed],
        ["changed-records", all.changedRecords],
      ])
        put(name, grouped.format(count));
      const known = pages.filter((page, p) => page.known > 0 && !this.of.training.has(p));
      for (const [name, sign] of [["better", 1], ["equal", 0], ["worse", -1]])
        put(name, known.filter((p) => Math.sign(p.ownErrors - p.errors) === sign).length);
      put("losses", this.#losses(told));
      this.#table(told, put);
      this.#bars(pages);
      return told;
    }
    #losses({ taken, mended }) {
      const { names } = this.of;
      const lost = [...taken.values()].reduce((sum, count) => sum + count, 0);
      const most = [...taken].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 3);
      const kinds = most.map(([key, count]) => {
        const [gold, said] = [Math.floor(key / names.length), key % names.length];
        return `${names[gold]} taken for ${names[said]} (${count})`;
      });
      return (
        `Of the words that were wrong alone, ${counted(mended, "is", "are")} right together; of ` +
        `those that were right alone, ${counted(lost, "is", "are")} wrong together` +
        (kinds.length ? `: most of them ${kinds.join(", ")}.` : ".")
      );
    }
    #table({ labels }, put) {
      const table = document.querySelector("table.labels");
      if (!table) return;
      const low = Number(table.dataset.low);
      for (const row of table.querySelectorAll("[data-row]")) {
        const [own, now] = Labelling.f1Of(labels, this.of.leftOut, Number(row.dataset.row));
        const [, , , together, gain] = row.cells;
        say(together, number(100 * now, 1));
        say(gain, number(100 * (now - own), 1, true));
        set(gain, { class: now < own ? "loss" : now > own ? "gain" : "" });
        const x = `${Math.max(0, (100 * (now - low)) / (1 - low)).toFixed(2)}%`;
        const kind = now < own ? "worse" : "together";
        set(row.querySelector(".span"), { x2: x, class: `span ${kind}` });
        set(row.querySelector("circle:last-child"), { cx: x, class: `dot ${kind}` });
        if (row.classList.contains("total")) put("f1", together.textContent);
      }
    }
    #bars(pages) {
      const chart = document.querySelector("svg.bars");
      if (!chart) return;
      const top = Number(chart.dataset.top);
      for (const slot of chart.querySelectorAll(".slot")) {
        const { known, ownErrors, errors } = pages[Number(slot.getAttribute("href").slice(2))];
        const [hit, , bar] = slot.children;
        const full = Number(hit.getAttribute("height"));
        const height = full * Math.min(1, errors / known / top);
        set(bar, {
          height: height.toFixed(1),
          y: (Number(hit.getAttribute("y")) + full - height).toFixed(1),
          class: errors > ownErrors ? "together worse" : "together",
        });
        const share = (count) => `${((100 * count) / known).toFixed(1)} %`;
        const told =
          slot.dataset.tip.split(": ").slice(0, -1).join(": ") +
          `: ${share(ownErrors)} of tokens wrong alone, ${share(errors)} together ` +
          `(${ownErrors} and ${errors} of ${known})`;
        set(slot, { "data-tip": told, "aria-label": told });
      }
    }
  }
  return Object.assign(View, { element, counted, small });
})();
