// Shows open jobs in your page at the position of <script src="https://careers.example/embed.js" data-tenant="acme" async> or of
// <careers-portal tenant="acme">. See docs/embedding.md.
(() => {
  const script = document.currentScript;
  const { origin } = new URL(script.src);
  const NAME = "careers-portal";
  // The server (portal/site/embed/views.py) puts this and every sentence in _() into the language that ?lang= of its address says.
  const LANG = _();
  const FILTERS = ["q", "city", "country", "near", "within", "employmentType", "locationType", "team"];
  const SOURCES = /^(utm_(source|medium|campaign|term|content)|gh_src|ref|source)$/;
  const PATIENCE = 8000;
  const STYLE = `
    :host { display: block; position: relative }
    :host(:not([state=loading])) [part=loading], :host(:not([state=broken])) [part=broken], :host([state=broken]) iframe { display: none }
    iframe { display: block; position: relative; width: 100%; height: 100vh; border: 0 }
    [part=loading] { position: absolute; inset: 0; opacity: .07; background: repeating-linear-gradient(currentcolor 0 7rem, transparent 0 8rem) }
    p * { font: inherit; color: inherit }`;

  const make = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const name in attributes) element.setAttribute(name, attributes[name]);
    element.append(...children);
    return element;
  };
  // The red, green and blue of any CSS colour. Only colours that are not written as rgb() are painted, which is slow.
  const seen = (colour) => {
    const plain = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(colour);
    if (plain) return plain.slice(1).map(Number);
    const ink = make("canvas").getContext("2d");
    ink.fillStyle = colour;
    ink.fillRect(0, 0, 1, 1);
    return ink.getImageData(0, 0, 1, 1).data;
  };
  const jobIn = (path) => /\/jobs\/([\w-]+)/.exec(path)?.[1];

  class CareersPortal extends HTMLElement {
    connectedCallback() {
      this.tenant = (this.getAttribute("tenant") || "-").replace(/[^\w-]/g, "-");
      this.base = `/${this.tenant}/embed`;
      if (this.getAttribute("mode") !== "inline") return this.embed();
      // The frame shows the reason.
      this.list().catch((error) => {
        this.say(`no list without a frame (${error.message}). Check origins and connect-src.`);
        if (!this.isConnected) return;
        this.embed();
        if (error.name === "TimeoutError") this.wait(0);
      });
    }

    embed() {
      // The first on a page has ?job=, the second ?job2=.
      const all = [...document.querySelectorAll(`script[data-tenant], ${NAME}`)].filter((one) => !one.script);
      const number = all.indexOf(this.script ?? this) + 1;
      this.key ??= number > 1 ? `job${number}` : "job";
      // A new frame each time this is inserted into a page: an old one would load its first address besides the wanted one.
      // Its name tells the page in it that there is a loader (framed.js).
      this.frame = make("iframe", { name: NAME, part: "frame", title: _("Open jobs"), referrerpolicy: "origin" });
      // Before insertion: an iframe that is inserted without an address loads an empty page first.
      this.show(this.wanted());
      this.build();
      this.stop = new AbortController();
      const listen = (target, type, does) => target.addEventListener(type, does, { signal: this.stop.signal });
      listen(window, "message", (event) => this.hear(event));
      listen(window, "popstate", () => this.wanted() !== this.at && this.show(this.wanted(), true));
      listen(window, "pagehide", () => this.remember(this.at, "replaceState", scrollY));
      listen(window, "online", () => this.state === "broken" && this.show(this.wanted()));
      // The portal's pages send a message before they are loaded; a page that loads without one is an error.
      listen(this.frame, "load", () => ++this.silent > 0 && this.wait(1500));
      listen(matchMedia("(prefers-color-scheme: dark)"), "change", () => this.lead());
      this.watch = new MutationObserver(() => this.lead());
      for (const one of document.querySelectorAll("html, body")) this.watch.observe(one, { attributes: true });
      // The frame's content is as wide as the element; the focus ring may extend beyond it.
      const { left, right } = this.getBoundingClientRect();
      const room = Math.max(0, Math.min(6, left, innerWidth - right));
      this.frame.style.cssText = `margin: 0 -${room}px; width: calc(100% + ${2 * room}px)`;
      this.lead();
    }

    disconnectedCallback() {
      this.stop?.abort();
      this.watch?.disconnect();
      clearTimeout(this.timer);
    }

    async list() {
      this.state = "loading";
      const note = make("p", { part: "loading", lang: LANG }, _("Loading open jobs"));
      if (!this.firstChild) this.append(note);
      const url = new URL(`/${this.tenant}/jobs.json?limit=100`, origin);
      this.filter(url.searchParams);
      this.language(url.searchParams);
      const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE) }).finally(() => note.remove());
      if (!answer.ok) throw new Error(answer.status);
      const { company, jobs, total } = await answer.json();
      const items = jobs.map((job) => {
        const address = new URL(job.url);
        this.sources(address.searchParams);
        const facts = [job.placeName, job.distanceName, job.locationTypeName, job.employmentTypeName].filter(Boolean).join(" · ");
        const title = make("h3", { part: "title", lang: job.language }, make("a", { part: "link", href: address.href }, job.title));
        return make("li", { part: "job" }, title, make("p", { part: "meta" }, facts));
      });
      const root = this.hasAttribute("shadow") ? this.shadowRoot || this.attachShadow({ mode: "open" }) : this;
      root.replaceChildren(total ? make("ul", { part: "list" }, ...items) : make("p", { part: "empty", lang: LANG }, _("There are no open jobs right now.")));
      if (total > jobs.length) root.append(make("p", { part: "more", lang: LANG }, make("a", { href: company.url }, _("See all open jobs"))));
      this.state = total ? "ready" : "empty";
    }

    get state() { return this.getAttribute("state"); }
    set state(value) { this.setAttribute("state", value); }

    build() {
      const shadow = this.shadowRoot || this.attachShadow({ mode: "open" });
      shadow.replaceChildren(this.frame);
      const sheet = new CSSStyleSheet(); // a policy may refuse style elements
      sheet.replaceSync(STYLE);
      shadow.adoptedStyleSheets = [sheet];
      const link = make("a", { href: origin + this.base, target: "_blank", rel: "noopener" }, _("See them on the careers site"));
      const apology = make("p", {}, _("The open jobs cannot be shown here right now."), " ", link);
      const again = make("button", { type: "button" }, _("Try again"));
      again.onclick = () => this.show(this.wanted());
      this.frame.before(make("div", { part: "loading", role: "status", lang: LANG, "aria-label": _("Loading open jobs") }));
      this.frame.after(
        make("div", { part: "broken", role: "alert", lang: LANG, dir: "auto" }, make("slot", {}, apology), make("p", {}, again)),
      );
    }

    // Chooses a light or dark scheme to match the page's text.
    lead() {
      const [red, green, blue] = seen(getComputedStyle(this).color);
      const scheme = this.getAttribute("theme") || (red + green + blue > 384 ? "dark" : "light");
      this.frame.style.colorScheme = scheme;
      if (this.heard) this.frame.contentWindow.postMessage({ careersPortal: 1, scheme }, origin);
    }

    // The portal's address for a path; the list for paths that are not the portal's.
    address(path) {
      const url = new URL(path || this.base, origin);
      const isOurs = url.origin === origin && (url.pathname + "/").startsWith(this.base + "/");
      const to = isOurs ? url : new URL(this.base, origin);
      const isList = to.pathname.replace(/\/$/, "") === this.base && !to.search.replace(/^\?lang=[\w-]*$/, "");
      if (isList) this.filter(to.searchParams);
      this.language(to.searchParams);
      if (to.pathname.endsWith("/apply")) this.sources(to.searchParams);
      return to.href;
    }

    language(query) {
      const lang = this.getAttribute("lang") || document.documentElement.lang;
      if (lang && !query.has("lang")) query.set("lang", lang);
    }

    filter(query) {
      for (const name of [...FILTERS, ...this.getAttributeNames().filter((one) => one.startsWith("facet-"))]) {
        for (const value of this.getAttribute(name)?.split(",") ?? []) query.append(name, value.trim());
      }
    }

    sources(query) {
      for (const [name, value] of new URLSearchParams(location.search)) {
        if (SOURCES.test(name) && value.length <= 200) query.set(name, value);
      }
    }

    // The path in the history's state, or else the job that the address names.
    wanted() {
      const shown = history.state?.[NAME]?.[this.key];
      if (typeof shown === "string") return shown;
      const job = /^[\w-]{1,100}$/.exec(new URLSearchParams(location.search).get(this.key) ?? "")?.[0];
      return job === jobIn(this.at) ? this.at : job ? `${this.base}/jobs/${job}` : "";
    }

    // The page's own query and hash stay as they are written. y: the scroll position, restored when the visitor returns.
    remember(path, method, y) {
      const job = jobIn(path);
      const query = location.search.slice(1).split("&").filter((part) => part && part.split("=")[0] !== this.key);
      if (job) query.push(`${this.key}=${job}`);
      const address = location.pathname + (query.length ? `?${query.join("&")}` : "") + location.hash;
      const state = { ...history.state, [NAME]: { ...history.state?.[NAME], [this.key]: path, y } };
      try {
        history[method](state, "", address);
      } catch {
        // A sandboxed page cannot change the history.
      }
    }

    show(path, restoring = false) {
      const address = this.address(path);
      this.asked = new URL(address).pathname;
      this.silent = 0;
      this.heard = false;
      this.restoring = restoring || this.at === undefined;
      this.at = path;
      if (!/^(ready|empty)$/.test(this.state)) this.state = "loading";
      this.wait(PATIENCE);
      // Replaces the page, so that the frame adds no step to the history.
      if (this.frame.contentWindow) this.frame.contentWindow.location.replace(address);
      else this.frame.src = address;
    }

    wait(milliseconds) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.state = "broken";
        this.say("no jobs came. Is the careers site up and in frame-src?");
      }, milliseconds);
    }

    hear({ origin: from, source, data }) {
      if (from !== origin || source !== this.frame.contentWindow || data?.careersPortal !== 1) return;
      const text = (name) => String(data[name] ?? "").slice(0, 2000);
      const go = text("go");
      const at = text("at");
      const reason = text("reason");
      if (go) {
        this.remember(this.at, "replaceState", scrollY);
        this.remember(go, "pushState");
        return this.show(go);
      }
      // From the page that is about to be replaced.
      if (!this.heard && (!data.isNew || (at && at.split("?")[0] !== this.asked))) return;
      clearTimeout(this.timer);
      if (reason && this.state !== "refused") this.say(reason);
      this.state = /^(empty|refused)$/.test(data.state) ? data.state : "ready";
      if (data.height > 0 && data.height < 50000) {
        this.frame.style.height = `${data.height}px`;
        if (this.y) scrollTo({ top: this.y, behavior: "instant" });
        this.y = 0;
      }
      this.frame.title = text("title");
      if (data.isNew) {
        this.heard = true;
        this.silent--;
        this.lead();
        // On Back a browser may restore the frame's page itself, before or after this script does.
        const isAgain = at && at === this.seen;
        this.seen = at;
        if (this.restoring || isAgain) this.y = history.state?.[NAME]?.y;
        else if (this.getBoundingClientRect().top < 0) this.scrollIntoView();
        this.restoring = false;
        const event = text("event");
        const detail = { tenant: this.tenant, id: text("id"), title: text("job") };
        if (!isAgain && /^(view|apply|applied)$/.test(event)) this.dispatchEvent(new CustomEvent(`careers:${event}`, { bubbles: true, detail }));
      }
      if (at && at !== this.at) {
        this.at = at;
        this.remember(at, "replaceState");
      }
    }

    say(what) {
      console.error(`${NAME} ${this.tenant}: ${what}`);
    }
  }

  if (!customElements.get(NAME)) customElements.define(NAME, CareersPortal);
  if (script.dataset.tenant) {
    const options = {};
    for (const { name, value } of script.attributes) if (name.startsWith("data-")) options[name.slice(5)] = value;
    script.after(Object.assign(make(NAME, options), { script }));
  }
})();
