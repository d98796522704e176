/**
 * What the service takes and returns, from the contract that client and service share.
 *
 * @param {{ endpoints: object, resources: object }} contract
 * @returns {string} Markdown
 */
export function serviceMarkdown({ endpoints, resources }) {
  return `${[
    "# What the service takes",
    "<!-- Made by `npm run docs` from src/api. -->",
    "Every parameter takes one value or several, of which any may match; null is allowed where the table says so. Several parameters narrow each other. [What to filter by](../guide/layers.md#which-filter-returns-which-layer) is told in the guide. `siteframe openapi` prints the whole contract.",
    ...Object.entries(endpoints).map(([name, endpoint]) => section(name, endpoint, resources[name].record)),
  ].join("\n\n")}\n`;
}

function section(name, { path, summary, filters, oneOf, pageSize, pageRequired, sort }, record) {
  const rows = Object.entries(filters).map(([parameter, filter]) => `| \`${parameter}\` | ${meaning(filter)} |`);
  const rules = [
    `${summary} Records: [${record}](siteframe.md#${record.toLowerCase()}).`,
    oneOf && `At least one of ${oneOf.map(code).join(", ")} is needed.`,
    `Sorted by ${order(sort)}.`,
    sortable(sort),
    pageSize.max === null
      ? "The specification does not show how large a page may be."
      : `Pages of ${pageSize.default}, at most ${pageSize.max.toLocaleString("en-US")} rows.`,
    pageRequired && "`_page` must be sent; Siteframe does.",
  ];
  return [
    `## ${name}`,
    `\`GET ${path}\`. ${rules.filter(Boolean).join(" ")}`,
    ["| parameter | meaning |", "|---|---|", ...rows].join("\n"),
  ].join("\n\n");
}

function meaning({ kind, description, nullable, required, values, maxValues }) {
  const notes = [
    kind,
    required && "required",
    nullable && "or null",
    maxValues && `at most ${maxValues} in a request; Siteframe sends several`,
  ];
  const listed = values ? ` One of ${values.map(code).join(", ")}.` : "";
  return `${description}${listed} (${notes.filter(Boolean).join(", ")})`;
}

function order({ default: keys }) {
  if (keys === null) return "an order that the specification does not show";
  return keys.map(({ field, descending }) => `\`${descending ? "-" : "+"}${field}\``).join(", then ");
}

function sortable({ fields, complete, properties, deprecated = [] }) {
  const names = [...fields.map(code), ...(properties ? ["`properties.<key>`"] : [])];
  if (names.length === 0) return "";
  const old = deprecated.length > 0 ? ` (${deprecated.map(code).join(", ")} is deprecated)` : "";
  return `\`_sortBy\` takes ${names.join(", ")}${old}${complete ? "." : ", and what else the service sorts by."}`;
}

function code(text) {
  return `\`${text}\``;
}
