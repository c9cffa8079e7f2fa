// On a first visit without a language in the address: if the browser prefers another language that this page exists in, a
// line offers it, in that language. Nothing is redirected, and the offer is not repeated once it was accepted or dismissed.

const KEY = "language-chosen";
const base = (tag) => tag.toLowerCase().split("-")[0];
const offer = document.querySelector("[data-language-offer]");

const line = chosen() ? null : wanted();
if (line) offer.hidden = line.hidden = false;

document.addEventListener("click", (event) => {
  if (!event.target.closest(".languages a, .language-offer a, .language-offer button")) return;
  remember();
  offer.hidden = true;
});

function wanted() {
  for (const tag of navigator.languages) {
    if (base(tag) === base(document.documentElement.lang)) return null;
    const lines = [...offer.children].filter((one) => base(one.lang) === base(tag));
    if (lines.length) return lines.find((one) => one.lang === tag) ?? lines[0];
  }
  return null;
}

function chosen() {
  try {
    return new URLSearchParams(location.search).has("lang") || localStorage.getItem(KEY);
  } catch {
    return false; // without storage, the line is shown again
  }
}

function remember() {
  try {
    localStorage.setItem(KEY, "yes");
  } catch {
    // See above.
  }
}
