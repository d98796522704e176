import { escapeHtml } from "../../tables/display/text.js";

/** Anchors of one page, as on GitHub, each unique. */
export class Anchors {
  readonly #taken = new Set<string>();
  /** Number of uses of each name. */
  readonly #times = new Map<string, number>();

  /** @param text of a heading, without marks */
  take(text: string): string {
    const words = text
      .normalize("NFC")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, "")
      .trim()
      .replaceAll(" ", "-");
    const plain = words === "" ? "section" : words;
    let times = this.#times.get(plain) ?? 0;
    let anchor = times === 0 ? plain : `${plain}-${times}`;
    while (this.#taken.has(anchor)) anchor = `${plain}-${++times}`;
    this.#times.set(plain, times + 1);
    this.#taken.add(anchor);
    return anchor;
  }
}

/** A heading of a page. */
interface PageHeading {
  readonly depth: number;
  readonly text: string;
  readonly anchor: string;
}

/** Minimum number of headings for a table of contents. */
const FEWEST = 3;
/** Maximum level of headings in it. */
const DEEPEST = 3;

/** Options of a page's headings. */
interface HeadingOptions {
  readonly site?: string | undefined;
  readonly isTitled?: boolean;
  readonly title?: string;
}

/** The headings of one page, in order: each with an anchor and a link to it, and a list of all. */
export class PageHeadings {
  readonly #anchors = new Anchors();
  readonly #list: PageHeading[] = [];
  readonly #isTitled: boolean;
  readonly #title: string;
  #site: string | undefined;
  #isLeftOut: boolean;

  /**
   * @param site is appended to the page's first heading
   * @param isTitled whether the page's head contains its title: the first heading of level 1 is then omitted
   * @param title of the table of contents, in the page's language
   */
  constructor({ site, isTitled = false, title = "Contents" }: HeadingOptions = {}) {
    this.#title = escapeHtml(title);
    this.#site = site;
    this.#isTitled = isTitled;
    this.#isLeftOut = !isTitled;
  }

  /**
   * Returns a heading as HTML; empty if the page's head replaces it.
   *
   * @param html its content
   * @param text the content without marks
   */
  render(depth: number, html: string, text: string): string {
    if (depth === 1 && !this.#isLeftOut) {
      this.#isLeftOut = true;
      return "";
    }
    const anchor = this.#anchors.take(text);
    const site = this.#site === undefined ? "" : `, ${escapeHtml(this.#site)}`;
    this.#site = undefined;
    this.#list.push({ depth, text, anchor });
    const link = `<a class="anchor" href="#${encodeURIComponent(anchor)}" aria-label="Link to this heading">#</a>`;
    return `<h${depth} id="${escapeHtml(anchor)}">${html}${site}${link}</h${depth}>\n`;
  }

  /** A list of links to all headings except the page's title; empty if there are only a few. */
  contents(): string {
    const [first, ...others] = this.#list;
    const hasTitle = !this.#isTitled && first?.depth === 1;
    const listed = (hasTitle ? others : this.#list).filter(({ depth }) => depth <= DEEPEST);
    if (listed.length < FEWEST) return "";
    const least = Math.min(...listed.map(({ depth }) => depth));
    const lines = listed.map(({ depth, text, anchor }) => {
      const below = depth === least ? "" : ' class="below"';
      return `<li${below}><a href="#${encodeURIComponent(anchor)}">${escapeHtml(text)}</a></li>`;
    });
    return `<nav class="contents" aria-label="${this.#title}"><details><summary>${this.#title}</summary><ul>${lines.join("")}</ul></details></nav>`;
  }
}
