// Open jobs in a page of your own. Where they should stand:
//   <script src="https://careers.example/embed.js" data-tenant="acme" async></script>
// or <careers-portal tenant="acme"></careers-portal>, and the script without data-tenant anywhere.
// Options (attributes of the element, data-… of the script), states and styles: docs/embedding.md of the careers portal.
(() => {
  const script = document.currentScript;
  const { origin } = new URL(script.src);
  const NAME = "careers-portal";
  const FILTERS = { q: "q", city: "city", country: "country", near: "near", within: "within",
    "employment-type": "employmentType", "location-type": "locationType" };
  const SOURCES = /^(utm_(source|medium|campaign|term|content)|gh_src|ref|source)$/;
  const PATIENCE = 8000;
  const STYLE = `
    :host { display: block; position: relative; min-height: 30rem }
    :host([state=ready]), :host([state=empty]), :host([state=broken]), :host([state=refused]) { min-height: 0 }
    :host([state=broken]) iframe, :host(:not([state=loading])) [part=loading], :host(:not([state=broken])) [part=broken] { display: none }
    iframe { display: block; position: relative; width: 100%; height: 30rem; border: 0 }
    [part=loading] { position: absolute; inset: 0; overflow: hidden }
    i { display: block; height: 6.5rem; margin-block-end: 1rem; border-radius: .75rem; background: currentcolor; opacity: .07 }
    button { font: inherit }`;

  const make = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const name in attributes) element.setAttribute(name, attributes[name]);
    element.append(...children);
    return element;
  };
  let widgets = 0;

  class CareersPortal extends HTMLElement {
    connectedCallback() {
      this.tenant = this.getAttribute("tenant") || "-";
      this.base = `/${encodeURIComponent(this.tenant)}/embed`;
      if (this.getAttribute("mode") === "inline") return this.list();
      // The first on a page has ?job=, the second ?job2=, so that each finds its own.
      this.number ??= ++widgets;
      this.key = this.number > 1 ? `job${this.number}` : "job";
      if (!this.shadowRoot) this.build();
      this.stop = new AbortController();
      const listen = (target, type, does) => target.addEventListener(type, does, { signal: this.stop.signal });
      listen(window, "message", (event) => this.hear(event));
      listen(window, "popstate", () => this.wanted() !== this.at && this.show(this.wanted(), true));
      listen(window, "online", () => this.state === "broken" && this.show(this.wanted()));
      listen(this.frame, "load", () => this.heard || this.wait(1500));
      const look = () => { this.frame.style.colorScheme = this.scheme(); };
      listen(matchMedia("(prefers-color-scheme: dark)"), "change", look);
      this.watch = new MutationObserver(look);
      this.watch.observe(document.documentElement, { attributes: true });
      look();
      this.show(this.wanted());
    }

    disconnectedCallback() {
      this.stop?.abort();
      this.watch?.disconnect();
      clearTimeout(this.timer);
    }

    get state() { return this.getAttribute("state"); }
    set state(value) { this.setAttribute("state", value); }

    build() {
      const sheet = new CSSStyleSheet(); // not a style element: the page's policy may refuse those
      sheet.replaceSync(STYLE);
      this.frame = make("iframe", { part: "frame", title: "Open jobs", referrerpolicy: "origin" });
      const again = make("button", { type: "button" }, "Try again");
      again.onclick = () => this.show(this.wanted());
      const shadow = this.attachShadow({ mode: "open" });
      shadow.adoptedStyleSheets = [sheet];
      shadow.append(
        make("div", { part: "loading", role: "status", "aria-label": "Loading open jobs" }, ...[1, 2, 3, 4].map(() => make("i"))),
        this.frame,
        make("div", { part: "broken", role: "alert" }, make("slot", {}, this.apology()), make("p", {}, again)),
      );
    }

    apology() {
      const link = make("a", { href: origin + this.base, target: "_blank", rel: "noopener" }, "See them on our careers site");
      return make("p", {}, "The open jobs cannot be shown here right now. ", link, ".");
    }

    // Light or dark as the page is: its text says which, however it was chosen.
    scheme() {
      const theme = this.getAttribute("theme");
      if (theme === "dark" || theme === "light") return theme;
      const [red, green, blue] = getComputedStyle(this).color.match(/[\d.]+/g).map(Number);
      return red + green + blue > 384 ? "dark" : "light";
    }

    // An address of ours for a path that a message or the history says; anything else is the list.
    address(path) {
      const url = new URL(path || this.base, origin);
      const isOurs = url.origin === origin && (url.pathname + "/").startsWith(this.base + "/");
      const to = isOurs ? url : new URL(this.base, origin);
      const lang = this.getAttribute("lang") || document.documentElement.lang;
      if (lang && !to.searchParams.has("lang")) to.searchParams.set("lang", lang);
      const isList = to.pathname.replace(/\/$/, "") === this.base && [...to.searchParams.keys()].join() === (lang ? "lang" : "");
      if (isList) this.filter(to.searchParams);
      if (to.pathname.endsWith("/apply")) this.sources(to.searchParams);
      return to.href;
    }

    filter(query) {
      for (const name in FILTERS) {
        for (const value of (this.getAttribute(name) || "").split(",")) if (value.trim()) query.append(FILTERS[name], value.trim());
      }
    }

    sources(query) {
      for (const [name, value] of new URLSearchParams(location.search)) {
        if (SOURCES.test(name) && value.length <= 200) query.set(name, value);
      }
    }

    // What this widget should show: what the history remembers of it, or else the job that the address names.
    wanted() {
      const kept = history.state?.[NAME]?.[this.key];
      const job = new URLSearchParams(location.search).get(this.key) || this.getAttribute("job") || "";
      return typeof kept === "string" ? kept : /^[\w-]{1,100}$/.test(job) ? `${this.base}/jobs/${job}` : "";
    }

    // The page's own query and hash stay as they are written.
    remember(path, method) {
      const job = /\/jobs\/([\w-]+)/.exec(path)?.[1];
      const query = location.search.slice(1).split("&").filter((part) => part && part.split("=")[0] !== this.key);
      if (job) query.push(`${this.key}=${job}`);
      const address = location.pathname + (query.length ? `?${query.join("&")}` : "") + location.hash;
      const state = { ...history.state, [NAME]: { ...history.state?.[NAME], [this.key]: path } };
      try {
        history[method](state, "", address);
      } catch {
        // A page in a sandbox has no history of its own; the jobs work without.
      }
    }

    show(path, restoring = false) {
      const address = this.address(path);
      this.heard = false;
      this.restoring = restoring || !this.at;
      this.at = path;
      if (this.state !== "ready" && this.state !== "empty") this.state = "loading";
      this.wait(PATIENCE);
      // In place of what is there, so that the frame adds no step of its own to the history.
      if (this.frame.src) this.frame.contentWindow.location.replace(address);
      else this.frame.src = address;
    }

    wait(milliseconds) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.state = "broken";
        this.say("the jobs did not come. Is the careers site up, and does this page's policy allow it in frame-src?");
      }, milliseconds);
    }

    hear({ origin: from, source, data }) {
      if (from !== origin || source !== this.frame.contentWindow || data?.careersPortal !== 1) return;
      if (typeof data.go === "string" && data.go.length < 2000) {
        this.remember(data.go, "pushState");
        this.show(data.go);
        return;
      }
      clearTimeout(this.timer);
      if (data.state === "refused" && this.state !== "refused") this.say(String(data.reason).slice(0, 500));
      this.state = ["ready", "empty", "refused"].includes(data.state) ? data.state : "ready";
      if (data.height > 0 && data.height < 50000) this.frame.style.height = `${data.height}px`;
      this.frame.title = String(data.title).slice(0, 200);
      this.heard = true;
      if (data.isNew) {
        source.postMessage({ careersPortal: 1 }, origin);
        if (!this.restoring && this.getBoundingClientRect().top < 0) this.scrollIntoView();
        this.restoring = false;
      }
      if (typeof data.at === "string" && data.at && data.at.length < 2000 && data.at !== this.at) {
        this.at = data.at;
        this.remember(data.at, "replaceState");
      }
    }

    say(what) {
      console.error(`${NAME} ${this.tenant}: ${what}`);
    }
  }

  if (!customElements.get(NAME)) customElements.define(NAME, CareersPortal);
  if (script.dataset.tenant) {
    const options = Object.fromEntries(
      [...script.attributes].filter((one) => one.name.startsWith("data-")).map((one) => [one.name.slice(5), one.value]),
    );
    script.after(make(NAME, options));
  }
})();
