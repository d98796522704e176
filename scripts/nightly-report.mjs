// A report for every night, by plain Node: one HTML page with figures, and a CSV of the tickets as they are now.
//
//   SITEFRAME_BASE_URL=… SITEFRAME_API_KEY=… node nightly-report.mjs FOLDER [SITE_ID] [DATE]
//
// Exit code 0: written. 1: could not be made; the reason is on stderr. 2: written, and tickets are overdue.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect, SiteframeError } from "siteframe";
import { burnDown, cumulativeFlow, timeInStatus } from "siteframe/plot";

const DAY_MS = 86_400_000;
const order = ["OPEN", "IN_PROGRESS", "BLOCKED", "RESOLVED", "CLOSED"];
const done = ["RESOLVED", "CLOSED"];
const colours = ["#0072b2", "#56b4e9", "#d55e00", "#009e73", "#8a949d"];
const toHtml = (text) => String(text).replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);

async function main([folder, siteId, date = new Date().toISOString().slice(0, 10)]) {
  if (!folder) throw new Error("Say where the report goes: node nightly-report.mjs FOLDER [SITE_ID] [DATE]");
  // Nobody who gets the report needs to know who edited.
  const source = connect({ redact: true, progress: false });
  const sites = (await source.sites()).objects();
  const site = siteId === undefined ? sites[0] : sites.find(({ id }) => id === Number(siteId));
  if (!site) throw new Error(`No site ${siteId ?? ""} can be read with this key.`);

  const tickets = await source.layer({ site_id: site.id, semantic_type: "PUNCH_LIST_ITEMS" }, { optionLabels: true });
  const history = await tickets.history();
  const from = new Date(Date.parse(date) - 180 * DAY_MS).toISOString().slice(0, 10);
  const dates = { from, to: date, every: "day" };
  const overdue = history
    .asOf(date)
    .objects()
    .filter(({ STATUS, DUE_DATE }) => !done.includes(STATUS) && DUE_DATE !== null && DUE_DATE < date);

  const figures = [
    burnDown(history, "STATUS", { done, dates, y: { label: "tickets" } }),
    cumulativeFlow(history, "STATUS", { order, dates, y: { label: "tickets" }, color: { range: colours } }),
    timeInStatus(history, "STATUS", { order, until: date, leaveOut: ["CLOSED"] }),
  ];
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "report.html"), page(site.name, date, figures, overdue, tickets.findings));
  await tickets.toCSV({ path: join(folder, "tickets.csv") });
  console.log(`${folder}: ${tickets.rowCount} tickets, ${overdue.length} overdue on ${date}`);
  return overdue.length === 0 ? 0 : 2;
}

function page(name, date, figures, overdue, findings) {
  const rows = overdue.map(
    ({ visible_id, Title, STATUS, DUE_DATE }) =>
      `<tr>${[visible_id, Title, STATUS, DUE_DATE].map((cell) => `<td>${toHtml(cell)}</td>`).join("")}</tr>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${toHtml(name)}, ${date}</title>
<style>:root { color-scheme: light dark } body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
figure { margin: 2rem 0; break-inside: avoid } figure > div { font-size: 12px !important } svg { max-width: 100%; height: auto }
figure h2 { font-size: 1.1rem; margin: 0 } figure h3 { font-size: .9rem; font-weight: 400; margin: 0 0 .5rem; opacity: .75 } figcaption { font-size: .8rem; opacity: .7 }
table { border-collapse: collapse; font-size: .9rem } td, th { padding: .2rem .8rem .2rem 0; text-align: left; border-bottom: 1px solid #8884 }
footer { font-size: .8rem; opacity: .7 } @media print { body { margin: 0; max-width: none; font-size: 11pt } tr { break-inside: avoid } }</style>
<h1>${toHtml(name)}</h1><p>As of ${date}. ${overdue.length} tickets are overdue.</p>
${figures.map(({ outerHTML }) => outerHTML).join("\n")}
<h2>Overdue</h2><table><tr><th>Ticket<th>Title<th>Status<th>Due</tr>${rows.join("\n")}</table>
<footer>Worth knowing:<ul>${findings.map(({ message }) => `<li>${toHtml(message)}</li>`).join("")}</ul></footer></html>
`;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof SiteframeError ? `${error.code}: ${error.message}` : error);
  process.exitCode = 1;
}
