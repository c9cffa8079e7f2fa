// The CV field. Without this script the file is sent with the form. With it the file is uploaded while the candidate fills in
// the form, whether it was chosen, dropped, pasted or photographed page by page. Files that cannot be accepted are reported at
// once. A form that is submitted during the upload waits for it, says so, and is then submitted automatically.
//
// The file stays in its field until it is stored, so that it can still be sent with the form if the upload fails.

const NO_CV = /^\.(svg|pages|numbers|key|xlsx?|pptx?|zip|rar|7z|exe|dmg|mp[34]|mov)$/;
const PICTURE = /^\.(heic|heif|avif|jpe?g|png|gif|webp|tiff?|bmp)$/;
const PICTURES_ACCEPTED = "image/jpeg,image/png,image/webp";
const QUIET = 8000; // milliseconds after the last change to photographed pages, until they are uploaded

const input = document.querySelector("input[data-cv]");
const { form, dataset: words } = input;
const box = input.closest(".field");
const part = (name) => box.querySelector(`[data-cv-${name}]`);
const [stored, way, call, status] = [part("stored"), part("way"), part("call"), part("status")];
const wait = form.querySelector("[data-cv-wait]");
const bar = way.querySelector("progress");
const described = input.getAttribute("aria-describedby").split(" ")[0];
const readable = input.accept.split(",");
const pagesBox = part("pages");
const usual = { remove: part("remove").textContent, here: part("here").textContent };
const sending = words.direct ? import(words.sending).catch(() => null) : null;
let current = null; // the controller of the file that is being uploaded
let isRefused = false;
let pressed = null; // the button that submitted the form during the upload
let strip = null; // the promise of the strip of photographed pages, while the CV consists of them
let continueNow = () => {}; // ends the wait for further changes to the pages

// Numbers as the server writes them, in Arabic too.
function number(value, style) {
  return new Intl.NumberFormat(`${document.documentElement.lang}-u-nu-latn`, style).format(value);
}

// A size with the server's abbreviations, because those of browsers differ.
function inWords(bytes) {
  const kilobytes = Math.max(1, Math.round(bytes / 1024));
  if (kilobytes < 1000) return put(words.kilobytes, { size: kilobytes });
  // Rounded up, so that a file that is a byte too large is not shown as large as the limit.
  return put(words.megabytes, { size: number(Math.ceil(bytes / 104857.6) / 10, {}) });
}

