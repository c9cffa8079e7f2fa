// Passes on where a visitor came from (utm_source and others) in links from the list to a job to its form, because cached
// pages cannot contain it. Without this script only the parameters of the form's own address count.

const NAMES = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "gh_src", "ref", "source"];
const here = new URLSearchParams(location.search);
const given = NAMES.map((name) => [name, here.get(name)]).filter(([, value]) => value && value.length <= 200);

// Before the link is followed by click, keyboard or in a new tab. Captured on the document, so that links added later count.
function handOn(event) {
  const link = event.target.closest?.("a[href]");
  if (!link || link.origin !== location.origin || link.hasAttribute("download")) return;
  const target = new URL(link.href);
  if (target.pathname === location.pathname && target.hash) return;
  for (const [name, value] of given) if (!target.searchParams.has(name)) target.searchParams.set(name, value);
  link.href = target.href;
}

if (given.length) {
  for (const kind of ["click", "auxclick", "contextmenu"]) document.addEventListener(kind, handOn, true);
  const search = document.getElementById("search");
  for (const [name, value] of search ? given : []) {
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name, value });
    search.append(field);
  }
}
