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
    "Every endpoint needs an API key in the header `Authorization`. `siteframe openapi` prints the whole contract. See also [Choose filters for a layer](../how-to/filter-layers.md).",
    ...conventions,
    ...Object.entries(endpoints).map(([name, endpoint]) => section(name, endpoint, resources[name].record)),
  ].join("\n\n")}\n`;
}

const conventions = [
  `\`\`\`http
GET /datasets?site_id=12&_page=1&_pageSize=100
Authorization: ApiKey <key>
\`\`\``,
  "## Pages",
  "Each response is one page: `data` has its records (shortened here), `pagination` its place among all pages.",
  `\`\`\`json
{
  "data": [{ "id": 7, "name": "Trenches" }],
  "pagination": { "page": 1, "pageSize": 100, "rowCount": 1, "pageCount": 1 }
}
\`\`\``,
  `| parameter | meaning |
|---|---|
| \`_page\` | Number of the page, from 1 (the default) to \`pageCount\`. |
| \`_pageSize\` | Maximum count of records in a page. |
| \`_sortBy\` | Field that orders the records, descending with a \`-\` before it (\`-updated_at\`); repeat the parameter to order records with equal values. |`,
  "Siteframe sends these parameters itself. [`source.pages()`](siteframe.md#pages) accepts `_sortBy`.",
  "## Filters",
  "Each filter accepts one value or several (`id=1&id=2`), and a record matches if it has one of them. `operation_id[]=` selects records whose value is null. With several filters, a record must match all.",
];

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
  return `\`_sortBy\`: ${names.join(", ")}${old}${complete ? "" : "; the service may accept others"}`;
}

function code(text) {
  return `\`${text}\``;
}
