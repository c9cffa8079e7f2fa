// Refreshes the receipt at the intervals that the server states, until it states none. Without this script the page reloads
// itself.

const page = document.querySelector("[data-receipt]");
if (page) {
  forgetDraft(page.dataset.draft);
  nameFile();
  nameAddress();
  lookAgain(page.querySelector("[data-state]").dataset.refresh, 1);
}

function forgetDraft(name) {
  try {
    for (const kind of ["draft", "upload"]) window.sessionStorage.removeItem(`${kind}:${name}`);
  } catch {
    // Inside another site's frame a browser may refuse storage; then there is no draft either.
  }
}

// The address that gets the confirmation, in the tab that sent the form: the server never shows it.
function nameAddress() {
  const shown = page.querySelector("[data-sent-to]");
  let address = "";
  try {
    address = window.sessionStorage.getItem(`sent-to:${location.pathname.split("/").pop()}`);
  } catch {
    // As above.
  }
  if (!address || !shown) return;
  shown.textContent = address;
  shown.closest("[data-sent-line]").hidden = false;
}

// The file's name, in the tab that sent the form: the server does not show it, because it is personal and this page is not.
function nameFile() {
  const shown = page.querySelector("[data-file]");
  let name = "";
  try {
    name = window.sessionStorage.getItem(`cv:${page.dataset.draft}`);
  } catch {
    // As above.
  }
  if (!name || !shown) return;
  shown.prepend(Object.assign(document.createElement("bdi"), { textContent: name, translate: false }), " · ");
}

function lookAgain(seconds, failures) {
  if (!seconds) return;
  setTimeout(async () => {
    if (document.hidden) {
      document.addEventListener("visibilitychange", () => lookAgain(1, failures), { once: true });
      return;
    }
    try {
      const answer = await fetch(location.href, { cache: "no-store" });
      if (!answer.ok) throw new Error(answer.statusText);
      lookAgain(show(await answer.text()), 1);
    } catch {
      lookAgain(Math.min(seconds * 2 ** failures, 300), failures + 1);
    }
  }, seconds * 1000);
}

function show(html) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  const [now, then] = [fresh.querySelector("[data-state]"), page.querySelector("[data-state]")];
  if (now.dataset.state !== then.dataset.state) {
    then.dataset.state = now.dataset.state;
    then.replaceChildren(...now.childNodes);
    page.querySelector("[data-facts]").replaceWith(fresh.querySelector("[data-facts]"));
    nameFile();
    document.dispatchEvent(new Event("portal:changed"));
  }
  return now.dataset.refresh;
}
