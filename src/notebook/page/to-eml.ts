import { basename } from "node:path";
import { ArgumentError } from "../../core/errors.js";
import { withUnit } from "../../core/format/format-number.js";
import { loadPackage } from "../../core/load-package.js";
import { showValue } from "../../core/show-value.js";
import { changeHtml, type ShownKpi } from "../../plot/figure/kpis.js";
import { escapeHtml } from "../../tables/display/text.js";
import type { Notebook } from "../file/notebook.js";
import { keyFigures, summarizeNotebook } from "./notebook-summary.js";

/** Options of an e-mail with a report. */
export interface MessageOptions {
  /** Subject, and heading of the body. */
  readonly title: string;
  /** Addresses, as in mail programs: `Ann <ann@example.org>, bob@example.org`. */
  readonly to?: string | undefined;
  /** Address of the published report. */
  readonly link?: string | undefined;
  /** Name below the message. */
  readonly author?: string | undefined;
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
 * Returns an e-mail that mail programs open as a draft (RFC 5322): greeting, period, the report's key figures with their
 * changes, and a link, as text and as HTML, with the report's files attached. Mail programs run no scripts, and not all of
 * them support SVG or grids: each figure is a row of a plain table, with its label above.
 *
 * @param notebook an executed notebook; its key figures are those of `kpis()`
 * @throws ArgumentError if nodemailer is not installed
 */
export async function toEml(
  notebook: Notebook,
  { title, to, link, author, attachments }: MessageOptions,
): Promise<Buffer> {
  const MailComposer = await loadComposer();
  const figures = keyFigures(notebook);
  const since = figures.find((figure) => figure.since !== undefined)?.since;
  const period = summarizeNotebook(notebook).blurb;
  const files = attachments.map(({ path }) => basename(path));
  const letter: Letter = {
    title,
    greeting: await greetingOf(to),
    period,
    changes: since === undefined || /\bsince\b/.test(period) ? "" : `Changes are since ${since}.`,
    figures: figures.map(figureLine),
    link,
    attached: files.length === 0 ? "" : `Attached: ${files.join(", ")}.`,
    author: author ?? "",
  };
  const message = new MailComposer({
    subject: title,
    ...(to === undefined ? {} : { to }),
    // Outlook opens it as a draft.
    headers: { "X-Unsent": "1" },
    text: withMailLines(textOf(letter)),
    html: withMailLines(htmlOf(letter)),
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

/** The parts of a message; empty if there is nothing to say. */
interface Letter {
  readonly title: string;
  readonly greeting: string;
  readonly period: string;
  readonly changes: string;
  readonly figures: readonly FigureLine[];
  readonly link: string | undefined;
  readonly attached: string;
  readonly author: string;
}

/** A key figure on two lines. */
interface FigureLine {
  readonly label: string;
  readonly value: string;
  /** Without the date of the last report, which the message has once. */
  readonly change: string;
  readonly note: string;
  readonly colour: string | undefined;
}

function figureLine({ label, value, unit, change, note = "", since, suffix, colour }: ShownKpi): FigureLine {
  const without = change.endsWith(suffix) ? change.slice(0, change.length - suffix.length) : change;
  // A count since the last report.
  const isSince = since !== undefined && note.endsWith(since) && note.length <= suffix.trim().length;
  return { label, value: withUnit(value, unit), change: without, note: isSince ? "" : note, colour };
}

/** Greets a single recipient by name. */
async function greetingOf(to: string | undefined): Promise<string> {
  const { default: parse } = await loadMail(() => import("nodemailer/lib/addressparser"));
  const [first, ...others] = to === undefined ? [] : parse(to, { flatten: true });
  return first?.name && others.length === 0 ? `Hello ${first.name},` : "Hello,";
}

function textOf({ title, greeting, period, changes, figures, link, attached, author }: Letter): string {
  const lines = figures.map(({ label, value, change, note }) => {
    const rest = [change, note].filter(Boolean).join("; ");
    return `${label}: ${value}${rest ? ` (${rest})` : ""}`;
  });
  const parts = [
    greeting,
    [title, period, changes].filter(Boolean).join("\n"),
    lines.join("\n"),
    link === undefined ? "" : `Open the report: ${link}`,
    attached,
    author,
  ];
  return parts.filter(Boolean).join("\n\n");
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

/** Text colors with a contrast of at least 4.5 to 1 on white. */
const GRAY = "#5f6670";

function htmlOf({ title, greeting, period, changes, figures, link, attached, author }: Letter): string {
  const paragraph = (text: string, style = "") =>
    text === "" ? "" : `<p style="margin:0 0 12px;${style}">${escapeHtml(text)}</p>`;
  const rows = figures.map((figure) => `<tr>${cell(labelHtml(figure), "")}${cell(valueHtml(figure), VALUE)}</tr>`);
  const table =
    rows.length === 0
      ? ""
      : `<table role="presentation" style="border-collapse:collapse;width:100%;max-width:480px;margin:0 0 16px">${rows.join("")}</table>`;
  const button =
    link === undefined
      ? ""
      : `<p style="margin:0 0 16px"><a href="${escapeHtml(link)}" style="display:inline-block;background:#1f5fa8;color:#ffffff;text-decoration:none;padding:9px 16px;border-radius:4px">Open the report</a></p>`;
  const heading = `<h2 style="font-size:18px;line-height:1.3;margin:0 0 4px">${escapeHtml(title)}</h2>`;
  const body = [
    paragraph(greeting),
    heading,
    paragraph([period, changes].filter(Boolean).join(" "), `color:${GRAY}`),
    table,
    button,
    paragraph(attached, `color:${GRAY};font-size:13px;overflow-wrap:anywhere`),
    paragraph(author),
  ];
  return `<div style="font-family:Arial,Helvetica,sans-serif;font-size:15px;line-height:1.45;color:#1f2328;max-width:560px">${body.join("")}</div>`;
}

const VALUE = "text-align:right;white-space:nowrap";

function cell(html: string, style: string): string {
  return `<td style="border-top:1px solid #d8dde3;padding:7px 0;vertical-align:top;${style}">${html}</td>`;
}

function labelHtml({ label, note }: FigureLine): string {
  const below = note === "" ? "" : `<div style="color:${GRAY};font-size:12px">${escapeHtml(note)}</div>`;
  return `<div style="padding-right:12px">${escapeHtml(label)}${below}</div>`;
}

/** Only the arrow is colored: the words keep their contrast. */
function valueHtml({ value, change, colour }: FigureLine): string {
  const below =
    change === "" ? "" : `<div style="color:${GRAY};font-size:13px">${changeHtml({ change, colour })}</div>`;
  return `<div style="font-weight:bold;font-size:16px">${escapeHtml(value)}</div>${below}`;
}
