"use strict";
// Corrections in the page: a dialog of labels, strengths of agreements, undo, redo, and saving.
(async () => {
  const { element, counted } = Part;
  const answers = document.getElementById("answers");
  const main = document.querySelector("main");
  const options = {
    rounds: Number(main.dataset.rounds),
    beam: Number(main.dataset.beam),
    leftOut: Number(main.dataset.leftOut),
  };
  let chorale;
  try {
    chorale = await libchorale.load();
  } catch (error) {
    answers.textContent =
      "This browser cannot run the library that the report carries, so the page shows the labels " +
      `and does not take corrections (${error.message}).`;
    return;
  }
  answers.textContent =
    "This page answers: choose a word to give it another label, and the records of its list are " +
    "labelled again, here, without network. Arrow keys move from word to word.";

  // ---- What is said, undo and redo --------------------------------------------------------------

  const parts = new Map(); // by element of the page
  const done = [];
  const undone = [];
  const button = (text, action, attributes) => {
    const made = element("button", { type: "button", ...attributes }, text);
    made.addEventListener("click", action);
    return made;
  };
  const said = element("p", { role: "status", "aria-live": "polite" });
  const undo = button("Undo", () => goBack(done, undone, "before", "Undone"), { disabled: "" });
  const redo = button("Redo", () => goBack(undone, done, "after", "Done again"), { disabled: "" });
  const bar = element("div", { id: "bar", role: "region", "aria-label": "Corrections" }, said);
  bar.append(undo, redo);
  document.body.append(bar);

  const figures = document.querySelector(".figures");
  const showFigures = () => {
    if (!figures?.dataset.errors) return;
    const sums = {};
    for (const name of ["errors", "right", "said", "both"]) {
      sums[name] = Number(figures.dataset[name]);
      for (const [page, part] of parts) sums[name] += part.tally()[name] - page.dataset[name];
    }
    const f1 = (200 * sums.both) / (Number(figures.dataset.gold) + sums.said);
    const put = (name, text) => {
      const place = figures.querySelector(`[data-figure=${name}]`);
      if (place) place.textContent = text;
    };
    put("errors", sums.errors.toLocaleString("en"));
    put("right", sums.right.toLocaleString("en"));
    put("f1", f1.toFixed(1));
    const first = document.querySelector("[data-figure=right-first]");
    if (first) first.textContent = sums.right.toLocaleString("en");
  };

  const flash = (part, positions) => {
    for (const old of document.querySelectorAll(".flash")) old.classList.remove("flash");
    for (const t of positions)
      part.page.querySelector(`[data-token="${t}"]`)?.classList.add("flash");
  };
  const redraw = (part, chains, positions) => {
    part.show(chains);
    for (const chain of new Set(positions.map((t) => part.chainOf(t)))) {
      const fold = document.getElementById("r" + part.chains[chain])?.closest(".unchanged");
      if (fold) fold.open = true;
    }
    showStrengths(part);
    showFigures();
    flash(part, positions);
  };

  /** Takes changes and labels the page again; false if that cannot be. */
  const relabel = (part, changes, what) => {
    const before = part.present(changes);
    const focused = document.activeElement?.dataset?.token;
    const begin = performance.now();
    let positions;
    try {
      part.take(changes);
      positions = part.solve();
    } catch (error) {
      part.take(before);
      part.solve();
      said.textContent = `Not possible: ${error.message}. Nothing was changed.`;
      return false;
    }
    const time = performance.now() - begin;
    const given = changes.filter(({ position }) => position !== undefined);
    const touched = new Set([
      ...positions.map((t) => part.chainOf(t)),
      ...given.map(({ position }) => part.chainOf(position)),
    ]);
    // Payments change where a fellow of a clique has changed.
    const near = new Set(touched);
    for (const [clique, members] of part.members.entries())
      if (changes.some((change) => change.clique === clique) || members.some((c) => touched.has(c)))
        for (const chain of members)
          if (isChanged(part, chain)) near.add(chain);
    redraw(part, near, positions);
    if (focused !== undefined) part.page.querySelector(`[data-token="${focused}"]`)?.focus();
    const corrected = new Set(given.map(({ position }) => part.chainOf(position)));
    const others = new Set(
      positions.map((t) => part.chainOf(t)).filter((chain) => !corrected.has(chain)),
    );
    const { known, errors } = part.tally();
    said.textContent =
      `${what}: ${counted(positions.length, "label", "labels")} changed, ` +
      `${counted(others.size, "other record", "other records")} followed` +
      (known > 0 ? `, ${counted(errors, "error", "errors")} left on this page` : "") +
      ` (${time.toFixed(0)} ms).`;
    return before;
  };
  const isChanged = (part, chain) => {
    const { begin, end } = part.positions(chain);
    for (let t = begin; t < end; ++t) if (part.own[t] !== part.now[t]) return true;
    return false;
  };
  const kept = "corrections of " + location.pathname;
  const keepButtons = () => {
    undo.disabled = done.length === 0;
    redo.disabled = undone.length === 0;
    const steps = done.map(({ part, after, what }) => ({
      page: part.page.id, mark: part.mark, after, what,
    }));
    try {
      sessionStorage.setItem(kept, JSON.stringify(steps));
    } catch {
      // Without storage corrections end with the page.
    }
  };
  /** Takes the corrections again that the page had before it was loaded anew. */
  const restore = () => {
    let steps = [];
    try {
      steps = JSON.parse(sessionStorage.getItem(kept)) ?? [];
    } catch {
      return;
    }
    for (const { page, mark, after, what } of steps) {
      const place = document.getElementById(page);
      if (!place) continue;
      begin(place);
      const part = parts.get(place);
      if (part?.mark === mark) act(part, after, what);
    }
  };
  const act = (part, changes, what) => {
    const before = relabel(part, changes, what);
    if (!before) return;
    done.push({ part, before, after: changes, what });
    undone.length = 0;
    keepButtons();
  };
  const goBack = (from, to, which, word) => {
    const step = from.pop();
    if (step === undefined) return;
    if (relabel(step.part, step[which], `${word}: ${step.what}`)) to.push(step);
    else from.push(step);
    keepButtons();
  };
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
    event.preventDefault();
    (event.shiftKey ? redo : undo).click();
  });

  // ---- One word -------------------------------------------------------------------------------

  const dialog = element("dialog", { id: "edit", "aria-labelledby": "edit-head" });
  document.body.append(dialog);
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // beside it
  });
  const choose = (part, t) => {
    const { names, now } = part;
    const chain = part.chainOf(t);
    const label = names[now[t]];
    const field = part.field(t);
    const whole = element("input", { type: "checkbox" });
    const places = () => (whole.checked ? field : [t]);
    const close = (changes, what) => {
      dialog.close();
      part.page.querySelector(`[data-token="${t}"]`)?.focus();
      act(part, changes, what);
    };
    const word = `\u201C${part.words[t]}\u201D`;
    const list = element("ul", { class: "choice", "aria-label": "Labels" });
    const buttons = names.map((name, index) => {
      const share = element("span", { class: "share" });
      const made = button(
        name,
        () =>
          close(
            places().map((position) => ({ position, flags: names.map((_, y) => y === index) })),
            `${word} is ${name}`,
          ),
        { "aria-label": name, "aria-pressed": String(index === now[t]), class: `f l${index}` },
      );
      list.append(element("li", {}, made, share));
      return share;
    });
    const forbid = button(`Not ${label}`, () => {
      const changes = places().map((position) => {
        const flags = part.allowed.get(position) ?? names.map(() => true);
        return { position, flags: flags.map((flag, y) => flag && y !== now[t]) };
      });
      close(changes, `${word} is not ${label}`);
    });
    const head = element("h3", { id: "edit-head" }, `${word} is ${label}`);
    dialog.replaceChildren(head);
    const notes = [];
    if (part.own[t] !== now[t]) notes.push(`alone ${names[part.own[t]]}`);
    if (part.gold[t] >= 0)
      notes.push(part.gold[t] === now[t] ? "as gold" : `gold ${names[part.gold[t]]}`);
    if (notes.length) dialog.append(element("p", { class: "small" }, notes.join("; ")));
    if (field.length > 1)
      dialog.append(
        element("label", {}, whole, ` the whole field of ${field.length} words`),
      );
    dialog.append(list, element("p", { class: "buttons" }, forbid));
    if (places().some((position) => part.allowed.has(position)))
      dialog.lastChild.append(
        button("Lift the correction", () =>
          close(
            places().map((position) => ({ position, flags: null })),
            `${word} is free`,
          ),
        ),
      );
    dialog.lastChild.append(button("Close", () => dialog.close()));
    if (isChanged(part, chain)) {
      const reasons = part.reasons(chain);
      reasons.removeAttribute("id");
      dialog.append(element("h4", {}, "Why"), reasons);
    }
    dialog.showModal();
    list.querySelector("[aria-pressed=true]").focus();
    setTimeout(() => {
      if (!dialog.open || dialog.firstChild !== head) return;
      const { probabilities, exact } = part.run.probabilities(chain);
      const begin = (t - part.offsets[chain]) * names.length;
      buttons.forEach((share, index) => {
        const percent = 100 * probabilities[begin + index];
        share.textContent = percent < 0.5 ? "" : `${exact ? "" : "\u2248 "}${percent.toFixed(0)} %`;
      });
    }, 30);
  };
  const tokenOf = (event) => event.target.closest?.("[data-token]");
  const partOf = (node) => parts.get(node.closest(".page"));
  document.addEventListener("click", (event) => {
    const token = tokenOf(event);
    if (token) choose(partOf(token), Number(token.dataset.token));
  });
  document.addEventListener("keydown", (event) => {
    const token = tokenOf(event);
    if (!token) return;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(partOf(token), Number(token.dataset.token));
    } else if (step) {
      event.preventDefault();
      const row = [...token.closest(".words").querySelectorAll("[data-token]")];
      const next = row[row.indexOf(token) + step];
      if (!next) return;
      token.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    }
  });

  // ---- How much agreement counts ---------------------------------------------------------------

  const percent = (factor) => (factor === 0 ? "off" : `\u00D7 ${Number(factor.toPrecision(2))}`);
  const control = (part, name, cliques) => {
    const on = element("input", { type: "checkbox", "aria-label": `${name} counts` });
    const range = element("input", {
      type: "range", min: -3, max: 3, step: 0.5, "aria-label": `Strength of ${name}`,
    });
    const told = element("output", {});
    const shares = element("span", { class: "small" });
    const set = () => {
      const factor = on.checked ? 2 ** Number(range.value) : 0;
      act(part, cliques.map((clique) => ({ clique, factor })), `${name} ${percent(factor)}`);
    };
    on.addEventListener("change", set);
    range.addEventListener("change", set);
    const refresh = () => {
      const factor = part.factors[cliques[0]];
      on.checked = factor > 0;
      range.disabled = factor === 0;
      if (factor > 0) range.value = Math.log2(factor);
      range.setAttribute("aria-valuetext", percent(factor));
      told.textContent = percent(factor);
      if (cliques.length === 1) shares.textContent = part.shares(cliques[0]);
    };
    const made = element("li", {}, element("label", {}, on, " ", element("b", {}, name)));
    made.append(element("span", { class: "strength" }, range, told), shares);
    return { made, refresh };
  };
  const CONTROLS = 40; // of single cliques of one kind
  const addStrengths = (part) => {
    const controls = [];
    const list = element("ul", { class: "agreements", "aria-label": "What the page agrees on" });
    const add = (to, name, cliques) => {
      const fresh = control(part, name, cliques);
      controls.push(fresh);
      to.append(fresh.made);
      return fresh.made;
    };
    for (const kind of new Set(part.kinds)) {
      const cliques = [...part.kinds.keys()].filter((clique) => part.kinds[clique] === kind);
      const made = add(list, part.cliques[cliques[0]], cliques);
      if (cliques.length === 1) continue;
      const each = element("ul", {});
      for (const clique of cliques.slice(0, CONTROLS))
        add(each, `${part.cliques[clique]} ${clique + 1}`, [clique]);
      made.append(element("details", {}, element("summary", {}, "One by one"), each));
    }
    part.controls = controls;
    const fold = part.page.querySelector(".unchanged");
    if (fold) {
      const count = fold.querySelectorAll(".record").length;
      fold.querySelector("summary").textContent =
        `${counted(count, "record", "records")} without a change at first`;
    }
    part.page.querySelector(".agreements")?.remove();
    const save = button("Save this page with corrections", () => {
      const link = element("a", {
        href: URL.createObjectURL(new Blob([part.toBytes()])),
        download: part.page.querySelector("h3").textContent.replace(/\W+/g, "-") + ".chorale",
      });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
      said.textContent = "Saved as a problem file: labels that you gave are its gold labels.";
    });
    if (controls.length > 0) part.page.querySelector("summary").after(list);
    let buttons = part.page.querySelector(".buttons");
    if (!buttons) {
      buttons = element("p", { class: "buttons" });
      part.page.querySelector("summary").after(buttons);
    }
    buttons.append(save);
  };
  const showStrengths = (part) => {
    for (const { refresh } of part.controls) refresh();
  };

  // ---- Pages begin to answer when they are opened -----------------------------------------------

  const begin = (page) => {
    if (parts.has(page) || !document.getElementById("part" + page.id.slice(1))) return;
    try {
      const part = new Part(chorale, page, options);
      parts.set(page, part);
      addStrengths(part);
      redraw(part, part.chains.keys(), []);
      if (part.differing > 0)
        page.querySelector(".buttons").after(
          element(
            "p",
            { class: "small byitself" },
            "Labelled by itself this page scores higher than in the run of all pages: " +
              `${counted(part.differing, "label differs", "labels differ")}.`,
          ),
        );
    } catch (error) {
      parts.delete(page);
      const told = `This page takes no corrections: ${error.message}`;
      page.querySelector("summary").after(element("p", { role: "status", class: "damage" }, told));
    }
  };
  const pages = [...document.querySelectorAll(".page")];
  for (const page of pages) page.addEventListener("toggle", () => page.open && begin(page));
  for (const page of pages.filter((page) => page.open)) {
    begin(page);
    await new Promise((resume) => setTimeout(resume));
  }
  restore();
  document.body.dataset.answers = "yes";
})();
