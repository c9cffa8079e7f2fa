// Where very many applications arrive, the server asks a browser for a proof of work: this finds it while its person sees
// "Sending…", in a second or two on a slow phone. Without a proof the application is taken all the same, and waits until
// its person confirms it by mail; so whatever goes wrong here stops nobody.

const AT_ONCE = 500;
const form = document.querySelector("form[data-proof]");
if (form && window.crypto?.subtle) {
  form.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return; // apply.js sends once, and nothing that is too large
    if (event.submitter?.name) return; // a button that sends nothing on, but asks for the form back
    event.preventDefault();
    prove(form)
      .catch(() => {}) // the letter is the other way
      .finally(() => form.submit());
  });
}

async function prove(form) {
  const address = new URL(form.dataset.proof, location.href);
  address.searchParams.set("token", form.elements.token.value);
  const answer = await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(10000) });
  const asked = answer.ok ? (await answer.json()).challenge : null;
  if (!asked) return;
  const { algorithm, challenge, salt, signature } = asked;
  const number = await solve(salt, challenge, asked.maxnumber);
  form.elements.altcha.value = btoa(JSON.stringify({ algorithm, challenge, number, salt, signature }));
}

// In portions, so that the page stays alive: hashing itself is done beside it.
async function solve(salt, challenge, most) {
  const bytes = new TextEncoder();
  const wanted = parseInt(challenge.slice(0, 8), 16);
  const begins = async (number) => {
    const hash = await crypto.subtle.digest("SHA-256", bytes.encode(salt + number));
    return new DataView(hash).getUint32(0) === wanted && hex(hash) === challenge;
  };
  for (let first = 0; first <= most; first += AT_ONCE) {
    const portion = Array.from({ length: AT_ONCE }, (_, n) => begins(first + n));
    const found = (await Promise.all(portion)).indexOf(true);
    if (found >= 0) return first + found;
  }
  throw new Error("no number solves it");
}

function hex(hash) {
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