function put(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

function ending({ name }) {
  return name.toLowerCase().match(/\.[^.]*$/)?.[0] ?? "";
}

function isPicture(file) {
  return PICTURE.test(ending(file)) || (/^image\//.test(file.type) && ![...readable, ".svg"].includes(ending(file)));
}

// Rejects only types that cannot be a CV: the content decides what a file is, and the server checks that.
function problem(file) {
  const isWrong = !readable.includes(ending(file)) && (/^(image|audio|video)\//.test(file.type) || NO_CV.test(ending(file)));
  if (isWrong) return put(words.wrongType, file);
  return file.size > Number(words.maxBytes) ? put(words.tooLarge, { size: inWords(file.size) }) : "";
}

// Read out by screen readers; progress is read out in steps of a quarter.
function announce(text) {
  if (status.textContent !== text) status.textContent = text;
}

function show(state, text = "") {
  way.hidden = !state;
  way.dataset.state = state;
  part("said").textContent = text;
  bar.hidden = state !== "sending" && state !== "waiting";
  part("cancel").textContent = strip ? words.removePages : state === "chosen" ? usual.remove : words.cancel;
  part("choose").textContent = strip ? words.addPage : state || !stored.hidden ? words.another : words.choose;
  if (pressed) wait.firstElementChild.textContent = `${text} ${wait.dataset.then}`;
}

function showSent(share) {
  const step = Math.floor(share * 4) / 4;
  bar.value = share;
  show("sending", put(words.beingSent, { percent: percent(share) }));
  announce(put(words.beingSent, { percent: percent(step) }));
}

function percent(share) {
  return number(Math.floor(share * 100) / 100, { style: "percent" });
}

function showChosen({ name, size }) {
  const [its, facts] = way.querySelector("[data-chosen-for]").children;
  [its.textContent, facts.textContent] = [name, `(${inWords(size)})`];
  show("chosen");
}

function forgive() {
  isRefused = false;
  document.getElementById(`${input.id}-error`)?.remove();
  box.classList.remove("field-wrong");
  input.removeAttribute("aria-invalid");
  input.setAttribute("aria-describedby", described);
  document.querySelector(`[data-summary] a[href="#${input.id}"]`)?.parentElement.classList.add("is-done");
}

// Shows an error as the server does.
function complain(error) {
  const message = document.createElement("p");
  Object.assign(message, { id: `${input.id}-error`, className: "field-error", role: "alert", textContent: error });
  forgive();
  (strip ? pagesBox : stored).before(message);
  box.classList.add("field-wrong");
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", `${described} ${message.id}`);
  if (pressed) {
    wait.firstElementChild.textContent = words.notTaken;
    wait.lastElementChild.hidden = true;
    pressed = null;
  }
}

function refuse(error) {
  complain(error);
  input.value = "";
  isRefused = true;
  show("");
}

function keep({ upload, name, about }) {
  let field = form.querySelector("input[type=hidden][name=upload]");
  if (!field) {
    field = Object.assign(document.createElement("input"), { type: "hidden", name: "upload", autocomplete: "off" });
    form.prepend(field);
  }
  field.value = upload;
  part("name").textContent = name;
  part("about").textContent = `(${about})`;
  part("here").textContent = strip ? words.pagesHere : usual.here;
  part("remove").textContent = strip ? words.removePages : usual.remove;
  stored.hidden = false;
  input.value = "";
  show("");
  announce(`${name} (${about}) ${part("here").textContent}`);
  tellChange();
}

// The draft of the form in this tab also refers to its file.
function tellChange() {
  document.dispatchEvent(new Event("cv:changed"));
}

// The stored file no longer belongs to the form.
function dropStored() {
  form.querySelector("input[type=hidden][name=upload]")?.remove();
  stored.hidden = true;
  tellChange();
}

function forget(button) {
  const hadFocus = document.activeElement === button;
  cancel();
  if (strip) removePages();
  input.value = "";
  show("");
  takeBack();
  if (hadFocus) input.focus();
}

function cancel() {
  current?.abort();
  current = null;
}

async function take(chosen) {
  const files = [...chosen];
  if (!files.length) return;
  const pictures = files.filter(isPicture);
  forgive();
  if (pictures.length === files.length) await takePhotos(pictures);
  else if (strip) {
    if (stored.hidden) bringPages();
    else input.value = "";
    complain(words.pagesFirst);
  } else if (files.length > 1) {
    cancel();
    refuse(words.oneFile);
  } else await bringIn(() => files[0]);
}

async function takePhotos(photos) {
  cancel();
  current = new AbortController(); // a form that is sent waits
  const mine = (strip ??= openStrip());
  showPages(true);
  show("opening", words.pagesOpen);
  announce(words.pagesOpen);
  const pages = await mine;
  const wrong = await pages.add(photos);
  if (strip !== mine) return;
  if (pages.count) {
    if (wrong) complain(wrong);
    bringPages();
  } else {
    cancel();
    removePages();
    refuse(wrong);
  }
}

async function openStrip() {
  const [{ pageStrip }, photos] = [await load(words.pages), await load(words.photos)];
  const changed = (count) => {
    forgive();
    if (count) bringPages();
    else {
      dropStored();
      forget();
      input.focus();
    }
  };
  return pageStrip(pagesBox, { photos, put, announce, changed });
}

function showPages(are) {
  box.classList.toggle("has-pages", are);
  if (are) {
    pagesBox.after(stored, way); // below the pages, which then stay where they are while these come and go
    input.setAttribute("aria-label", words.addPage);
  } else {
    pagesBox.before(stored, way);
    input.removeAttribute("aria-label");
  }
}

function removePages() {
  strip.then((pages) => pages.clear());
  strip = null;
  showPages(false);
}

function bringPages() {
  dropStored(); // other pages than these must not be sent
  bringIn(async (signal) => {
    show("ready", words.pagesReady);
    await unchanged(signal);
    const pages = await (await strip).pages();
    signal.throwIfAborted();
    show("making", words.making);
    announce(words.making);
    const { asPdf } = await load(words.photos);
    return asPdf(pages, Number(words.maxBytes), words.pdfName).catch(() => {
      throw saying(words.pagesTooLarge);
    });
  });
}

// Waits until the candidate continues with the form, sends it, or stops changing the pages for a while.
function unchanged(signal) {
  return new Promise((done) => {
    if (pressed) done();
    continueNow = done;
    setTimeout(done, QUIET);
    document.addEventListener("focusin", ({ target }) => box.contains(target) || done(), { signal });
  });
}

// make: returns the file, which may take a while.
async function bringIn(make) {
  current?.abort();
  const mine = (current = new AbortController());
  try {
    const file = await make(mine.signal);
    if (mine !== current) return;
    const error = problem(file);
    if (error) throw saying(error);
    const held = new DataTransfer();
    held.items.add(file);
    input.files = held.files;
    showChosen(file);
    const answer = await bring(file, mine.signal);
    if (mine !== current) return;
    current = null;
    if (answer) arrive(answer);
    else goOn();
  } catch (error) {
    if (mine !== current) return;
    current = null;
    if (error.says) refuse(error.says);
    else goOn(); // the file is in its field, and is sent with the form
  }
}

function saying(says) {
  return Object.assign(new Error(says), { says });
}

// Waits and tries again while there is no connection.
async function load(script, times = 0) {
  try {
    return await import(times ? `${script}&again=${times}` : script);
  } catch {
    show("making", words.noLine);
    announce(words.noLine);
    await new Promise((done) => {
      addEventListener("online", done, { once: true });
      setTimeout(done, 5000);
    });
    return load(script, times + 1);
  }
}

// Returns the server's description of the file, or null if the file is sent with the form.
async function bring(file, signal) {
  const way = await sending;
  if (!way) return null;
  const told = {
    sent: showSent,
    looking() {
      show("looking", words.looking);
      announce(words.looking);
    },
    waiting(hasLine) {
      const text = hasLine ? words.later : words.noLine;
      show("waiting", text);
      announce(text);
    },
  };
  showSent(0);
  const { direct, checked } = words;
  return way.bring(file, { direct, checked, token: form.elements.token.value, signal, told }).catch((error) => {
    if (error instanceof way.NotThisWay) return null;
    throw error;
  });
}

function arrive(answer) {
  keep(answer);
  document.dispatchEvent(new CustomEvent("cv:checked", { detail: answer }));
  goOn();
}

// Submits the form if it was submitted during the upload.
function goOn() {
  if (input.files.length) showChosen(input.files[0]);
  else show("");
  const button = pressed;
  takeBack();
  if (button) form.requestSubmit(button);
}

function takeBack() {
  pressed = null;
  wait.hidden = true;
}

// Capturing, so that it runs before other handlers of the submission.
form.addEventListener(
  "submit",
  (event) => {
    if (!current && !(isRefused && "needed" in words && stored.hidden)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!current) {
      input.focus();
      return;
    }
    pressed = event.submitter ?? form.querySelector(".form-send button");
    const place = pressed.parentElement === form ? form.querySelector(".form-send") : pressed.parentElement;
    place.after(wait);
    wait.hidden = wait.lastElementChild.hidden = false;
    wait.firstElementChild.textContent = `${part("said").textContent} ${wait.dataset.then}`;
    announce(wait.firstElementChild.textContent);
    continueNow();
  },
  true,
);

// For the receipt in this tab; other people with its address do not see the file's name.
form.addEventListener("submit", ({ defaultPrevented }) => {
  if (defaultPrevented || !form.dataset.draft) return;
  const name = input.files[0]?.name ?? (stored.hidden ? "" : part("name").textContent);
  try {
    sessionStorage.setItem(`cv:${form.dataset.draft}`, name);
  } catch {
    // Inside another site's frame a browser may refuse storage: then the receipt shows only type and size.
  }
});

const carriesFiles = (transfer) => transfer?.types.includes("Files");
let over = 0; // elements that the pointer is in while it drags

for (const [kind, change] of [["dragenter", 1], ["dragleave", -1]]) {
  document.addEventListener(kind, (event) => {
    if (!carriesFiles(event.dataTransfer)) return;
    over += change;
    box.classList.toggle("is-over", over > 0);
  });
}
document.addEventListener("dragover", (event) => {
  if (carriesFiles(event.dataTransfer)) event.preventDefault();
});
document.addEventListener("drop", (event) => {
  if (!carriesFiles(event.dataTransfer)) return;
  event.preventDefault();
  over = 0;
  box.classList.remove("is-over");
  take(event.dataTransfer.files);
});
document.addEventListener("paste", ({ clipboardData: pasted }) => {
  // Text that is copied with a picture of itself counts as text.
  if (carriesFiles(pasted) && !pasted.types.includes("text/plain")) take(pasted.files);
});

input.addEventListener("change", () => take(input.files));
part("cancel").addEventListener("click", ({ target }) => forget(target));
part("remove").addEventListener("click", ({ target }) => {
  const hadFocus = document.activeElement === target;
  dropStored();
  if (strip) removePages();
  show(way.dataset.state ?? "", part("said").textContent);
  if (hadFocus) input.focus();
});
// The file that an earlier page of this form stored.
document.addEventListener("cv:found", ({ detail }) => {
  if (!current && !input.files.length) keep(detail);
});
wait.lastElementChild.addEventListener("click", () => {
  pressed?.focus();
  takeBack();
});

input.multiple = true;
input.accept += `,${PICTURES_ACCEPTED}`;
document.getElementById(described).textContent = words.accepted;
box.classList.add("is-scripted");
call.hidden = part("remove").hidden = false;
call.setAttribute("aria-hidden", "true"); // the field itself says it
take(input.files);
