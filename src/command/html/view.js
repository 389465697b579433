"use strict";
// Draws the report from a labelling: everything when the page is opened, and again what a correction
// has changed.
const View = (() => {
  // ---- Text -----------------------------------------------------------------------------------

  class Markup {
    constructor(text) {
      this.text = text;
    }
  }
  const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  const escaped = (value) => {
    if (value instanceof Markup) return value.text;
    if (Array.isArray(value)) return value.map(escaped).join("");
    if (value === undefined || value === false) return "";
    // HTML allows no control characters, even if they are escaped; a line feed is a blank.
    return String(value).replace(/[\0-\x09\x0b-\x1f\x7f]/g, " ").replace(/[&<>"]/g, (c) => ENTITIES[c]);
  };
  /** Template tag for HTML. Escapes every value, except markup that this tag has made. */
  const html = (strings, ...values) =>
    new Markup(strings.reduce((made, string, i) => made + escaped(values[i - 1]) + string));

  const grouped = new Intl.NumberFormat("en").format;
  const counted = (number, one, many) => `${grouped(number)} ${number === 1 ? one : many}`;
  /** Formats a number, with U+2212 for minus; infinity becomes "required". */
  const number = (value, digits, sign) => {
    const text = Math.abs(value).toFixed(digits);
    if (value === Infinity) return "required";
    if (Number(text) === 0) return text;
    return (value < 0 ? "\u2212" : sign ? "+" : "") + text;
  };
  /**
   * Makes a name readable: a slug such as "a-name-2" becomes "A name 2", a key such as "name1999"
   * becomes "Name 1999", a word such as "name" becomes "Name"; other names are unchanged.
   */
  const readable = (name) => {
    if (!/^[a-z]{2,}(\d{4}|[a-z\d]*(-[a-z\d]+)+)?$/.test(name)) return name;
    const words = name.replaceAll("-", " ").replace(/^([a-z]+)(\d{4})$/, "$1 $2");
    return words[0].toUpperCase() + words.slice(1);
  };
  const TERMS = {
    f1: ["F1", "How well a label is found, from 0 to 100: the harmonic mean of the share of words " +
      "with the label that were found, and of the share of words found that have it. 100 is without " +
      "error."],
    gold: ["Gold label", "The right label of a word, as a person or the maker of the data says."],
    clique: ["Clique", "Records or words that ought to agree, as those of one page on one thing."],
    bound: ["Upper bound", "A score that no labelling at all can exceed. If the labels shown come " +
      "close to it, little or nothing better can be found with these scores and agreements."],
    sure: ["How sure", "How probable the labels of changed words are, by the scores and what the " +
      "other records show; of several words, that of the least probable. \u2248 stands before an " +
      "estimate."],
  };
  const term = (id, text) =>
    html`<a class="term" href="#term-${id}" data-tip="${TERMS[id][1]}">${text}</a>`;
  // Returns a name with HTML that lets it be broken across lines between its words.
  const breakable = (name) => html`${name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[-_.:/])/).map((part, k) =>
    html`${k > 0 && html`<wbr>`}${part}`)}`;
  const amount = (value) =>
    html`<span class="amount${value < 0 && " loss"}">${number(value, 2, true)}</span>`;

  // Orders of the pages: a description, and a function of a page's counts by which pages are sorted,
  // in ascending order.
  const ORDERS = {
    gain: ["most errors removed first", ({ ownErrors, errors }) => errors - ownErrors],
    loss: ["most errors added first", ({ ownErrors, errors }) => ownErrors - errors],
    changed: ["most changed first", ({ changed }) => -changed],
    rank: ["as in the file", () => 0],
  };

  // ---- Appearance of labels -------------------------------------------------------------------

  /**
   * Returns a tag for each label, two letters that are shown in place of its name: the first letter
   * of the name and the first later letter that makes the tag unique. If there is no such letter, the
   * tag is the number of the label. A prefix as in B-Title is not counted as part of the name.
   * The tag of leftOut is empty.
   */
  const tagsOf = (names, leftOut) => {
    const taken = new Set();
    return names.map((name, label) => {
      if (label === leftOut) return "";
      const [first, ...others] = name.replace(/^.[-_](?=.)/s, "");
      const tags = others.map((letter) => first + letter);
      const tag = tags.find((one) => /^[A-Za-z]{2}$/.test(one) && !taken.has(one)) ?? String(label);
      taken.add(tag);
      return tag;
    });
  };
  /**
   * Returns the style sheet of the labels: class l0 for label 0, and so on. No distinction depends on
   * colour alone: labels also differ in their tags, and in how they are underlined.
   */
  const palette = (names, leftOut) => {
    // By the golden angle any few consecutive labels have hues far apart; they differ in lightness too.
    return tagsOf(names, leftOut).map((tag, label) => {
      if (tag === "") return "";
      const line = ["solid", "dashed", "dotted", "double"][Math.floor(label / 5) % 4];
      return (
        `.l${label}{--h:${((250 + 137.5 * label) % 360).toFixed(0)};--line:${line};` +
        `--field:var(--${label % 2 === 0 ? "pale" : "deep"})}.l${label}::before{content:"${tag}"}\n`
      );
    });
  };

  class View {
    #drawn = new Map(); // by id: the HTML that was put into the element

    constructor(labelling) {
      const { data, leftOut } = labelling;
      this.of = labelling;
      const style = document.createElement("style");
      style.append(...palette(data.labels, leftOut));
      document.head.append(style);
      this.draw("legend", this.#legend());
      const [top] = labelling.order;
      if (top !== undefined && labelling.count().pages[top].changed > 0) this.#exampleOf(top);
      this.draw("pages", this.#pages());
      this.draw("found", this.#found());
      this.draw("glossary", html`<h2>Glossary</h2><dl class="notes">${Object.entries(TERMS).map(
        ([id, [name, text]]) => html`<div id="term-${id}"><dt>${name}</dt><dd>${text}</dd></div>`)}</dl>`);
      this.draw("foot", this.#foot());
      this.counts();
    }
    /** Puts HTML into the element `id`, unless it is there already: that would cost a layout. */
    draw(id, { text }) {
      if (this.#drawn.get(id) === text) return;
      this.#drawn.set(id, text);
      document.getElementById(id).innerHTML = text;
    }
    tokenAt(t) {
      return document.querySelector(`#r${this.of.chainAt[t]} [data-token="${t}"]`);
    }

    // ---- Records ------------------------------------------------------------------------------

    /**
     * Returns the words of a record in fields (stretches of words with the same label), each divided
     * into runs of words that are drawn alike: wrap(t, last, text) draws the run from t to `last`, and
     * goesOn(t) says whether t is in the run of t - 1.
     */
    #words(chain, labels, goesOn, wrap) {
      const { spaces, words, leftOut } = this.of;
      const runOf = (run, k) => html`${k > 0 && spaces[run[0]]}${wrap(
        run[0], run.at(-1), run.map((t) => (t > run[0] ? spaces[t] : "") + words[t]).join(""))}`;
      const fields = Labelling.stretches(this.of.positions(chain), (t) => labels[t] === labels[t - 1]);
      return fields.map((field) => {
        const [first] = field;
        const label = labels[first];
        const runs = Labelling.stretches(field, goesOn).map(runOf);
        const isPlain = label < 0 || label === leftOut;
        return html`${spaces[first]}${isPlain ? runs : html`<span class="f l${label}">${runs}</span>`}`;
      });
    }
    /** Returns the words of a record, marked if they are wrong or, unless `isPlain`, changed. */
    #marked(chain, labels, isPlain) {
      const { of } = this;
      const { own, now, gold, names } = of;
      const right = (t) => (of.isWrong(labels, t) ? gold[t] : -1); // the right label of a wrong word
      const goesOn = (t) => right(t) === right(t - 1) &&
        (isPlain || (own[t] === own[t - 1] && now[t] === now[t - 1]));
      return this.#words(chain, labels, goesOn, (t, last, text) => {
        const isWrong = of.isWrong(labels, t);
        const isChanged = !isPlain && own[t] !== now[t];
        if (!isWrong && !isChanged) return text;
        const tip = `${names[labels[t]]} \u2014 gold: ${names[gold[t]]}`;
        if (!isChanged) return html`<i class="e" data-tip="${tip}">${text}</i>`;
        return html`<mark${isWrong && html` class="e"`}${labels === now &&
          html` tabindex="0"`} data-first="${t}" data-last="${last}">${text}</mark>`;
      });
    }
    /** Returns the words of a record such that each can be chosen, by pointer or keyboard. */
    #tokens(chain) {
      const { of } = this;
      const { own, now, gold, names } = of;
      const first = of.positions(chain).find((t) => of.isWord(t));
      return this.#words(chain, now, () => false, (t, _, text) => {
        const isWrong = of.isWrong(now, t);
        const isChanged = own[t] !== now[t];
        const isCorrected = of.allowed.has(t);
        const told = [`${text}: ${names[now[t]]}`, isCorrected && "corrected",
          isChanged && `alone ${names[own[t]]}`, isWrong && `gold ${names[gold[t]]}`];
        const role = of.isWord(t) && html` role="button" tabindex="${t === first ? 0 : -1}"
aria-haspopup="dialog" aria-label="${told.filter(Boolean).join(", ")}"`;
        const name = isChanged ? html`mark` : html`span`;
        return html`<${name} class="t${isWrong && " e"}${isCorrected && " corrected"}"
data-token="${t}" data-first="${t}" data-last="${t}" data-now="${now[t]}"${gold[t] >= 0 &&
          html` data-gold="${gold[t]}"`}${role}>${text}</${name}>`;
      });
    }
    #row(side, words, isLive) {
      return html`<p class="row ${side}">${side !== "both" && html`<span class="side">${side}</span>`}<span
class="words"${isLive && html` role="group" aria-label="Words and their labels; arrow keys move"`}>${words}</span></p>`;
    }
    #record(chain) {
      const { of } = this;
      const isChanged = of.isChanged(chain);
      const isLive = of.isOpen(of.pageOf[chain]);
      const [ownErrors, errors] = [of.own, of.now].map(
        (labels) => of.positions(chain).filter((t) => of.isWrong(labels, t)).length);
      return html`<h4>${this.#recordName(chain)}${errors + ownErrors > 0 && html` <span class="small">${
        isChanged && `${ownErrors} \u2192 `}${counted(errors, "error", "errors")}</span>`}</h4>
${isChanged && this.#row("alone", this.#marked(chain, of.own), false)}
${this.#row(isChanged ? "together" : "both", isLive ? this.#tokens(chain) : this.#marked(chain, of.now),
        isLive)}
${isChanged && html`<details class="why" data-chain="${chain}"><summary>Why</summary><ul></ul></details>`}`;
    }
    #recordName(chain) {
      const { name } = this.of.records.get(chain);
      return name ? readable(name) : `Record ${this.of.placeOf[chain] + 1}`;
    }
    /** Draws a record again, if the report shows it. */
    record(chain) {
      if (document.getElementById("r" + chain)) this.draw("r" + chain, this.#record(chain));
    }
    #value(clique, value) {
      const { name, madeUp } = this.of.valueName(clique, value);
      return madeUp ? html`<em>${name}</em>` : html`<q>${name}</q>`;
    }
    /**
     * Returns the reasons for the labels of a record as items of a list: the gains of its cliques,
     * greatest first, how probable its changed labels are, if that was computed, and the change of its
     * own score. Leaves out what concerns only positions before `first` or after `last`.
     */
    reasons(chain, first = 0, last = Infinity) {
      const { of } = this;
      const reasons = of.reasons(chain)
        .map((reason) => ({ ...reason, at: reason.position < 0 ? -1 : of.offsets[chain] + reason.position }))
        .filter(({ at }) => at < 0 || (at >= first && at <= last))
        .sort((a, b) => b.amount - a.amount || a.clique - b.clique);
      const sure = of.sureness(chain, true).filter((one) => one.first <= last && one.last >= first);
      return html`${reasons.map((reason) => html`<li><b>${of.cliques[reason.clique].name}</b>: ${reason.at >= 0 &&
        `${of.words[reason.at]}, `}${this.#value(reason.clique, reason.ownValue)} \u2192 ${
        this.#value(reason.clique, reason.value)}${
        // A centre, or the only member of a clique, has no others that could agree with it.
        reason.others > 0 && `: ${reason.agreeingBefore} of ${reason.others} others were, ${reason.agreeing} of ` +
          `${reason.others} are now`}; score ${amount(reason.amount)}</li>`)}
${sure.map((one) => html`<li data-sure><b>How sure</b>: ${of.words[one.first]}${one.last > one.first &&
        " \u2026"}, <q>${of.names[of.now[one.first]]}</q> <span class="amount">${!one.exact &&
        "\u2248\u00A0"}${(100 * one.least).toFixed(0)}\u00A0%</span></li>`)}
<li><b>The record\u2019s own score</b> ${amount(of.cost(chain))}</li>`;
    }
    /** Fills a list of reasons that the reader has opened. */
    why(place) {
      const chain = Number(place.dataset.chain);
      this.of.sureness(chain);
      place.querySelector("ul").innerHTML = this.reasons(chain).text;
    }
    /** Returns what is told of the label of the words from `first` to `last`. */
    explanation(first, last) {
      const { own, now, gold, names, chainAt } = this.of;
      const wrong = gold[first] === now[first] ? " \u2713" : ` \u2014 gold: ${names[gold[first]]}`;
      const isChanged = own[first] !== now[first];
      return html`<p>${isChanged && `${names[own[first]]} \u2192 `}${names[now[first]]}${gold[first] >= 0 &&
        wrong}</p>${isChanged && html`<ul>${this.reasons(chainAt[first], first, last)}</ul>`}`;
    }
    /** Draws the example: up to five changed records of a page in two columns, alone and together. */
    #exampleOf(page) {
      const shown = this.of.shown(page).filter((chain) => this.of.isChanged(chain)).slice(0, 5);
      const sides = ["Every record alone", "All together"];
      this.draw("example", html`<h2>Before and after: ${readable(this.of.pages[page].name)}</h2>
<div class="pair example">${sides.map((head, side) => html`<div><h3>${head}</h3><ol>${shown.map((chain) =>
        html`<li class="words" id="e${side}-${chain}"></li>`)}</ol></div>`)}</div>`);
      this.example(shown);
    }
    /** Draws those of `chains` that are in the example, alone and together. */
    example(chains) {
      for (const chain of chains)
        for (const [side, labels] of [this.of.own, this.of.now].entries())
          if (document.getElementById(`e${side}-${chain}`))
            this.draw(`e${side}-${chain}`, html`${this.#marked(chain, labels, side === 0)}`);
    }

    // ---- Pages --------------------------------------------------------------------------------

    #legend() {
      const { names, leftOut, data } = this.of;
      return html`<ul class="legend" aria-label="Labels">${names.map((name, label) => html`<li><span
