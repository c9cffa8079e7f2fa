// The form works without this. Here it gets kinder: nothing typed is lost when a train enters a tunnel, and a double click
// sends once. Its CV is cv.js's.
//
// The draft lives in sessionStorage: this tab's, gone when it is closed. On a shared computer the next person finds
// nothing. Text only; no file, no consent, nothing hidden.

const form = document.querySelector("form[data-apply]");
if (form) {
  sendOnce(form);
  keepDraft(form);
  form.addEventListener("input", forgive);
}

// What was wrong is being put right: its old message would only contradict it.
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

function sendOnce(form) {
  const button = form.querySelector("button[type=submit]");
  const state = form.querySelector("[data-send-state]");
  let sending = false;
  form.addEventListener("submit", (event) => {
    if (sending) {
      event.preventDefault();
      return;
    }
    sending = true;
    button.setAttribute("aria-disabled", "true");
    state.textContent = button.dataset.busy;
  });
  // Coming back to a page that the browser kept: it is a form again.
  window.addEventListener("pageshow", () => {
    sending = false;
    button.removeAttribute("aria-disabled");
    state.textContent = "";
  });
}

function keepDraft(form) {
  const key = `draft:${form.dataset.draft}`;
  const note = document.querySelector("[data-draft-note]");
  const typed = "select, input:not([type=hidden], [type=file], [type=checkbox], [type=submit], [aria-hidden] *)";
  const fields = [...form.elements].filter((e) => e.matches(typed));
  const store = storage();
  if (!store) {
    askFirst(form);
    return;
  }
  const save = () => {
    const typed = Object.fromEntries(fields.filter((f) => f.value).map((f) => [f.name, f.value]));
    if (Object.keys(typed).length) store.setItem(key, JSON.stringify(typed));
    else store.removeItem(key);
  };
  const restore = () => {
    const typed = read(store, key);
    for (const field of fields) if (typeof typed[field.name] === "string") field.value = typed[field.name];
    note.hidden = !fields.some((field) => field.value);
  };
  // What the server gave back is newer than any draft; and so is what the browser itself restored.
  if (!("answered" in form.dataset) && fields.every((field) => !field.value)) restore();
  form.addEventListener("input", save);
  form.addEventListener("submit", save);
  note.querySelector("[data-draft-clear]").addEventListener("click", () => {
    for (const field of fields) field.value = "";
    store.removeItem(key);
    note.hidden = true;
    fields[0].focus();
  });
}

// Where nothing can be kept, a form that is sent into the void is lost: it goes only once the server answers.
function askFirst(form) {
  const state = form.querySelector("[data-send-state]");
  let answered = false;
  const ask = async (event) => {
    if (answered) {
      answered = false;
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    state.textContent = form.querySelector("button[type=submit]").dataset.busy;
    try {
      await fetch(location.href, { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(10000) });
    } catch {
      state.textContent = form.dataset.away;
      return;
    }
    state.textContent = "";
    answered = true;
    form.requestSubmit(event.submitter);
  };
  form.addEventListener("submit", ask, { capture: true });
}

function read(store, key) {
  try {
    return JSON.parse(store.getItem(key)) || {};
  } catch {
    return {};
  }
}

function storage() {
  try {
    return window.sessionStorage;
  } catch {
    return null; // inside another site's frame a browser may refuse it
  }
}
