// What was entered in the application form, kept in this tab until it is sent: text, consent, and the signed names of the form
// and of the file that was stored for it. In sessionStorage, which is deleted with the tab: on a shared computer the next person
// finds nothing, and another tab starts empty.
//
// A file belongs to one form. A page that reuses an earlier file becomes that earlier form: the server renews its token and
// describes the file, or answers that it is no longer stored. So a form that was sent and returned is still one application.

const PAUSES = [2, 4, 8, 15, 30]; // seconds between tries; the last one repeats
const RECHECK = 600_000; // milliseconds after which a page that is shown again asks whether its file is still there

const form = document.querySelector("form[data-apply]");
const store = storage();
if (form && store) keepDraft();

function keepDraft() {
  const [draft, file] = [`draft:${form.dataset.draft}`, `upload:${form.dataset.draft}`];
  const note = document.querySelector("[data-draft-note]");
  const gone = document.querySelector("[data-cv-gone]");
  const typed = "select, input:not([type=hidden], [type=file], [type=submit], [aria-hidden] *)";
  const fields = [...form.elements].filter((e) => e.matches(typed));
  const { token } = form.elements;
  const issued = token.value; // of this page's own form
  token.autocomplete = "off"; // a browser would restore another value than the draft's
  let checkedAt = 0;

  const upload = () => form.querySelector("input[type=hidden][name=upload]");
  const save = () => {
    write(draft, Object.fromEntries(fields.filter(valueOf).map((field) => [field.name, valueOf(field)])));
    write(file, upload() ? { token: token.value, upload: upload().value } : {});
  };
  const restore = () => {
    const entered = read(draft);
    for (const field of fields) if (typeof entered[field.name] === "string") enter(field, entered[field.name]);
  };
  const removeFile = () => {
    upload()?.remove();
    form.querySelector("[data-cv-remove]").click();
    token.value = issued;
  };
  const loseFile = () => {
    removeFile();
    gone.hidden = false;
    gone.focus();
  };

  // Asks whether the file is still stored, until there is an answer.
  const check = async (times = 0) => {
    const asked = upload().value;
    const answer = await ask(form.dataset.kept, { token: token.value, upload: asked });
    if (upload()?.value !== asked) return; // another one was chosen meanwhile
    if (answer.status === 200) {
      checkedAt = Date.now();
      const found = await answer.json();
      token.value = found.token;
      document.dispatchEvent(new CustomEvent("cv:found", { detail: found }));
      note.hidden = false;
    } else if (answer.status === 410) loseFile();
    else if ([0, 429].includes(answer.status) || answer.status >= 500) {
      await lineOrPause(PAUSES[Math.min(times, PAUSES.length - 1)]);
      if (upload()) check(times + 1);
    }
  };
  const takeUp = (stored) => {
    token.value = stored.token;
    form.prepend(Object.assign(document.createElement("input"), { type: "hidden", name: "upload", value: stored.upload, autocomplete: "off" }));
    check();
  };

  // Entries that the server returned or the browser restored are newer than any draft.
  if ("answered" in form.dataset) save();
  else {
    if (!fields.some(valueOf)) restore();
    note.hidden = !fields.some(valueOf);
    const stored = read(file);
    if (stored.upload && stored.token) takeUp(stored);
  }
  form.addEventListener("input", save);
  form.addEventListener("submit", save);
  document.addEventListener("cv:changed", () => {
    if (upload()) [gone.hidden, checkedAt] = [true, Date.now()];
    save();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && upload() && Date.now() - checkedAt > RECHECK) check();
  });
  note.querySelector("[data-draft-clear]").addEventListener("click", () => {
    for (const field of fields) enter(field, "");
    removeFile();
    save();
    note.hidden = true;
    fields[0].focus();
  });
}

function valueOf(field) {
  return field.type === "checkbox" && !field.checked ? "" : field.value;
}

function enter(field, value) {
  if (field.type === "checkbox") field.checked = value !== "";
  else field.value = value;
}

function ask(address, fields) {
  const how = { method: "POST", body: new URLSearchParams(fields), signal: AbortSignal.timeout(30_000) };
  return fetch(address, how).catch(() => ({ status: 0 }));
}

function lineOrPause(seconds) {
  return new Promise((done) => {
    addEventListener("online", done, { once: true });
    setTimeout(done, seconds * 1000);
  });
}

function write(key, members) {
  if (Object.keys(members).length) store.setItem(key, JSON.stringify(members));
  else store.removeItem(key);
}

function read(key) {
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