class="${label === leftOut ? "plain" : `f l${label}`}" data-label="${label}">${name}</span></li>`)}<li><mark>changed</mark></li>${
        data.gold.length > 0 && html`<li><span class="e">differs from ${term("gold", "gold")}</span></li>`}</ul>`;
    }
    #pages() {
      const { order: shown, hasGold, pages, training } = this.of;
      const more = pages.length - training.size - shown.length;
      return html`<h2>Page by page</h2>
<p>Point at a changed word, tap it, or move to it with the tabulator key to see what changed it.</p>
<label class="sort">Order <select>${Object.entries(ORDERS).slice(hasGold ? 0 : 2).map(
        ([order, [text]]) => html`<option value="${order}">${text}</option>`)}</select></label>
<div id="list">${shown.map((page, rank) => this.#page(page, rank < 3))}</div>
${more > 0 && html`<p class="small">${counted(more, "more page is", "more pages are")} not shown: the
report would grow too large.</p>`}`;
    }
    /** Sorts the pages by one of ORDERS. */
    sort(order) {
      const { pages } = this.of.count();
      const rank = (page) => ORDERS[order][1](pages[page]);
      const sorted = [...this.of.order].sort((a, b) => rank(a) - rank(b) || a - b);
      document.getElementById("list").append(...sorted.map((page) => document.getElementById("p" + page)));
    }
    #page(page, isOpen) {
      const { of } = this;
      const shown = of.shown(page);
      const article = (chain) => html`<article class="record" id="r${chain}">${this.#record(chain)}</article>`;
      const unchanged = shown.filter((chain) => !of.isChanged(chain));
      const left = of.pages[page].chains.length - shown.length;
      return html`<details class="page" id="p${page}"${isOpen && html` open`}><summary id="s${page}"></summary>
<div id="a${page}">${this.#agreements(page)}</div>
${shown.filter((chain) => of.isChanged(chain)).map(article)}
${unchanged.length > 0 && html`<details class="unchanged"><summary>${counted(unchanged.length, "record",
        "records")} that the run left as they were</summary>${unchanged.map(article)}</details>`}
${left > 0 && html`<p class="small">${counted(left, "more record is", "more records are")} not shown: the
report would grow too large.</p>`}</details>`;
    }
    /** Returns the first cliques of a page of which a member changed, with shares of their values. */
    #agreements(page) {
      const changed = this.of.changedCliques(page);
      if (changed.length === 0) return html``;
      return html`<ul class="agreements" aria-label="What the page agrees on">${changed.slice(0, 6).map(
        (clique) => html`<li><b>${this.of.cliques[clique].name}</b> <span class="small">${
          this.shares(clique)}</span></li>`)}${changed.length > 6 && html`<li class="small">and ${
        counted(changed.length - 6, "clique", "cliques")} more</li>`}</ul>`;
    }
    /** Returns how many members have each value of a clique, alone and now; the commonest first. */
    #counted(clique) {
      const sums = new Map();
      for (const [which, values] of Object.entries(this.of.values(clique)))
        for (const value of values) {
          if (!sums.has(value)) sums.set(value, { value, own: 0, now: 0 });
          sums.get(value)[which] += 1;
        }
      return [...sums.values()].sort((a, b) => b.now - a.now || b.own - a.own || a.value - b.value);
    }
    /** Returns how many members have each of a clique's 4 commonest values. */
    shares(clique) {
      const all = this.#counted(clique);
      return html`${all.slice(0, 4).map(({ value, own, now }, rank) => [rank > 0 && ", ", this.#value(clique, value),
        `\u00A0${own}`, own !== now && `\u00A0\u2192\u00A0${now}`])}${all.length > 4 &&
        ` and ${counted(all.length - 4, "other", "others")}`}`;
    }
    #summary(page, { changed, known, ownErrors, errors }) {
      const { name, chains } = this.of.pages[page];
      const gain = ownErrors - errors;
      const kind = gain > 0 ? "better" : gain < 0 ? "worse" : "equal";
      return html`<h3>${readable(name)}</h3><span class="small">${counted(chains.length, "record", "records")}, ${
        counted(changed, "token", "tokens")} changed${known > 0 && `, ${ownErrors} \u2192 ${errors} errors`}</span>${
        known > 0 && html`<span class="badge ${kind}">${gain === 0 ? "equal" : number(-gain, 0, true)}</span>`}`;
    }

    // ---- Figures ------------------------------------------------------------------------------

    /** Draws the pages' heads and all figures. Returns the counts. */
    counts() {
      const { of } = this;
      const told = of.count();
      const tested = told.pages.map((counts, page) => ({ ...counts, page, name: of.pages[page].name }))
        .filter(({ page }) => !of.training.has(page));
      const known = tested.filter((page) => page.known > 0);
      for (const page of of.order) this.draw("s" + page, this.#summary(page, told.pages[page]));
      this.draw("headline", this.#headline(told.all, tested, known));
      this.draw("numbers", this.#numbers(told, known));
      if (!of.hasGold) return told;
      this.draw("labels", this.#table(of.rows(told)));
      return told;
    }
    #headline(all, tested, known) {
      const { data, hasReferences } = this.of;
      const reduction = all.ownErrors > 0 ? 1 - all.errors / all.ownErrors : 0;
      const figure = reduction !== 0
        ? html`${counted(known.length, "page has", "pages have")} <em class="${reduction > 0 ? "gain" : "loss"}">${
          Math.abs(100 * reduction).toFixed(0)}\u00A0% ${reduction > 0 ? "fewer" : "more"}</em> labelling errors.`
        : html`${counted(tested.length, "page changes", "pages change")} <em>${
          counted(all.changed, "label", "labels")}</em>.`;
      return html`<p class="eyebrow">${data.title}</p><h1>Read together, ${figure}</h1>
${all.records > 0 && html`<p class="entirely">${hasReferences ? "References" : "Records"} entirely right: <b>${
        grouped(all.ownRight)}</b> to <b>${grouped(all.right)}</b> of ${grouped(all.records)}.</p>`}
<p class="lead">Alone, every record gets the labels that its own tagger scores best. Together, the records
of a page are labelled so that they also agree with each other, and the sum of all scores and agreements
is as high as it can be made.</p>`;
    }
    #numbers(told, known) {
      const { of } = this;
      const { all } = told;
      const figure = (name, value, note) =>
        html`<div><dt>${name}</dt><dd>${value}</dd><dd class="small">${note}</dd></div>`;
      const change = (own, now) => html`${own} <span>\u2192</span> <b>${now}</b>`;
      const pages = (sign) => known.filter((page) => Math.sign(page.ownErrors - page.errors) === sign).length;
      const total = of.rows(told).at(-1);
      const figures = of.hasGold
        ? [
          figure("Token errors", change(grouped(all.ownErrors), grouped(all.errors)),
            `of ${grouped(all.known)} tokens`),
          figure(html`Token ${term("f1", "F1")}`, change(number(100 * total.own, 1), number(100 * total.now, 1)),
            `micro average${of.leftOut < 0 ? "" : ` without ${of.names[of.leftOut]}`}`),
          figure("Pages better", grouped(pages(1)), `${pages(0)} equal, ${pages(-1)} worse`),
        ]
        : [
          figure("Labels changed", grouped(all.changed), `of ${grouped(all.tokens)} tokens`),
          figure("Records changed", grouped(all.changedRecords), `of ${grouped(all.chains)}`),
          figure("Joint score", number(of.gain(), 1, true), "over the records alone"),
        ];
      return html`<h2>In numbers</h2><dl class="figures">${figures}</dl>${this.#control()}${
        of.hasGold && this.#losses(told)}`;
    }
    /**
     * Returns how much of the gain a control without agreement reaches, if the learnt result says so: the
     * same model with potentials that prefer some values but reward no agreement.
     */
    #control() {
      const [alone, without, together] = this.of.data.control.map((share) => number(100 * share, 1));
      return alone !== undefined && html`<p>How much of the gain is owed to agreement? On the lists that it was
learnt from, each held out in turn, of 100 labels ${alone} were right alone, ${without} with the control, which
prefers values without looking at other records, and ${together} together.</p>`;
    }
    /**
     * Returns how many words have the right label only together, and how many only alone; of these, which
     * right labels are most often replaced by which wrong ones.
     */
    #losses({ taken, mended }) {
      const { names } = this.of;
      const lost = [...taken.values()].reduce((sum, count) => sum + count, 0);
      const most = [...taken].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 3);
      const kinds = most.map(([key, count]) =>
        `${names[Math.floor(key / names.length)]} taken for ${names[key % names.length]} (${count})`);
      return html`<p data-figure="losses">Of the words that were wrong alone, ${counted(mended, "is", "are")} right
together; of those that were right alone, ${counted(lost, "is", "are")} wrong together${kinds.length > 0 &&
        `: most of them ${kinds.join(", ")}`}.</p>${lost > 0 && html`<p>Such a record rightly differs from its list,
