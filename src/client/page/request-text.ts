const LONGEST_URL = 300;

/** A request as error messages name it: `GET https://…/sites?_page=1 (3 attempts)`. */
export function requestText(url: string, attempts: number): string {
  const short = url.length > LONGEST_URL ? `${url.slice(0, LONGEST_URL)}…` : url;
  return `GET ${short}${attempts > 1 ? ` (${attempts} attempts)` : ""}`;
}
