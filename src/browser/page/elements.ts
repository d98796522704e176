// Elements of a frame's page. Strings of the data only become text of the page.

// A count with thousands separators.
export { formatCount as many } from "../../core/format/format-number.js";

/** Returns an element of the frame's body. */
export function find<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

/** Creates an element with properties, or attributes if it has no such property. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Readonly<Record<string, unknown>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in element) Reflect.set(element, key, value);
    else element.setAttribute(key, String(value));
  }
  element.append(...children);
  return element;
}

/** Creates a button. */
export function makeButton(
  properties: Readonly<Record<string, unknown>>,
  ...children: readonly (Node | string)[]
): HTMLButtonElement {
  return make("button", { type: "button", ...properties }, ...children);
}

/** The position of an element in the frame. */
export function boxOf(element: Element): DOMRect {
  return element.getBoundingClientRect();
}

/** Adds a listener for an event. */
export function on<Type extends keyof HTMLElementEventMap>(
  target: EventTarget,
  type: Type,
  listener: (event: HTMLElementEventMap[Type]) => void,
  options?: AddEventListenerOptions,
): void {
  target.addEventListener(type, listener as EventListener, options);
}

type Attributes = Readonly<Record<string, unknown>>;

export function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}

/** A new element of a drawing. */
export function svgElement<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes,
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  setAttributes(element, attributes);
  return element;
}

/** Reads the data of a frame: JSON, plain or deflated in base64. */
export async function readPayload<Payload>(): Promise<Payload> {
  const { type, textContent } = document.getElementById("payload") as HTMLScriptElement;
  const text = textContent as string;
  if (type === "application/json") return JSON.parse(text) as Payload;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(plain).text()) as Payload;
}
