import { basename } from "node:path";
import { ArgumentError } from "../../core/errors.js";
import { loadPackage } from "../../core/load-package.js";
import { showValue } from "../../core/show-value.js";
import { kpiLine, type ShownKpi } from "../../plot/figure/kpis.js";
import { escapeHtml } from "../../tables/display/text.js";
import type { Notebook } from "../file/notebook.js";
import { keyFigures } from "./notebook-summary.js";

/** Options of an e-mail with a report. */
export interface MessageOptions {
  /** Subject, and heading of the body. */
  readonly title: string;
  /** Addresses, as in mail programs: `Ann <ann@example.org>, bob@example.org`. */
  readonly to?: string | undefined;
  readonly attachments: readonly Attachment[];
}

/** An attached file. */
export interface Attachment {
  readonly path: string;
  readonly content: Buffer;
}

const contentTypes: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  html: "text/html; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

/**
 * Returns an e-mail that mail programs open as a draft (RFC 5322): the report's key figures, with its files attached. Mail
 * programs run no scripts, and not all of them support SVG or grids: the figures are in a plain table.
 *
 * @param notebook an executed notebook; its key figures are those of `kpis()`
 * @throws ArgumentError if nodemailer is not installed
 */
export async function toEml(notebook: Notebook, { title, to, attachments }: MessageOptions): Promise<Buffer> {
  const MailComposer = await loadComposer();
  const figures = keyFigures(notebook);
  const files = attachments.map(({ path }) => basename(path));
  const attached = files.length === 0 ? "" : `Attached: ${files.join(", ")}.`;
  const message = new MailComposer({
    subject: title,
    ...(to === undefined ? {} : { to }),
    // Outlook opens it as a draft.
    headers: { "X-Unsent": "1" },
    text: withMailLines([title, "", ...figures.map(kpiLine), "", attached].join("\n").trim()),
    html: withMailLines(htmlOf(title, figures, attached)),
    attachments: attachments.map(({ path, content }) => ({
      filename: basename(path),
      content,
      contentType: contentTypes[path.slice(path.lastIndexOf(".") + 1).toLowerCase()] ?? "application/octet-stream",
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return await message.compile().build();
}

/** RFC 5322, 2.3: CR and LF occur only together. Quoted-printable keeps line ends. */
function withMailLines(text: string): string {
  return text.replace(/\r\n?|\n/g, "\r\n");
}

const loadMail = <T>(load: () => Promise<T>) => loadPackage("siteframe report --eml", "nodemailer", "10", load);

async function loadComposer() {
  const { default: composer } = await loadMail(() => import("nodemailer/lib/mail-composer"));
  return composer;
}

/**
 * Checks whether an e-mail can be written to these addresses.
 *
 * @throws ArgumentError if nodemailer is not installed, and for an invalid address, which mail programs would silently drop
 */
export async function requireMessages(to: string | undefined): Promise<void> {
  const { default: parse } = await loadMail(() => import("nodemailer/lib/addressparser"));
  if (to === undefined) return;
  const parsed = parse(to, { flatten: true });
  const wrong = parsed.find(
    ({ address, name = "" }) => !isMailAddress(address) || (isMailAddress(name) && name !== address),
  );
  if (parsed.length > 0 && !wrong) return;
  // Without a comma, the second of two addresses is parsed as a name.
  const recipients =
    wrong && isMailAddress(wrong.address) ? `${wrong.address} ${wrong.name}` : wrong?.address || wrong?.name || to;
  throw new ArgumentError(`--to: invalid address ${showValue(recipients)}.`, {
    hint: 'Separate addresses with commas: --to "Ann <ann@example.org>, bob@example.org".',
    facts: { to },
  });
}

function isMailAddress(text: string | undefined): boolean {
  return /^[^\s@<>]+@[^\s@<>]+$/.test(text ?? "");
}

function htmlOf(title: string, figures: readonly ShownKpi[], attached: string): string {
  const cell = (text: string, style: string) => `<td style="padding:4px 18px 4px 0;${style}">${escapeHtml(text)}</td>`;
  const rows = figures.map(({ label, value, unit = "", note = "", change, colour }) => {
    const told =
      cell(label, "") + cell(`${value} ${unit}`.trim(), "text-align:right;font-weight:bold;white-space:nowrap");
    return `<tr>${told}${cell(change, colour === undefined ? "" : `color:${colour}`)}${cell(note, "color:#666666")}</tr>`;
  });
  const table = rows.length === 0 ? "" : `<table style="border-collapse:collapse">${rows.join("")}</table>`;
  return `<div style="font-family:Arial,sans-serif;font-size:14px"><h2 style="font-size:18px">${escapeHtml(title)}</h2>${table}<p>${escapeHtml(attached)}</p></div>`;
}
