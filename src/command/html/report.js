"use strict";
// Draws the report, explains words when the reader points at them, and sorts pages.
const view = new View(new Labelling(JSON.parse(document.getElementById("data").textContent)));
(() => {
  const tip = document.getElementById("tip");
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
    const { first, last, tip: text } = target.dataset;
    const told = text === undefined ? view.explanation(Number(first), Number(last)) : View.html`<p>${text}</p>`;
    tip.innerHTML = told.text;
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

  const target_of = (event) => event.target.closest && event.target.closest("[data-first], [data-tip]");
  for (const event of ["close", "toggle"]) // do not bubble, so they are captured
    document.addEventListener(event, () => hide(), true);
  document.addEventListener("toggle", ({ target }) => {
    if (target.matches(".why") && target.open) view.why(target);
  }, true);
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

  document.querySelector(".sort select").addEventListener("change", (event) => view.sort(event.target.value));
})();
