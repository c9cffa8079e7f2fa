// The form works without this. With it, the form is sent in the background: without a connection the page stays as it is, and the
// form is sent automatically once the site can be reached. Repeated posts are one application, because they have the form's id.
// cv.js handles the CV field, apply-draft.js stores the entries.

const PAUSES = [2, 4, 8, 15, 30]; // seconds between tries; the last one repeats
const PROBE_TIMEOUT = 10_000; // milliseconds
const POST_TIMEOUT = 60_000;
const POST_TIMEOUT_WITH_FILE = 600_000;
const MOST_FAILED_POSTS = 3;

const form = document.querySelector("form[data-apply]");
if (form) {
  sendInBackground(form);
  form.addEventListener("input", forgive);
  keepPress(form.querySelector("button[type=submit]"));
  // A browser ignores autofocus in another site's frame, and in a page that replaces its own content.
  document.querySelector("[data-summary], [data-notice][autofocus]")?.focus();
}

// A press counts even if the button moves under the pointer, as it does when the file above it has been checked. Only moving the
// pointer away cancels the press.
function keepPress(button) {
  let down = null;
  button.addEventListener("pointerdown", (event) => {
    down = event;
    button.setPointerCapture(event.pointerId);
  });
  button.addEventListener("pointermove", ({ clientX, clientY, pointerId }) => {
    const isAway = down && Math.hypot(clientX - down.clientX, clientY - down.clientY) > 10;
    if (isAway && button.hasPointerCapture(pointerId)) button.releasePointerCapture(pointerId);
  });
}

// The field is being corrected, so its old message is removed.
function forgive({ target }) {
  const box = target.closest(".field-wrong");
  const message = box && document.getElementById(`${target.id}-error`);
  if (!message) return;
  const others = (target.getAttribute("aria-describedby") || "").split(" ").filter((id) => id && id !== message.id);
  if (others.length) target.setAttribute("aria-describedby", others.join(" "));
  else target.removeAttribute("aria-describedby");
  target.removeAttribute("aria-invalid");
  box.classList.remove("field-wrong");
  message.remove();
}

function sendInBackground(form) {
  const button = form.querySelector("button[type=submit]");
  const state = form.querySelector("[data-send-state]");
  const cancel = form.querySelector("[data-send-cancel]");
  const proof = form.dataset.proofScript ? import(form.dataset.proofScript).catch(() => null) : null;
  let [attempt, isSending, isWaiting] = [0, false, false];
  let hasPosted = false; // a post whose response was lost may have arrived
  let [tries, failedPosts] = [0, 0];
  let [timer, submitter] = [0, null];

  const say = (text) => {
    if (state.textContent !== text) state.textContent = text;
  };
  const again = () => form.requestSubmit(submitter);
  const warn = (event) => event.preventDefault();
  const stopTimer = () => {
    clearTimeout(timer);
    removeEventListener("online", again);
  };
  const rest = (text, waits = false) => {
    [isSending, isWaiting] = [false, waits];
    button.removeAttribute("aria-disabled");
    cancel.hidden = !waits;
    removeEventListener("beforeunload", warn);
    say(text);
  };
  const wait = () => {
    rest(hasPosted ? form.dataset.interrupted : form.dataset.offline, true);
    timer = setTimeout(again, PAUSES[Math.min(tries++, PAUSES.length - 1)] * 1000);
    addEventListener("online", again);
    addEventListener("beforeunload", warn);
  };
  const showSending = () => {
    rest(button.dataset.busy);
    isSending = true;
    button.setAttribute("aria-disabled", "true");
  };

  const send = async () => {
    const mine = ++attempt;
    const isThere = await isReachable();
    if (mine !== attempt) return; // cancelled meanwhile
    if (!isThere) {
      failedPosts = 0;
      return wait();
    }
    showSending();
    await (await proof)?.prove(form).catch(() => {}); // without a proof it is confirmed by email
    hasPosted = true;
    try {
      const { receipt, page } = await post(form);
      if (page) return show(page);
      rememberAddress(receipt, form.elements.email.value);
      return location.assign(receipt);
    } catch {
      // The site can be reached, but posts fail: the browser's own submission may succeed, or shows why not.
      return ++failedPosts < MOST_FAILED_POSTS ? wait() : form.submit();
    }
  };

  form.addEventListener("submit", (event) => {
    if (isSending) return event.preventDefault();
    stopTimer();
    if (isWaiting) isSending = true;
    else showSending();
    if (event.submitter?.name) return; // "Fill in from my CV" is answered by a page
    event.preventDefault();
    submitter = event.submitter;
    send();
  });
  cancel.addEventListener("click", () => {
    attempt++;
    stopTimer();
    rest("");
    button.focus();
  });
  // The page was restored from the browser's cache: show it as a form again.
  addEventListener("pageshow", ({ persisted }) => persisted && rest(""));
}

// This script comes from the same site, and requesting it costs the site next to nothing.
function isReachable() {
  const how = { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(PROBE_TIMEOUT) };
  return fetch(import.meta.url, how).then(
    ({ ok }) => ok,
    () => false,
  );
}

// Returns the address of the receipt, or the page that says what is wrong.
async function post(form) {
  const body = new FormData(form);
  const hasFile = [...body.values()].some(({ size }) => size);
  const signal = AbortSignal.timeout(hasFile ? POST_TIMEOUT_WITH_FILE : POST_TIMEOUT);
  const answer = await fetch(location.href, { method: "POST", body, signal });
  if (answer.redirected) return { receipt: answer.url };
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  // A proxy's error page, while the portal restarts, has no form.
  if (answer.status >= 500 && !page.querySelector("form[data-apply]")) throw new Error(answer.status);
  return { page };
}

// Replaces this page. A module runs once for each address, so each script gets a new address.
function show(page) {
  const times = Number(new URL(import.meta.url).searchParams.get("again")) + 1;
  for (const script of page.querySelectorAll("script[src]")) {
    const address = new URL(script.src);
    address.searchParams.set("again", times);
    script.src = address;
  }
  document.open();
  document.write(`<!DOCTYPE html>${page.documentElement.outerHTML}`);
  document.close();
}

// For the receipt in this tab; neither its address nor the server's page says who sent it.
function rememberAddress(receipt, address) {
  try {
    sessionStorage.setItem(`sent-to:${new URL(receipt).pathname.split("/").pop()}`, address.trim());
  } catch {
    // Inside another site's frame a browser may refuse storage.
  }
}
