// Computes the proof of work that the server requires while very many applications arrive; the button says "Sending…"
// meanwhile, one or two seconds on a slow phone. An application without a proof is accepted too, but has to be confirmed by
// email, so no error here loses one.

const AT_ONCE = 500;

export async function prove(form) {
  if (!window.crypto?.subtle) return;
  const address = new URL(form.dataset.proof, location.href);
  address.searchParams.set("token", form.elements.token.value);
  const answer = await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(10000) });
  const asked = answer.ok ? (await answer.json()).challenge : null;
  if (!asked) return;
  const solution = await solve(asked.parameters);
  form.elements.altcha.value = btoa(JSON.stringify({ challenge: asked, solution }));
}

// In portions, so that the page stays responsive: hashing itself does not block it.
async function solve({ salt, nonce, keyPrefix, data }) {
  const [start, wanted] = [salt + nonce, keyPrefix].map((hex) => hex.match(/../g).map((byte) => parseInt(byte, 16)));
  const derive = async (counter) => {
    const bytes = new Uint8Array([...start, counter >> 24, counter >> 16, counter >> 8, counter]);
    const key = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return wanted.every((byte, n) => byte === key[n]) && Array.from(key, (byte) => byte.toString(16).padStart(2, "0"));
  };
  for (let first = 0; first <= data.most; first += AT_ONCE) {
    const keys = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => derive(first + n)));
    const found = keys.findIndex(Boolean);
    if (found >= 0) return { counter: first + found, derivedKey: keys[found].join("") };
  }
}
