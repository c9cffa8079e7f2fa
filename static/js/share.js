// Shares the address of a job through the device's own dialog; if there is none, copies it; if that fails, shows it.

const button = document.querySelector("[data-share]");
const status = document.getElementById("shared");

async function share() {
  const url = button.dataset.share;
  try {
    if (navigator.share) return await navigator.share({ title: document.title, url });
  } catch (error) {
    if (error.name === "AbortError") return; // the visitor cancelled
  }
  try {
    await navigator.clipboard.writeText(url);
    status.textContent = button.dataset.copied;
  } catch {
    status.textContent = `${button.dataset.refused} ${url}`;
  }
}

button?.addEventListener("click", share);
