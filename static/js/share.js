// Shares the address of a job by what the device offers for it, else copies it, else shows it.

const button = document.querySelector("[data-share]");
const said = document.getElementById("shared");

async function share() {
  const url = button.dataset.share;
  try {
    if (navigator.share) return await navigator.share({ title: document.title, url });
  } catch (error) {
    if (error.name === "AbortError") return; // they changed their mind
  }
  try {
    await navigator.clipboard.writeText(url);
    said.textContent = button.dataset.copied;
  } catch {
    said.textContent = `${button.dataset.refused} ${url}`;
  }
}

button?.addEventListener("click", share);
