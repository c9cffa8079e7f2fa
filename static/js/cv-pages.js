// The photographed pages of a CV, in a strip where they are rotated, put in order and removed. Loaded only when somebody
// chooses photos. A page is moved by its two arrow buttons, or dragged: by its number, and with a mouse anywhere.

const MOST = 20; // pages
const START = 6; // pixels that a pointer moves before it drags
const EDGE = 80; // pixels at the top and bottom of the window where dragging scrolls the page
const STEP = 12; // pixels that it scrolls at a time

// photos: cv-photos.js. put(sentence, values). announce(text): to screen readers. changed(count): called with the number of pages
// after one was removed, moved or rotated.
export function pageStrip(box, { photos, put, announce, changed }) {
  const words = box.dataset;
  const [list, hint] = [box.querySelector("ol"), box.querySelector("[data-pages-hint]")];
  const template = box.querySelector("template");
  const pageOf = new Map(); // of each element of the list
  let opening = Promise.resolve();
  let isCleared = false;

  const elements = () => [...list.children];
  const numberOf = (element) => elements().indexOf(element) + 1;

  function renumber() {
    const all = elements();
    list.hidden = !all.length;
    hint.hidden = all.length < 2;
    for (const [at, element] of all.entries()) {
      const number = at + 1;
      element.querySelector("[data-page-number]").textContent = number;
      for (const one of element.querySelectorAll("[data-label]")) one.setAttribute("aria-label", put(one.dataset.label, { number }));
      element.querySelector("[data-page-earlier]").setAttribute("aria-disabled", number === 1);
      element.querySelector("[data-page-later]").setAttribute("aria-disabled", number === all.length);
    }
  }

  function insert(page) {
    const element = template.content.firstElementChild.cloneNode(true);
    const on = (name, act) => element.querySelector(`[data-page-${name}]`).addEventListener("click", act);
    pageOf.set(element, page);
    drawTurned(element.querySelector("canvas"), page);
    on("earlier", ({ currentTarget }) => move(element, -1, currentTarget));
    on("later", ({ currentTarget }) => move(element, 1, currentTarget));
    on("rotate", () => rotate(element));
    on("remove", () => remove(element));
    element.addEventListener("pointerdown", (event) => {
      if (mayDrag(event)) drag(list, element, event, (from) => moved(element, from));
    });
    list.append(element);
    renumber();
    announce(put(words.added, { number: numberOf(element) }));
  }

  function moved(element, from) {
    renumber();
    announce(put(words.moved, { from, to: numberOf(element) }));
    changed(pageOf.size);
  }

  function move(element, by, button) {
    const from = numberOf(element);
    const neighbour = elements()[from - 1 + by];
    if (!neighbour) return;
    if (by < 0) neighbour.before(element);
    else neighbour.after(element);
    button.focus(); // because moving the element removed the focus
    moved(element, from);
  }

  function rotate(element) {
    const page = pageOf.get(element);
    page.turns = (page.turns + 1) % 4;
    drawTurned(element.querySelector("canvas"), page);
    announce(put(words.rotated, { number: numberOf(element) }));
    changed(pageOf.size);
  }

  function remove(element) {
    const number = numberOf(element);
    const next = element.nextElementSibling ?? element.previousElementSibling;
    element.remove();
    pageOf.delete(element);
    renumber();
    next?.querySelector("[data-page-remove]").focus();
    announce(put(words.removed, { number, count: pageOf.size }));
    changed(pageOf.size);
  }

  // One photo at a time. Returns the message about photos that did not become pages.
  async function openAll(files) {
    const failed = [];
    for (const file of files) {
      if (isCleared) return "";
      if (pageOf.size === MOST) return put(words.tooMany, { most: MOST });
      const page = await photos.open(file).catch(() => null);
      if (page && !isCleared) insert(page);
      else failed.push(file.name);
    }
    if (failed.length < 2) return failed.length ? put(words.unreadable, { name: failed[0] }) : "";
    return put(words.severalUnreadable, { names: new Intl.ListFormat(document.documentElement.lang).format(failed) });
  }

  return {
    add(files) {
      opening = opening.then(() => openAll(files));
      return opening;
    },
    // The pages in order, as soon as every chosen photo is open.
    async pages() {
      await opening;
      return elements().map((element) => pageOf.get(element));
    },
    get count() {
      return pageOf.size;
    },
    clear() {
      isCleared = true;
      list.replaceChildren();
      pageOf.clear();
      renumber();
    },
  };
}

function drawTurned(canvas, { preview, turns }) {
  const isSideways = turns % 2;
  canvas.width = isSideways ? preview.height : preview.width;
  canvas.height = isSideways ? preview.width : preview.height;
  const paper = canvas.getContext("2d");
  paper.translate(canvas.width / 2, canvas.height / 2);
  paper.rotate((turns * Math.PI) / 2);
  paper.drawImage(preview, -preview.width / 2, -preview.height / 2);
}

// A finger scrolls the page, except on the number.
function mayDrag({ target, button, isPrimary, pointerType }) {
  if (button || !isPrimary || target.closest("button")) return false;
  return pointerType === "mouse" || target.closest("[data-page-grip]");
}

// The element stays in the document while it is dragged, or it would lose its pointer: the others move around it.
function drag(list, element, { pointerId, clientX, clientY }, done) {
  const before = [...list.children];
  const grabbed = element.getBoundingClientRect();
  const stop = new AbortController();
  const on = (target, kind, act) => target.addEventListener(kind, act, { signal: stop.signal });
  let isDragging = false;

  function follow({ clientX: x, clientY: y }) {
    isDragging ||= Math.hypot(x - clientX, y - clientY) >= START;
    if (!isDragging) return;
    element.classList.add("is-dragged");
    if (y < EDGE) scrollBy(0, -STEP);
    if (y > innerHeight - EDGE) scrollBy(0, STEP);
    const over = [...list.children].find((one) => one !== element && contains(one.getBoundingClientRect(), x, y));
    if (over) pass(element, over);
    element.style.translate = "";
    const { left, top } = element.getBoundingClientRect();
    element.style.translate = `${x - clientX + grabbed.left - left}px ${y - clientY + grabbed.top - top}px`;
  }

  function end(isKept) {
    stop.abort();
    element.style.translate = "";
    element.classList.remove("is-dragged");
    if (!isKept) list.append(...before);
    else if (before.indexOf(element) !== [...list.children].indexOf(element)) done(before.indexOf(element) + 1);
  }

  element.setPointerCapture(pointerId);
  on(element, "pointermove", follow);
  on(element, "pointerup", () => end(true));
  on(element, "pointercancel", () => end(false));
  on(document, "keydown", ({ key }) => key === "Escape" && end(false));
}

function contains({ left, right, top, bottom }, x, y) {
  return x >= left && x <= right && y >= top && y <= bottom;
}

// Everything between the element and the one that it is dragged over moves to the element's other side.
function pass(element, over) {
  const all = [...over.parentElement.children];
  const [from, to] = [all.indexOf(element), all.indexOf(over)];
  if (to < from) element.after(...all.slice(to, from));
  else element.before(...all.slice(from + 1, to + 1));
}
