/** Path and query string of a request, as they came. */
export interface RequestTarget {
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
}

/** Splits a request target in origin form (`/sites?id=1`) or absolute form (`http://host/sites?id=1`; RFC 9112, 3.2). */
export function readTarget(target: string): RequestTarget {
  const local = target.replace(/^https?:\/\/[^/?]*/i, "");
  const mark = local.indexOf("?");
  return mark < 0 ? { path: local, query: "" } : { path: local.slice(0, mark), query: local.slice(mark + 1) };
}
