// A page in a frame on another site: reports its height and links to embed.js there, which resizes the frame and keeps the
// address and the Back button correct. Without embed.js it is an ordinary page in a frame.

const host = window.parent;
const html = document.documentElement;
const refused = document.querySelector("[data-refused]");
const FRAMED = /^\/[^/]+\/embed(\/|\/jobs\/[^/]+(\/apply)?)?$/;
const own = document.querySelector("script[data-later]");
const event = { ...document.querySelector("[data-event]")?.dataset };
let isNew = true;
let led = false;
let isWhole = false;
let worn = false;

// The loader gives its frame this name. Any other frame gets a background, because it is unknown what is behind it.
html.classList.toggle("unled", window.name !== "careers-portal");

if (host !== window) {
  rememberSent();
  addEventListener("message", (event) => {
    if (event.source !== host || !event.data?.careersPortal) return;
    led = true;
    html.classList.add("held");
    wear(event.data.scheme);
  });
  document.addEventListener("click", follow);
  // A browser ignores `autofocus` in a frame of another site. Only responses to forms have it.
  document.querySelector("[autofocus]")?.focus();
  report();
}

// Jobs first: slow work that shows no jobs waits until they are painted. A frame that is out of sight is not painted, but gets
// its full height before a visitor scrolls to it.
requestAnimationFrame(() => setTimeout(complete));
setTimeout(complete, 2000);

function complete() {
  if (isWhole) return;
  isWhole = true;
  html.classList.add("whole");
  if (host !== window) {
    report(); // nothing is observed in a frame out of sight
    new ResizeObserver(report).observe(html);
  }
  for (const address of own?.dataset.later.split(" ") ?? []) import(address);
}

// Sent to any embedding page: the browser allows only the company's sites to embed this one, and messages contain no secret. A
// receipt's address is secret, so it is left out.
function tell(message) {
  host.postMessage({ careersPortal: 1, ...message }, "*");
}

function report() {
  const here = location.pathname + location.search;
  tell({
    isNew,
    at: FRAMED.test(location.pathname) ? here : "",
    height: isWhole ? Math.ceil(html.getBoundingClientRect().height) : 0,
    title: document.title,
    state: refused ? "refused" : document.querySelector(".results .empty") ? "empty" : "ready",
    reason: refused?.querySelector("[data-reason]").textContent,
    event: event.event,
    id: event.id,
    job: event.job,
  });
  isNew = false;
}

// This tab stores the addresses of its receipts, for candidates who return to the form by a reload or one step back. The
// embedding page is notified of an application once, and a form that was sent is not reported as opened again when it is shown
// again.
function rememberSent() {
  const isReceipt = event.event === "applied";
  if (!isReceipt && event.event !== "apply") return;
  const key = `sent:${event.draft}`;
  let receipt = null;
  try {
    receipt = sessionStorage.getItem(key);
    if (isReceipt) sessionStorage.setItem(key, location.pathname + location.search);
  } catch {
    // A browser may refuse storage. Then only the next history entry is known, and pages that are shown again report no event.
    if (!isReceipt) receipt = receiptAhead();
    if (performance.getEntriesByType("navigation")[0].type !== "navigate") event.event = "";
  }
  if (isReceipt && receipt?.split("?")[0] === location.pathname) event.event = "";
  if (!isReceipt && receipt) offerReceipt(receipt);
}

// The receipt one step ahead in the frame's own history, if there is one. The current entry is found by its address: after the
// embedding page has replaced it, Chromium may not list it as current.
function receiptAhead() {
  const urls = window.navigation?.entries().map(({ url }) => url) ?? [];
  const next = urls[urls.lastIndexOf(location.href) + 1];
  const path = next && new URL(next).pathname;
  return /\/embed\/applications\/[^/]+$/.test(path) ? next : null;
}

function offerReceipt(receipt) {
  const sent = document.querySelector("[data-sent]");
  event.event = "";
  sent.querySelector("a").href = receipt;
  sent.querySelector("button").addEventListener("click", () => {
    html.classList.remove("sent");
    sent.hidden = true;
    document.querySelector("form[data-apply]").querySelector("input:not([type=hidden], [tabindex='-1']), button").focus();
  });
  html.classList.add("sent");
  sent.hidden = false;
}

// Applies the embedding page's light or dark scheme, regardless of the browser's preference.
function wear(scheme) {
  if (scheme !== "dark" && scheme !== "light") return;
  if (!worn && matchMedia(`(prefers-color-scheme: ${scheme})`).matches) return;
  worn = true;
  html.style.colorScheme = scheme;
  for (const { cssRules } of document.styleSheets) {
    for (const rule of cssRules) {
      if (rule.wears ??= rule.media?.mediaText.includes("prefers-color-scheme")) {
        rule.media.mediaText = scheme === "dark" ? "all" : "not all";
      }
    }
  }
}

// The embedding page opens links to the portal's pages, as steps of its own history. Links elsewhere open a new tab.
function follow(event) {
  const link = event.target.closest("a[href]");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const to = new URL(link.href);
  if (to.origin !== location.origin) {
    if (/^https?:$/.test(to.protocol)) Object.assign(link, { target: "_blank", rel: "noopener" });
  } else if (to.hash && to.pathname + to.search === location.pathname + location.search) {
    // The frame itself does not scroll; focus scrolls the target into view.
    event.preventDefault();
    document.getElementById(to.hash.slice(1))?.focus();
  } else if (led && !link.target && FRAMED.test(to.pathname)) {
    event.preventDefault();
    report();
    tell({ go: to.pathname + to.search });
  }
}
