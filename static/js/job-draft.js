// Saves a job's draft a moment after a change, and shows the description. Without this script, or if it fails, the
// buttons save.

const PAUSE = 1_500; // milliseconds
const form = document.querySelector("form[data-draft]");
const status = form.querySelector("[data-status]");
const described = form.querySelector("[data-described]");
let timer;
let running = Promise.resolve();
let isRefused = false; // the job was changed elsewhere: only a person can decide

const save = async () => {
  const typed = new FormData(form);
  try {
    const answer = await fetch(form.action, { method: "POST", body: typed, headers: { Accept: "application/json" }, redirect: "error" });
    const found = await answer.json();
    status.textContent = found.said;
    described.innerHTML = found.described; // as the server cleans it for the job's page
    if (answer.ok) {
      form.elements.version.value = found.version;
      if (location.href !== form.action) history.replaceState(null, "", form.action);
    }
    isRefused = answer.status === 409;
  } catch {
    status.textContent = form.dataset.failed;
    later();
  }
};

const later = () => {
  clearTimeout(timer);
  if (!isRefused) timer = setTimeout(() => { running = running.then(save); }, PAUSE);
};

form.addEventListener("input", later);
form.addEventListener("change", later);
// A save that is under way changes the version that the form has to send.
form.addEventListener("submit", async (event) => {
  clearTimeout(timer);
  event.preventDefault();
  await running;
  const { submitter } = event;
  if (submitter?.name) form.append(Object.assign(document.createElement("input"), { type: "hidden", name: submitter.name, value: submitter.value }));
  form.submit();
});