or most of the list is wrong: agreement pulls it to what the others show.</p>`}`;
    }
    #table(rows) {
      // A change that is printed as 0.0 is neither a loss nor a gain.
      const changeOf = (by) => (100 * by <= -0.05 ? "loss" : 100 * by >= 0.05 && "gain");
      return html`<h2>Token ${term("f1", "F1")}, label by label</h2><table class="labels"><thead><tr><th scope="col">Label</th><th scope="col"
class="wide">Tokens</th><th scope="col">Alone</th><th scope="col">Together</th><th scope="col">Gain</th></tr></thead><tbody>${rows.map(
        ({ name, tokens, own, now }, row) => html`<tr${row === rows.length - 1 && html` class="total"`}><th
scope="row">${breakable(name)}</th><td class="wide">${grouped(tokens)}</td><td>${number(100 * own, 1)}</td><td>${
          number(100 * now, 1)}</td><td class="${changeOf(now - own)}">${
          number(100 * (now - own), 1, true)}</td></tr>`)}</tbody></table>`;
    }
    #found() {
      const { data, offsets, cliques, pageOf } = this.of;
      const { run, strength, properties } = data;
      const { score, own_score: alone, upper_bound: bound, gap, rounds, proven, outcome } = run;
      const bounded = bound === null ? [] : [
        [term("bound", "Upper bound"), number(bound, 2)],
        ["Gap", `${number((100 * gap) / Math.max(1, Math.abs(score)), 3)}\u00A0%${proven ? ", proven optimal" : ""}`],
      ];
      const facts = [
        ["Score alone", number(alone, 2)], ["Score together", number(score, 2)], ...bounded,
        ["Rounds", `${rounds}, ${outcome}`],
        ["Time", `${data.seconds.toFixed(2)}\u00A0s, ${counted(data.threads, "thread", "threads")}`],
        ["Size", html`${counted(pageOf.length, "record", "records")}, ${counted(offsets.at(-1), "token",
          "tokens")}, ${grouped(cliques.length)} ${term("clique", cliques.length === 1 ? "clique" : "cliques")}`],
        ...(strength === 1 ? [] : [["Strength", number(strength, 3)]]),
        ...(properties ? [["Properties", properties]] : []),
      ];
      return html`<h2>How it was found</h2><dl class="facts">${facts.map(
        ([name, fact]) => html`<div><dt>${name}</dt><dd>${fact}</dd></div>`)}</dl>`;
    }
    #foot() {
      const { data, training } = this.of;
      // A text of several lines may be a table, so it is set in a fixed-width font.
      const lines = (text) => (text.includes("\n") ? html`<span class="table">${text}</span>` : text);
      return html`${training.size > 0 && html`<p>${counted(training.size, "page", "pages")} that the tagger was
trained on are left out of all figures but the joint score.</p>`}<dl class="notes">${data.notes.map(
        ([name, text]) => html`<div><dt>${name}</dt><dd>${lines(text)}</dd></div>`)}</dl>
<p>Made by Chorale ${data.version} from one problem file.</p>`;
    }
  }
  return Object.assign(View, { html, counted });
})();
