// Uploads one file to the file storage: requests a ticket, sends the file, waits for its inspection; repeats each step after
// connection errors, as long as the tab is open. Returns what the server says about the file, or throws: Refused, with a
// sentence for the candidate; NotThisWay, if the file has to be sent with the form; or the signal's reason after an abort.

const PAUSES = [1, 2, 4, 8, 15];
const STALLED = 30; // seconds without a byte: a dead connection reports no error
const STALE = 8 * 60; // seconds; a ticket is valid for ten minutes
const PATIENCE = 60; // seconds; for longer waits the form itself is sent, and answered with the reason

export class NotThisWay extends Error {}

class Refused extends Error {
  constructor(says) {
    super(says);
    this.says = says;
  }
}

// A failed try. isAnswer: there was a response, with `seconds` to wait; blocked: the portal responds, but the file did not reach
// the storage; unseen: the file was sent, but is not stored; over: its ticket is no longer valid; isThere: the file may be
// stored.
class Failed extends Error {
  constructor(known) {
    super();
    Object.assign(this, known);
  }
}

// told: sent(share of 1), waiting(whether there is a connection), looking()
export async function bring(file, { direct, checked, token, signal, told }) {
  let ticket = null;
  let [isThere, blocked, unseen, failures] = [false, 0, 0, 0];
  const sent = (share) => {
    if (share < 1) [blocked, failures] = [0, 0];
    told.sent(share);
  };
  for (;;) {
    try {
      signal.throwIfAborted();
      if (!isThere) {
        if (!ticket || now() - ticket.since > STALE) ticket = { ...(await ask(direct, file, token, signal)), since: now() };
        await post(ticket, file, signal, sent);
        isThere = true;
      }
      told.looking();
      return await look(checked, ticket.upload, token, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Refused || error instanceof NotThisWay) throw error;
      isThere = error.isThere ?? isThere;
      if (error.over) ticket = null;
      if (error.blocked && navigator.onLine) blocked++;
      if (error.unseen) unseen++;
      if (blocked > 1 || unseen > 2) throw new NotThisWay();
      told.waiting(error.isAnswer && navigator.onLine);
      await pause(Math.max(PAUSES[Math.min(failures++, PAUSES.length - 1)], error.seconds ?? 0), signal);
    }
  }
}

function now() {
  return performance.now() / 1000;
}

async function ask(address, { name, size }, token, signal) {
  const answer = await say(address, { token, name, size }, signal);
  if (answer.status === 201) return answer.json();
  throw await refused(answer);
}

async function look(address, upload, token, signal) {
  const answer = await say(address, { token, upload }, signal);
  if (answer.status === 200) return answer.json();
  if (answer.status === 409) throw new Failed({ isThere: false, unseen: true });
  if (answer.status === 410) throw new Failed({ isThere: false, unseen: true, over: true });
  throw await refused(answer);
}

function say(address, fields, signal) {
  const patience = AbortSignal.timeout(STALLED * 2000);
  return fetch(address, { method: "POST", body: new URLSearchParams(fields), signal: either(signal, patience) });
}

// Not AbortSignal.any, which some supported browsers lack.
function either(...signals) {
  const controller = new AbortController();
  for (const one of signals) one.addEventListener("abort", () => controller.abort(one.reason));
  return controller.signal;
}

// In other cases, such as an expired form, the form itself is sent, and answered with what to do.
async function refused(answer) {
  const { detail } = await answer.json().catch(() => ({}));
  if (detail && [413, 415, 422].includes(answer.status)) return new Refused(detail);
  const seconds = Number(answer.headers.get("Retry-After"));
  const isForNow = answer.status === 429 || answer.status >= 500;
  return isForNow && seconds <= PATIENCE ? new Failed({ seconds, isAnswer: true }) : new NotThisWay();
}

// Not fetch, which does not report upload progress.
function post({ url, fields }, file, signal, sent) {
  return new Promise((resolve, reject) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append("file", file);
    const request = new XMLHttpRequest();
    let share = 0;
    let timer;
    const stop = () => request.abort();
    const watch = () => {
      clearTimeout(timer);
      timer = setTimeout(stop, STALLED * 1000);
    };
    const end = (settle, value) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      removeEventListener("offline", stop);
      settle(value);
    };
    request.upload.onprogress = ({ loaded, total }) => {
      share = Math.min(loaded / total, 1);
      watch();
      sent(share);
    };
    request.onload = () => {
      if (request.status < 300) end(resolve);
      else end(reject, new Failed({ isAnswer: true, ...(request.status < 500 && { blocked: true, over: true }) }));
    };
    // If nothing was sent, request a new ticket, which shows whether the portal responds. If all of the file was sent, it may
    // have arrived, which the portal knows.
    request.onerror = request.onabort = () =>
      end(reject, new Failed(share === 0 ? { blocked: true, over: true } : share === 1 ? { isThere: true } : {}));
    signal.addEventListener("abort", stop);
    addEventListener("offline", stop);
    request.open("POST", url);
    request.send(form);
    watch();
  });
}

// Returns at once when the connection is back.
function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      signal.removeEventListener("abort", end);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, seconds * 1000);
    addEventListener("online", end);
    signal.addEventListener("abort", end);
  });
}
