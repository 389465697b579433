"use strict";
// Corrections in the page: a dialog for labels, strengths of agreements, undo, redo, and saving.
(async () => {
  const { html, counted } = View;
  const labelling = view.of;
  const { names, words, chainAt } = labelling;
  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const small = (text) => element("span", { class: "small" }, text);
  const answers = document.getElementById("answers");
  // Tells why the page takes no corrections.
  const silent = (why, error) => {
    answers.textContent = `${why}, so the page shows the labels and does not take corrections ` +
      `(${error.message}).`;
  };
  let chorale;
  try {
    chorale = await libchorale.load();
  } catch (error) {
    silent("This browser cannot run the library that the report carries", error);
    return;
  }
  try {
    labelling.start(chorale);
  } catch (error) {
    silent("The problem that the report carries cannot be read", error);
    return;
  }

  // ---- Messages to the reader, undo and redo ----------------------------------------------------

  const button = (text, action, attributes) => {
    const made = element("button", { type: "button", ...attributes }, text);
    made.addEventListener("click", action);
    return made;
  };
  // Steps { page, before, after, what }. before, after: the changes that undo the step and that do it;
  // what: its description.
  const done = [];
  const undone = [];
  const said = element("p", { role: "status", "aria-live": "polite" });
  const undo = button("Undo", () => goBack(done, undone, "before", "Undone"));
  const redo = button("Redo", () => goBack(undone, done, "after", "Done again"));
  document.body.append(
    element("div", { id: "bar", role: "region", "aria-label": "Corrections" }, said, undo, redo,
      button("Save", () => saveProblem(), { "aria-label": "Save corrections" })),
  );

  const shown = new Map(); // by number of an opened page: functions that refresh its strengths

  const flash = (positions) => {
    for (const old of [...document.getElementsByClassName("flash")]) old.classList.remove("flash");
    for (const t of positions) view.tokenAt(t)?.classList.add("flash");
  };
  /**
   * Draws again what `changes` on a page and the labels that they changed, at `positions`, affect.
   * Returns the counts.
   */
  const redraw = (page, changes, positions) => {
    const edited = changes.filter(({ position }) => position !== undefined).map(({ position }) => position);
    const touched = new Set([...positions, ...edited].map((t) => chainAt[t]));
    for (const chain of touched) {
      view.record(chain);
      const fold = document.getElementById("r" + chain)?.closest(".unchanged");
      if (fold) fold.open = true;
    }
    for (const why of document.querySelectorAll(".why[open]")) view.why(why); // may have changed
    for (const one of labelling.reached(page)) for (const refresh of shown.get(one) ?? []) refresh();
    view.example(touched);
    flash(positions);
    return view.counts();
  };
  /**
   * Applies changes on a page, labels it again and shows the result. Returns the changes that undo
   * this; false, with nothing changed, if no labelling is possible.
   */
  const relabel = (page, changes, what) => {
    const before = labelling.present(changes);
    const focused = document.activeElement?.dataset?.token;
    let positions;
    try {
      positions = labelling.relabel(page, changes);
    } catch (error) {
      said.textContent = `Not possible: ${error.message}. Nothing was changed.`;
      return false;
    }
    const { pages } = redraw(page, changes, positions);
    if (focused !== undefined) view.tokenAt(focused)?.focus();
    const corrected = new Set(changes.map(({ position }) => chainAt[position]));
    const others = new Set(positions.map((t) => chainAt[t]).filter((chain) => !corrected.has(chain)));
    const { known, errors } = pages[page];
    said.textContent =
      `${what}: ${counted(positions.length, "label", "labels")}, ` +
      (others.size === 0 ? "no other record" : counted(others.size, "other record", "other records")) +
      " changed" +
      (known > 0 ? `; ${counted(errors, "error", "errors")} left` : "");
    return before;
  };

  const kept = "corrections of " + location.pathname;
  /** Stores the corrections, which restore() reads, and updates the buttons. */
  const keep = () => {
    undo.disabled = done.length === 0;
    redo.disabled = undone.length === 0;
    try {
      sessionStorage.setItem(kept, JSON.stringify({ mark: labelling.mark, done }));
    } catch {
      // Ignored: without storage, corrections are lost when the page is reloaded.
    }
  };
  /** Makes a step of changes on a page, if some labelling is possible under them. */
  const act = (page, changes, what) => {
    const before = relabel(page, changes, what);
    if (!before) return;
    done.push({ page, before, after: changes, what });
    undone.length = 0;
    keep();
  };
  const goBack = (from, to, which, word) => {
    const step = from.pop();
    if (step === undefined) return;
    const went = relabel(step.page, step[which], `${word}: ${step.what}`);
    (went ? to : from).push(step);
    keep();
  };
  /** Restores the corrections that were made before the page was reloaded. */
  const restore = () => {
    try {
      const { mark, done: steps } = JSON.parse(sessionStorage.getItem(kept)) ?? {};
      if (mark !== labelling.mark) return;
      for (const { page, after, what } of steps) {
        labelling.open(page);
        act(page, after, what);
      }
    } catch {
      // Ignored: nothing was stored, or the stored data cannot be used.
    }
  };
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
    event.preventDefault();
    (event.shiftKey ? redo : undo).click();
  });

  const saveProblem = () => {
    const link = element("a", {
      href: URL.createObjectURL(new Blob([labelling.toBytes()])),
      download: document.title.replace(/\W+/g, "-") + ".chorale",
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    const given = [...labelling.allowed.values()].filter((flags) => flags.filter(Boolean).length === 1).length;
    said.textContent =
      `Saved as a problem file with the ${counted(given, "label", "labels")} that you gave as ` +
      "gold; strengths and forbidden labels are not in it";
  };

  // ---- One word -------------------------------------------------------------------------------

  // A popover, since opening a modal dialog computes the style of every element of the page anew, twice.
  const dialog = element("dialog", { id: "edit", popover: "", "aria-labelledby": "edit-head" });
  document.body.append(dialog);
  const close = () => dialog.hidePopover();
  // Keeps the Tab key inside the dialog, as a modal dialog does.
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "Tab") return;
    const stops = [...dialog.querySelectorAll("button, input, a[href]")];
    const [first, last] = event.shiftKey ? [stops.at(-1), stops[0]] : [stops[0], stops.at(-1)];
    if (document.activeElement !== last) return;
    event.preventDefault();
    first.focus();
  });
  let pending; // timer that will show the probabilities of the labels
  /** Opens the dialog for the word at position t. */
  const choose = (t) => {
    const { own, now, gold, allowed } = labelling;
    const chain = chainAt[t];
    const page = labelling.pageOf[chain];
    const label = names[now[t]];
    const word = `\u201C${words[t].length > 24 ? words[t].slice(0, 23) + "\u2026" : words[t]}\u201D`;
    const field = labelling.field(t);
    const count = field.filter((s) => labelling.isWord(s)).length;
    const whole = element("input", { type: "checkbox" });
    const take = (flagsOf, what) => {
      const places = whole.checked ? field : [t];
      clearTimeout(pending);
      act(page, places.map((position) => ({ position, flags: flagsOf(position) })), what);
      close(); // after act(), so that the layout is computed only once when the focus moves
      view.tokenAt(t)?.focus();
    };
    const list = element("ul", { class: "choice", "aria-label": "Labels" });
    const shares = names.map((name, index) => {
      const share = element("span", { class: "share" });
      const made = button(name, () => take(() => names.map((_, y) => y === index), `${word} is ${name}`), {
        "aria-label": name, "aria-pressed": String(index === now[t]), class: `f l${index}`,
      });
      list.append(element("li", {}, made, share));
      return share;
    });
    const buttons = element("p", { class: "buttons" }, button(`Not ${label}`, () => {
      const flagsOf = (s) => (allowed.get(s) ?? names.map(() => true)).map((flag, y) => flag && y !== now[t]);
      take(flagsOf, `${word} is not ${label}`);
    }));
    if (allowed.has(t))
      buttons.append(button("Lift the correction", () => take(() => null, `${word} is free`)));
    buttons.append(button("Close", close));

    dialog.replaceChildren(element("h3", { id: "edit-head" }, `${word} is ${label}`));
    const notes = [];
    if (own[t] !== now[t]) notes.push(`alone ${names[own[t]]}`);
    if (gold[t] >= 0) notes.push(gold[t] === now[t] ? "as gold" : `gold ${names[gold[t]]}`);
    if (notes.length) dialog.append(element("p", { class: "small" }, notes.join("; ")));
    if (field.length > 1)
      dialog.append(element("label", {}, whole, count > 1 ? ` the whole field of ${count} words`
        : " with the punctuation of its field"));
    dialog.append(list, buttons, element("h4", {}, "Why"));
    const why = element("div");
    why.innerHTML = (own[t] !== now[t] ? html`<ul>${view.reasons(chain, t, t)}</ul>`
      : html`<p class="small">Its record alone gives this label, and agreement leaves it.</p>`).text;
    dialog.append(why);
    dialog.showPopover();
    list.querySelector("[aria-pressed=true]")?.focus();
    clearTimeout(pending);
    pending = setTimeout(() => {
      const { of, exact } = labelling.probabilities(chain);
      shares.forEach((share, index) => {
        const percent = 100 * of(t, index);
        share.textContent = percent < 0.5 ? "" : `${exact ? "" : "\u2248 "}${percent.toFixed(0)} %`;
      });
    }, 30);
  };
  const tokenOf = (event) => event.target.closest?.("[data-token][role]"); // punctuation has no role
  document.addEventListener("click", (event) => {
    const token = tokenOf(event);
    if (token) choose(Number(token.dataset.token));
  });
  document.addEventListener("keydown", (event) => {
    const token = tokenOf(event);
    if (!token) return;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(Number(token.dataset.token));
    } else if (step) {
      event.preventDefault();
      let next = token;
      do next = view.tokenAt(Number(next.dataset.token) + step);
      while (next && !next.hasAttribute("role"));
      if (next?.closest(".words") !== token.closest(".words")) return;
      token.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    }
  });

  // ---- How much agreement counts ---------------------------------------------------------------

  const times = (factor) => (factor === 0 ? "off" : `\u00D7 ${Number(factor.toPrecision(2))}`);
  /**
   * Returns `item`, a list item with a switch and a slider for the strength of some cliques, and
   * `refresh`, a function that makes both show the present strength.
   */
  const strength = (page, name, cliques) => {
    const on = element("input", { type: "checkbox", "aria-label": `${name} counts` });
    const range = element("input", {
      type: "range", min: -3, max: 3, step: 0.5, "aria-label": `Strength of ${name}`,
    });
    const told = element("span", { class: "factor", "aria-hidden": "true" });
    const shares = small("");
    const set = () => {
      const factor = on.checked ? 2 ** Number(range.value) : 0;
      act(page, cliques.map((clique) => ({ clique, factor })), `${name} ${times(factor)}`);
    };
    on.addEventListener("change", set);
    range.addEventListener("change", set);
    const refresh = () => {
      const factor = labelling.factors[cliques[0]];
      on.checked = factor > 0;
      range.disabled = factor === 0;
      if (factor > 0) range.value = Math.log2(factor);
      range.setAttribute("aria-valuetext", times(factor));
      told.textContent = times(factor);
      if (cliques.length === 1) shares.innerHTML = view.shares(cliques[0]).text;
    };
    refresh();
    const head = element("label", {}, on, " ", element("b", {}, name));
    const slider = element("span", { class: "strength" }, range, told);
    return { item: element("li", {}, head, slider, shares), refresh };
  };
  const CONTROLS = 40; // greatest number of cliques of one kind that get controls of their own
  /**
   * Writes at the top of a page the list of its cliques, by kind, with their strengths. Returns the
   * functions that refresh the items of the list.
   */
  const addStrengths = (place, page) => {
    const refreshing = [];
    const list = element("ul", { class: "agreements", "aria-label": "What the page agrees on" });
    const add = (to, name, cliques) => {
      const { item, refresh } = strength(page, name, cliques);
      refreshing.push(refresh);
      to.append(item);
      return item;
    };
    const all = labelling.cliquesOf(page);
    for (const kind of new Set(all.map((clique) => labelling.kinds[clique]))) {
      const cliques = all.filter((clique) => labelling.kinds[clique] === kind);
      const item = add(list, labelling.cliques[cliques[0]].name, cliques);
      if (cliques.length === 1) continue;
      const each = element("ul");
      cliques.slice(0, CONTROLS).forEach((clique, k) =>
        add(each, `${labelling.cliques[clique].name} ${k + 1}`, [clique]));
      item.append(element("details", {}, element("summary", {}, "One by one"), each));
    }
    view.draw("a" + page, html``);
    const told = "Values alone \u2192 together. Switch one off, or move how much it counts, and the " +
      "records are labelled again.";
    if (refreshing.length > 0)
      place.querySelector("summary").after(element("details", { class: "strengths" },
        element("summary", {}, "What these records agree on"), element("p", { class: "note" }, told), list));
    return refreshing;
  };

  // ---- A page takes corrections once it has been opened ----------------------------------------

  const show = (place) => {
    const page = Number(place.id.slice(1));
    if (!place.open || shown.has(page)) return;
    shown.set(page, []);
    let differing;
    try {
      differing = labelling.open(page);
    } catch (error) {
      place.querySelector("summary").after(
        element("p", { role: "status", class: "note" }, `This page takes no corrections: ${error.message}.`),
      );
      return;
    }
    shown.set(page, addStrengths(place, page));
    labelling.shown(page).forEach((chain) => view.record(chain));
    if (differing.length === 0) return;
    place.querySelector("summary").after(element("p", { class: "note" }, "Labelled by itself this page scores " +
      `higher than in the run of all pages: ${counted(differing.length, "label differs", "labels differ")}.`));
    redraw(page, [], differing);
  };
  answers.textContent =
    "This page answers: choose a word to give it another label, and the records of its list are " +
    "labelled again, here, without network. Most corrections mend one record; others change only where " +
    "they agree with it. Arrow keys move from word to word.";
  for (const place of document.querySelectorAll(".page")) {
    place.addEventListener("toggle", () => show(place));
    if (!place.open) continue;
    show(place);
    await new Promise((resume) => setTimeout(resume));
  }
  document.querySelector("#found h2")?.after(
    element("p", {}, "This is the run that made the report, before any correction."));
  restore();
  keep();
  document.body.dataset.answers = "yes";
})();
