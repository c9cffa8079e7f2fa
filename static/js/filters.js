// Filters act at once where there is room to see it: the list is fetched and put in place, and the address follows.
// Without this script, or when anything here fails, the form is sent and the server answers with the same page.

const form = document.getElementById("search");
const wide = matchMedia("(min-width: 54rem)");
let running = null;

document.documentElement.classList.add("script");

function address() {
  const chosen = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (value && !(name === "within" && !form.elements.near.value)) chosen.append(name, value);
  }
  const query = chosen.toString();
  return form.getAttribute("action") + (query ? "?" + query : "");
}

async function show(target, remember) {
  running?.abort();
  running = new AbortController();
  const results = document.getElementById("results");
  results.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(target, { signal: running.signal, headers: { Accept: "text/html" } });
    if (!answer.ok) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const { name, value } = document.activeElement ?? {};
    for (const place of ["#results", ".filters-body"]) {
      document.querySelector(place).replaceWith(page.querySelector(place));
    }
    document.title = page.title;
    if (remember) history.pushState(null, "", target);
    if (name) document.querySelector(`[name="${name}"][value="${CSS.escape(value)}"]`)?.focus({ preventScroll: true });
    document.getElementById("said").textContent = document.getElementById("count").textContent.trim();
  } catch (error) {
    if (error.name !== "AbortError") location.assign(target);
  }
}

document.addEventListener("change", (event) => {
  if (event.target.matches(".filters input") && wide.matches) show(address(), true);
});

form.addEventListener("submit", (event) => {
  // Empty fields stay out of the address, so that it reads well when it is shared.
  event.preventDefault();
  location.assign(address());
});

addEventListener("popstate", () => location.reload());
