// "Did you mean mara@gmail.com?" below an address whose domain looks like a typo of a large provider or of an ending. It only
// asks: typed text is never changed automatically, and never rejected. Without this script the question is not asked.

// Large providers of the countries whose languages the pages are in: the name, then its endings. *: in any country.
const PROVIDERS = new Map(
  `gmail com|googlemail com|outlook com *|hotmail com *|live com *|msn com|yahoo com *|ymail com|icloud com|aol com *
  |proton me|protonmail com ch|mail com *|email com *|zoho com eu *|gmx de net at ch com *|web de|t-online de|online de|freenet de
  |arcor de|posteo de net|mailbox org|bluewin ch|orange fr es|wanadoo fr es|free fr|sfr fr|laposte net|libero it|virgilio it
  |tiscali it|fastwebnet it|ziggo nl|kpnmail nl|planet nl|hetnet nl|telenet be|skynet be|onet pl eu|interia pl eu com|gazeta pl
  |btinternet com|telefonica net|maktoob com`
    .split("|")
    .map((line) => line.trim().split(" "))
    .map(([name, ...endings]) => [name, endings]),
);
// None of these is a top-level domain.
const ENDINGS = {
  com: "con cmo ocm vom xom cim cpm comm coom comn conm ccom c0m",
  net: "nte ent met nett ner nwt",
  org: "ogr rog orgg",
  de: "dee dde",
  fr: "frr ffr",
  it: "itt iit",
  nl: "nll nnl",
  pl: "pll ppl",
  es: "ess ees",
};
const COUNTRY = /^(co\.|com\.)?[a-z]{2}$/;
const NO_COUNTRY = ["co", "cm", "om"]; // they are countries, but usually mistyped for "com"

// The address that was probably meant, or "".
export function suggestion(typed) {
  const [, person, domain] = /^([^@\s]+)@([a-z0-9.-]+)$/.exec(typed.trim().toLowerCase()) ?? [];
  const [, name, ending] = /^([^.]+)\.(.+)$/.exec(domain ?? "") ?? [];
  if (!name || !person) return "";
  const mended = Object.keys(ENDINGS).find((one) => ENDINGS[one].split(" ").includes(ending)) ?? ending;
  const provider = nearest(name);
  const meant = provider ? `${provider}.${endingOf(provider, mended, provider === name)}` : `${name}.${mended}`;
  return meant === domain || meant.endsWith(".") ? "" : typed.trim().replace(/@[^@]*$/, `@${meant}`);
}

function nearest(name) {
  if (PROVIDERS.has(name)) return name;
  return [...PROVIDERS.keys()].find((one) => isTypo(name, one)) ?? "";
}

// Short names are similar to too many others: only swapped letters count as a typing error.
function isTypo(name, provider) {
  const letters = (word) => [...word].sort().join();
  if (provider.length < 5 && letters(name) !== letters(provider)) return false;
  return distance(name, provider) <= (provider.length < 7 ? 1 : 2);
}

// "" where the domain may well belong to somebody else: web.com is not web.de.
function endingOf(provider, ending, isExact) {
  const endings = PROVIDERS.get(provider);
  const isCountry = COUNTRY.test(ending) && !NO_COUNTRY.includes(ending);
  if (endings.includes(ending) || (isCountry && endings.includes("*"))) return ending;
  if (isExact && endings.join() === "com") return "com";
  return (!isCountry && endings.find((one) => distance(one, ending) <= 1)) || "";
}

// The number of letters that are missing, additional, wrong or swapped.
function distance(one, other) {
  const rows = [Array.from({ length: other.length + 1 }, (_, n) => n)];
  for (let i = 1; i <= one.length; i++) {
    rows[i] = [i];
    for (let j = 1; j <= other.length; j++) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1;
      rows[i][j] = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + cost);
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwapped) rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[one.length][other.length];
}

// The element exists before its text, so that a screen reader reads the text out.
document.addEventListener("focusin", ({ target }) => {
  if (!target.matches("input[data-meant]") || placeOf(target)) return;
  const place = Object.assign(document.createElement("div"), { className: "field-meant" });
  place.setAttribute("role", "status");
  target.after(place);
});
document.addEventListener("input", ({ target }) => placeOf(target)?.replaceChildren());
document.addEventListener("change", ({ target }) => {
  const address = placeOf(target) && suggestion(target.value);
  if (!address) return;
  const button = Object.assign(document.createElement("button"), { type: "button", className: "form-plain" });
  const [before, after] = target.dataset.meant.split("{address}");
  const shown = Object.assign(document.createElement("bdi"), { textContent: address, dir: "ltr", translate: false });
  button.append(before, shown, after);
  button.addEventListener("click", () => {
    target.value = address;
    target.focus();
    target.dispatchEvent(new Event("input", { bubbles: true }));
  });
  placeOf(target).replaceChildren(button);
});

function placeOf(target) {
  const next = target.matches("input[data-meant]") ? target.nextElementSibling : null;
  return next?.matches(".field-meant") ? next : null;
}
