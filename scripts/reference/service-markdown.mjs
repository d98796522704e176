/**
 * Endpoints of the service, from the contract that client and service share.
 *
 * @param {{ endpoints: object, resources: object }} contract
 * @returns {string} Markdown
 */
export function serviceMarkdown({ endpoints, resources }) {
  return `${[
    "# Service endpoints",
    "<!-- Made by `npm run docs` from src/api. -->",
    "Each parameter accepts one value or several, and a record matches if it has one of them. With several parameters, a record must match all. `siteframe openapi` prints the whole contract. See also [Choose filters for a layer](../how-to/filter-layers.md).",
    ...Object.entries(endpoints).map(([name, endpoint]) => section(name, endpoint, resources[name].record)),
  ].join("\n\n")}\n`;
}

function section(name, { path, summary, filters, oneOf, pageSize, pageRequired, sort }, record) {
  const facts = [
    `Records: [${record}](siteframe.md#${record.toLowerCase()})`,
    oneOf && `Required: at least one of ${oneOf.map(code).join(", ")}`,
    `Default order: ${order(sort)}`,
    sortable(sort),
    pageSize.max === null
      ? "Maximum page size: unspecified"
      : `Page size: ${pageSize.default} by default, at most ${pageSize.max.toLocaleString("en-US")}`,
    pageRequired && "`_page` is required; Siteframe sends it",
  ];
  return [
    `## ${name}`,
    `\`GET ${path}\`. ${summary}`,
    facts
      .filter(Boolean)
      .map((fact) => `- ${fact}.`)
      .join("\n"),
    [
      "| parameter | type | meaning |",
      "|---|---|---|",
      ...Object.entries(filters).map(
        ([parameter, filter]) => `| \`${parameter}\` | ${type(filter)} | ${meaning(filter)} |`,
      ),
    ].join("\n"),
  ].join("\n\n");
}

function type({ kind, nullable, required }) {
  return [`${kind}${nullable ? " or null" : ""}`, required && "required"].filter(Boolean).join(", ");
}

function meaning({ description, values, maxValues }) {
  const listed = values ? ` One of ${values.map(code).join(", ")}.` : "";
  const limit = maxValues ? ` At most ${maxValues} per request; Siteframe splits longer lists.` : "";
  return `${description}${listed}${limit}`;
}

function order({ default: keys }) {
  if (keys === null) return "unspecified";
  return keys.map(({ field, descending }) => `\`${descending ? "-" : "+"}${field}\``).join(", then ");
}

function sortable({ fields, complete, properties, deprecated = [] }) {
  const names = [...fields.map(code), ...(properties ? ["`properties.<key>`"] : [])];
  if (names.length === 0) return undefined;
  const old = deprecated.length > 0 ? ` (${deprecated.map(code).join(", ")} is deprecated)` : "";
  return `\`_sortBy\`: ${names.join(", ")}${old}${complete ? "" : "; the specification may omit others"}`;
}

function code(text) {
  return `\`${text}\``;
}
