// Suggests contact details that the server has read in the CV: a button below each empty field fills in that field, one above
// the fields fills in all. Typed text is never replaced, and nothing is stored: the suggestions are gone with the page.

const offer = document.querySelector("[data-read]");
const { form } = document.querySelector("[data-read-fill]");
const status = document.querySelector("[data-read-status]");
const [fill, all] = [document.querySelector("[data-read-fill]"), offer.querySelector("[data-read-all]")];
const file = form.querySelector("input[type=file]");
let open = []; // [field, value, button]

// The button for visitors without this script, and for a file that was stored before this page was loaded.
if (file.dataset.direct && !("stored" in fill.dataset)) fill.hidden = true;
file.addEventListener("change", () => {
  fill.hidden = Boolean(file.dataset.direct);
  clear();
});

function clear() {
  for (const [, , button] of open) button.remove();
  open = [];
  offer.hidden = true;
}

function look() {
  for (const [field, , button] of open) button.hidden = field.value.trim() !== "";
  offer.hidden = open.every(([, , button]) => button.hidden);
}

function take(field, value) {
  field.value = value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  status.textContent = offer.dataset.taken;
}

function shown(field, value) {
  return field.options ? [...field.options].find((one) => one.value === value)?.text : value;
}

// Photos and scans contain no text that a program can read.
document.addEventListener("cv:found", ({ detail }) => {
  fill.hidden = !detail.readable;
});

document.addEventListener("cv:checked", ({ detail }) => {
  clear();
  fill.hidden = true;
  for (const [name, value] of Object.entries(detail.said ?? {})) {
    const field = form.elements[name];
    const text = field && shown(field, value);
    if (!text) continue;
    const button = document.createElement("button");
    const [before, after] = offer.dataset.use.split("{value}");
    const shownValue = Object.assign(document.createElement("bdi"), { textContent: text });
    Object.assign(button, { type: "button", className: "read-one" }).append(before, shownValue, after);
    button.setAttribute("aria-label", `${button.textContent} (${field.labels[0].firstChild.textContent.trim()})`);
    button.addEventListener("click", () => {
      take(field, value);
      field.focus();
    });
    field.after(button);
    open.push([field, value, button]);
  }
  look();
  if (offer.hidden) return;
  offer.querySelector("[data-read-said]").textContent = offer.dataset.found;
  status.textContent = offer.dataset.found;
});

form.addEventListener("input", look);
form.addEventListener("change", look);
form.querySelector("[data-cv-remove]")?.addEventListener("click", clear);
all.addEventListener("click", () => {
  const free = open.filter(([, , button]) => !button.hidden);
  for (const [field, value] of free) take(field, value);
  free[0]?.[0].focus();
});
