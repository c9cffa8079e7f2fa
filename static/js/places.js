// Suggests locations while one is typed: a combobox with a list, following the ARIA Authoring Practices. Without this
// script, or without an answer, the field accepts any text.

const ARABIC = /\p{Script=Arabic}/u;
const field = document.getElementById("near");

if (field) {
  const list = document.createElement("ul");
  const status = document.createElement("p");
  let running;
  let chosen = -1;

  Object.assign(list, { id: "places", className: "places", hidden: true, role: "listbox" });
  list.setAttribute("aria-labelledby", "near-label");
  Object.assign(status, { className: "visually-hidden", role: "status" });
  field.after(list, status);
  field.autocomplete = "off";
  for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-controls", "places"], ["aria-expanded", "false"]]) {
    field.setAttribute(name, value);
  }

  const show = (names) => {
    list.replaceChildren(...names.map((name, number) => {
      const option = document.createElement("li");
      const [, town, rest] = /^([^,،]*)(.*)$/.exec(name);
      Object.assign(option, { id: `place-${number}`, role: "option" });
      // The town may be in another script than its country, which is in that of the page.
      const line = document.createElement("bdi");
      if (ARABIC.test(rest)) line.dir = "rtl";
      line.append(...[["bdi", town], ["span", rest]].map(([tag, textContent]) => Object.assign(document.createElement(tag), { textContent })));
      option.append(line);
      return option;
    }));
    list.hidden = !names.length;
    field.setAttribute("aria-expanded", String(!list.hidden));
    status.textContent = list.hidden ? "" : field.dataset.said;
    mark(-1);
  };

  const mark = (number) => {
    list.children[chosen]?.removeAttribute("aria-selected");
    chosen = number;
    const option = list.children[number];
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option) field.setAttribute("aria-activedescendant", option.id);
    else field.removeAttribute("aria-activedescendant");
  };

  const take = (option) => {
    field.value = option.textContent;
    show([]);
  };

  field.addEventListener("input", async () => {
    running?.abort();
    running = new AbortController();
    const asked = field.value.trim();
    if (asked.length < 2) return show([]);
    const address = new URL(field.dataset.places, location);
    address.searchParams.set("q", asked);
    try {
      const answer = await fetch(address, { signal: running.signal });
      show(answer.ok ? await answer.json() : []);
    } catch (error) {
      if (error.name !== "AbortError") show([]);
    }
  });

  field.addEventListener("keydown", (event) => {
    const many = list.children.length;
    if (list.hidden || !many) return;
    if (event.key === "ArrowDown") mark((chosen + 1) % many);
    else if (event.key === "ArrowUp") mark(chosen < 1 ? many - 1 : chosen - 1);
    else if (event.key === "Enter" && chosen >= 0) take(list.children[chosen]);
    else if (event.key === "Escape") show([]);
    else return;
    event.preventDefault();
  });

  // Chosen on click: if the list closed earlier, a tap's click would reach the element below it.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("click", ({ target }) => {
    const option = target.closest("[role=option]");
    if (option) take(option);
  });
  field.addEventListener("blur", () => show([]));
}
