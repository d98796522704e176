/** What we use of a linkedom element. The library compiles without the DOM's types. */
export interface DomElement {
  readonly tagName: string;
  readonly outerHTML: string;
  readonly textContent: string;
  readonly children: Iterable<DomElement>;
  readonly parentElement: DomElement | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  querySelectorAll(selector: string): Iterable<DomElement>;
  cloneNode(deep: true): DomElement;
  append(...nodes: DomElement[]): void;
}
