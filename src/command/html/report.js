"use strict";
(() => {
  const tip = document.getElementById("tip");
  const names = new Map();
  for (const label of document.querySelectorAll("[data-label]"))
    names.set(label.dataset.label, label.textContent);

  const element = (name, text) => {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  };

  // Returns a list of the reasons why the words of `mark` changed: a copy of the reasons of their
  // record, without the reasons for other positions.
  const reasons = (mark) => {
    const list = document.getElementById("w" + mark.dataset.chain).cloneNode(true);
    list.removeAttribute("id");
    for (const item of list.querySelectorAll("[data-position]")) {
      const { position, last = position } = item.dataset;
      if (Number(last) < Number(mark.dataset.first) || Number(position) > Number(mark.dataset.last))
        item.remove();
    }
    return list;
  };

  const fill = (target) => {
    const { own, now, gold, tip: text } = target.dataset;
    tip.replaceChildren();
    if (text !== undefined) {
      tip.append(element("p", text));
      return;
    }
    let head = own === undefined ? names.get(now) : names.get(own) + " \u2192 " + names.get(now);
    if (gold !== undefined)
      head += gold === now ? " \u2713" : " \u2014 gold: " + names.get(gold);
    tip.append(element("p", head));
    if (own !== undefined)
      tip.append(reasons(target));
  };

  let shown = null;
  const hide = () => {
    tip.hidden = true;
    if (shown) shown.removeAttribute("aria-describedby");
    shown = null;
  };
  const show = (target, x) => {
    if (target === shown) return;
    hide();
    shown = target;
    fill(target);
    tip.hidden = false;
    target.setAttribute("aria-describedby", "tip");
    const boxes = [...target.getClientRects()];
    const box = boxes[0] || target.getBoundingClientRect();
    const middle = x === undefined ? box.left + box.width / 2 : x;
    const width = document.documentElement.clientWidth;
    const left = Math.max(12, Math.min(middle - tip.offsetWidth / 2, width - tip.offsetWidth - 12));
    const above = box.top - tip.offsetHeight - 8;
    const below = boxes.length ? boxes[boxes.length - 1].bottom + 8 : box.bottom + 8;
    tip.style.left = left + scrollX + "px";
    tip.style.top = (above > 4 ? above : below) + scrollY + "px";
  };

  const told = "[data-now], [data-tip]";
  for (const event of ["close", "toggle"]) // events of dialogs and folds
    document.addEventListener(event, () => hide(), true);
  const target_of = (event) => event.target.closest && event.target.closest(told);
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse") return;
    const target = target_of(event);
    if (target) show(target, event.clientX);
    else hide();
  });
  document.addEventListener("click", (event) => {
    const target = target_of(event);
    if (target && !target.dataset.token) show(target, event.clientX);
    else hide();
  });
  document.addEventListener("focusin", (event) => {
    const target = target_of(event);
    if (target && !target.dataset.token && target.matches(":focus-visible")) show(target);
  });
  document.addEventListener("focusout", hide);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
  addEventListener("resize", hide);

  // Opens the page to which a link leads, since it may be folded.
  const open_target = () => {
    const page = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (page && "open" in page) {
      page.open = true;
      page.scrollIntoView();
    }
  };
  addEventListener("hashchange", open_target);
  open_target();

  const sort = document.querySelector(".sort");
  const list = document.getElementById("list");
  const orders = {
    changed: (page) => -page.dataset.changed,
    gain: (page) => -page.dataset.gain,
    loss: (page) => +page.dataset.gain,
    rank: (page) => +page.dataset.rank,
  };
  sort.hidden = false;
  sort.querySelector("select").addEventListener("change", (event) => {
    const order = orders[event.target.value];
    list.append(...[...list.children].sort((a, b) =>
      order(a) - order(b) || a.dataset.rank - b.dataset.rank));
  });
})();
