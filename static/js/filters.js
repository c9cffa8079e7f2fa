// Filters apply at once: the new list is fetched and replaces the old one, and the address is updated. On a phone the filters
// are a sheet over the list that shows how many jobs remain. Without this script, or after an error, the form is submitted
// and the server responds with the same page.

const form = document.getElementById("search");
const wide = matchMedia("(min-width: 54rem)");
const framed = window.parent !== window;
let running = null;
let shown = location.pathname + location.search;

document.documentElement.classList.add("script");
say();

function address() {
  const chosen = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (value && !(name === "within" && !form.elements.near.value)) chosen.append(name, value);
  }
  const query = chosen.toString();
  return form.getAttribute("action") + (query ? "?" + query : "");
}

async function show(target) {
  running?.abort();
  running = new AbortController();
  const results = document.getElementById("results");
  results.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(target, { signal: running.signal, headers: { Accept: "text/html" } });
    if (!answer.ok) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const { name, value } = document.activeElement ?? {};
    const opened = [...document.querySelectorAll(".filter-rest[open]")].map((one) => one.dataset.of);
    for (const place of ["#results", ".filters-title", ".filters-body", ".columns > .alert-invite"]) {
      const fresh = page.querySelector(place);
      const old = document.querySelector(place);
      if (!fresh !== !old) throw new Error(place);
      old?.replaceWith(fresh);
    }
    for (const one of opened) document.querySelector(`.filter-rest[data-of="${CSS.escape(one)}"]`)?.setAttribute("open", "");
    document.title = page.title;
    history.pushState(null, "", target);
    shown = location.pathname + location.search;
    say();
    if (name) document.querySelector(`[name="${name}"][value="${CSS.escape(value)}"]`)?.focus({ preventScroll: true });
    document.getElementById("said").textContent = document.getElementById("count").textContent.trim();
    return true;
  } catch (error) {
    if (error.name !== "AbortError") location.assign(target);
    return false;
  }
}

// Shows how many jobs remain, and keeps the focus out of the page behind the sheet.
function say() {
  const button = document.querySelector(".filters-apply");
  if (button) button.textContent = button.dataset.shows;
  const covers = !framed && !wide.matches && Boolean(document.querySelector(".filters-fold[open]"));
  for (const one of document.querySelectorAll("body > :not(main, script), main > :not(.columns), .columns > :not(.filters, #said)")) {
    one.inert = covers;
  }
}

function close(focused) {
  document.querySelector(".filters-fold").open = false;
  say();
  document.querySelector(focused).focus();
}

document.addEventListener("toggle", (event) => event.target.matches(".filters-fold") && say(), true);
wide.addEventListener("change", say);

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !wide.matches && document.querySelector(".filters-fold[open]")) close(".filters-title");
});

document.addEventListener("change", (event) => {
  if (event.target.matches(".filters input")) show(address());
});

document.addEventListener("click", async (event) => {
  if (event.target.closest(".filters-apply")) {
    event.preventDefault();
    close("#count");
    return;
  }
  const link = event.target.closest(".chip:not(.chip-clear), .pages a");
  if (!link || framed || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  // Removing a filter keeps the scroll position; a new page begins at its first job.
  event.preventDefault();
  if (!(await show(link.href.split("#")[0]))) return;
  const isChip = link.matches(".chip");
  if (!isChip) document.getElementById("results").scrollIntoView();
  document.getElementById("count").focus({ preventScroll: true });
});

form.addEventListener("submit", (event) => {
  // Empty fields stay out of the address, so that it reads well when it is shared.
  event.preventDefault();
  location.assign(address());
});

addEventListener("popstate", () => location.pathname + location.search !== shown && location.reload());
