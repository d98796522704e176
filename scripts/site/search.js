// Runs in each page of the site. The index is a script too, since a page that is opened as a file can read nothing else,
// and is loaded when somebody first goes to the field.
(() => {
  const root = document.documentElement.dataset.root;
  const field = document.querySelector("#search");
  const list = document.querySelector("#found");
  const status = document.querySelector("#status");
  const menu = document.querySelector("#menu");
  const nav = document.querySelector("nav");
  document.documentElement.classList.add("scripted");
  const here = nav.querySelector("[aria-current]");
  if (here) nav.scrollTop = here.offsetTop - nav.clientHeight / 3;

  menu.addEventListener("click", () => {
    menu.setAttribute("aria-expanded", String(nav.classList.toggle("open")));
    if (nav.classList.contains("open")) scrollTo(0, 0);
  });

  let loading;
  const load = () => {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `${root}search-index.js`;
      script.onload = () => resolve(window.siteframeSections);
      script.onerror = reject;
      document.head.append(script);
    });
    return loading;
  };

  const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_.]+/gu) ?? [];

  /** Every word must be there; in a heading it counts most, and more so if the heading is nothing else. */
  function scoreOf({ page, heading, text }, words) {
    const [title, name, body] = [page, heading, text].map((part) => part.toLowerCase());
    let score = 0;
    for (const word of words) {
      const found = [...wordsOf(name)].some((each) => each.startsWith(word));
      const own = (name.replace(/\W+$/, "") === word ? 30 : 0) + (found ? 12 : name.includes(word) ? 6 : 0);
      const count = Math.min(body.split(word).length - 1, 5);
      const each = own + count + (title.includes(word) ? 3 : 0);
      if (each === 0) return 0;
      score += each;
    }
    return score;
  }

  function excerpt(text, words) {
    const at = Math.max(
      0,
      Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((n) => n >= 0), text.length),
    );
    const from = at < 60 ? 0 : at - 40;
    return `${from > 0 ? "…" : ""}${text.slice(from, from + 160)}`;
  }

  /** Text with the words marked, as nodes: nothing of the index is read as HTML. */
  function marked(text, words) {
    const lower = text.toLowerCase();
    const nodes = [];
    for (let at = 0; at < text.length; ) {
      const hits = words.map((word) => ({ word, start: lower.indexOf(word, at) })).filter(({ start }) => start >= 0);
      const next = hits.sort((a, b) => a.start - b.start || b.word.length - a.word.length)[0];
      nodes.push(text.slice(at, next?.start));
      if (!next) break;
      const mark = document.createElement("mark");
      mark.textContent = text.slice(next.start, next.start + next.word.length);
      nodes.push(mark);
      at = next.start + next.word.length;
    }
    return nodes;
  }

  function entry(section, words) {
    const [item, link, name, more] = ["li", "a", "b", "small"].map((tag) => document.createElement(tag));
    link.href = root + section.url;
    name.append(...marked(section.heading, words));
    more.append(`${section.page}: `, ...marked(excerpt(section.text, words), words));
    link.append(name, more);
    item.append(link);
    return item;
  }

  async function search() {
    const words = wordsOf(field.value);
    if (words.length === 0) return show([], "");
    const sections = await load();
    const scored = sections
      .map((section) => ({ section, score: scoreOf(section, words) }))
      .filter(({ score }) => score > 0);
    const best = scored.sort((a, b) => b.score - a.score).slice(0, 15);
    const said = scored.length === 0 ? "Nothing was found." : `${scored.length} places, ${best.length} shown`;
    show(
      best.map(({ section }) => entry(section, words)),
      said,
    );
  }

  function show(items, said) {
    status.textContent = said;
    const nothing = document.createElement("li");
    nothing.textContent = said;
    list.replaceChildren(...(items.length > 0 || said === "" ? items : [nothing]));
    list.hidden = said === "";
  }

  field.addEventListener("focus", load);
  field.addEventListener("input", search);
  document.addEventListener("click", (event) => {
    if (!event.target.closest(".search")) list.hidden = true;
  });
  list.addEventListener("click", (event) => {
    if (event.target.closest("a")) list.hidden = true;
  });
  document.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    if (event.key === "/" && !/^(input|textarea)$/i.test(document.activeElement?.tagName ?? "")) {
      event.preventDefault();
      field.focus();
    } else if (event.key === "Escape" && !list.hidden) {
      list.hidden = true;
      field.focus();
    } else if (event.key === "Enter" && document.activeElement === field) {
      links[0]?.click();
    } else if (/^Arrow(Down|Up)$/.test(event.key) && !list.hidden && event.target.closest(".search")) {
      event.preventDefault();
      const at = links.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
      (links[at] ?? field).focus();
    }
  });
})();
