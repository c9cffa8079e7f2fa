// Shows how many days ago a job was posted. Computed in the browser, because a cached page may be days old. The date itself
// stays in the element's `datetime` attribute.

let words;
const UNITS = [["year", 365], ["month", 30], ["week", 7], ["day", 1]];

function tell() {
  words ??= new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto" });
  const now = new Date();
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  for (const time of document.querySelectorAll("time[data-ago]")) {
    const days = Math.max(0, Math.round((today - Date.parse(time.dateTime)) / 86400000));
    const [unit, length] = UNITS.find(([, length]) => days >= length) ?? UNITS.at(-1);
    const text = words.format(-Math.floor(days / length), unit);
    if (time.textContent === text) continue;
    time.title ||= time.textContent;
    time.textContent = text;
  }
}

function watch() {
  tell();
  document.addEventListener("visibilitychange", tell); // a tab may stay open for days
  new MutationObserver(tell).observe(document.getElementById("main"), { childList: true, subtree: true });
}

// After the first frame: loading the words of a language takes a browser longer than painting the page.
requestAnimationFrame(() => setTimeout(watch));
