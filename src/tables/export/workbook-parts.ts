import type { Feature, Image } from "write-excel-file/node";
import { escapeHtml } from "../display/text.js";
import type { PaperSize, WorkbookProperties } from "./workbook-content.js";

/** Types of picture data that the writer accepts. */
export type SheetFile = Image["content"];

/** Parts of a sheet that the writer does not support itself. */
export interface SheetParts {
  readonly name: string;
  /** Number of first rows that are repeated on each printed page; 0 for a picture. */
  readonly headerRows: number;
  /** Range of a table with its header, which gets filter buttons: `A1:G25`. */
  readonly filtered: string | undefined;
  readonly isLandscape: boolean;
}

/** Paper sizes by their numbers in workbooks. */
const paperSizes: Readonly<Record<PaperSize, number>> = { A4: 9, Letter: 1 };

/** Filter buttons, page setup, repeated headers, document properties, and valid styles. */
export function workbookParts(
  sheets: readonly SheetParts[],
  properties: WorkbookProperties,
  paper: PaperSize,
): Feature<SheetFile> {
  const overrides = propertyParts.map(({ name, type }) => `<Override PartName="/${name}" ContentType="${type}"/>`);
  const relations = propertyParts.map(({ name, relation }, index) => {
    return `<Relationship Id="rId-properties-${index + 1}" Type="${relation}" Target="${name}"/>`;
  });
  return {
    files: {
      transform: {
        "[Content_Types].xml": { insert: () => overrides.join("") },
        "_rels/.rels": { insert: () => relations.join("") },
        "xl/styles.xml": { transform: completeStyles },
        "xl/workbook.xml": { transform: (xml) => xml.replace("<definedNames/>", () => definedNames(sheets)) },
        "xl/worksheets/sheet{id}.xml": {
          transform: (xml, _, { sheetIndex }) => {
            const sheet = sheets[sheetIndex] as SheetParts;
            const after = `${filterXml(sheet)}${pageXml(sheet, properties.title, paperSizes[paper])}`;
            return xml
              .replace(/<worksheet[^>]*>/, '$&<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>')
              .replace(/<cols>|<sheetData/, `${ROW_FORMAT}$&`)
              .replace(/<\/sheetData>|<sheetData\/>/, (end) => `${end}${after}`);
          },
        },
      },
      write: { files: () => ({ "docProps/core.xml": coreXml(properties), "docProps/app.xml": APPLICATION }) },
    },
  };
}

const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

const propertyParts = [
  {
    name: "docProps/core.xml",
    type: "application/vnd.openxmlformats-package.core-properties+xml",
    relation: `${PACKAGE}/relationships/metadata/core-properties`,
  },
  {
    name: "docProps/app.xml",
    type: "application/vnd.openxmlformats-officedocument.extended-properties+xml",
    relation: `${OFFICE}/relationships/extended-properties`,
  },
] as const;

const APPLICATION = `${DECLARATION}<Properties xmlns="${OFFICE}/extended-properties"><Application>Siteframe</Application></Properties>`;

function coreXml({ title, subject, author, created }: WorkbookProperties): string {
  const field = (name: string, text: string | undefined) =>
    text === undefined ? "" : `<dc:${name}>${xmlText(text)}</dc:${name}>`;
  // The schema allows milliseconds.
  const day = created.toISOString();
  const dates = ["created", "modified"].map(
    (name) => `<dcterms:${name} xsi:type="dcterms:W3CDTF">${day}</dcterms:${name}>`,
  );
  return `${DECLARATION}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">${field("title", title)}${field("subject", subject)}${field("creator", author)}${dates.join("")}</cp:coreProperties>`;
}

/** Characters that XML excludes. */
const NOT_IN_XML = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]|\p{Surrogate}/gu;

function xmlText(text: string): string {
  return escapeHtml(text.replace(NOT_IN_XML, "\ufffd"));
}

function filterXml({ filtered }: SheetParts): string {
  return filtered === undefined ? "" : `<autoFilter ref="${filtered}"/>`;
}

/** Height of rows in points. */
const ROW_FORMAT = '<sheetFormatPr defaultRowHeight="15"/>';

/** Margins and the distance of header and footer, in inches. */
const MARGINS = '<pageMargins left="0.5" right="0.5" top="0.75" bottom="0.75" header="0.3" footer="0.3"/>';

/** Maximum length of a title in a header, which has at most 255 characters including its codes. */
const MOST_TITLE = 100;

/** Tables fit to the width of the page and have as many pages as they need; a picture has one page. */
function pageXml({ headerRows, isLandscape }: SheetParts, title: string | undefined, paper: number): string {
  const orientation = isLandscape ? "landscape" : "portrait";
  const height = headerRows === 0 ? 1 : 0;
  const text = (title ?? "").slice(0, MOST_TITLE).replaceAll("&", "&&");
  const header = title === undefined ? "" : `<oddHeader>${xmlText(`&L${text}`)}</oddHeader>`;
  const footer = `<oddFooter>${xmlText("&L&A&R&P / &N")}</oddFooter>`;
  return `${MARGINS}<pageSetup paperSize="${paper}" fitToHeight="${height}" orientation="${orientation}"/><headerFooter>${header}${footer}</headerFooter>`;
}

function definedNames(sheets: readonly SheetParts[]): string {
  const names = sheets.flatMap(({ name, headerRows, filtered }, index) => {
    const sheet = xmlText(`'${name.replaceAll("'", "''")}'`);
    const range = filtered?.replaceAll(/([A-Z]+)(\d+)/g, "$$$1$$$2");
    const filter =
      range === undefined
        ? []
        : [
            `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">${sheet}!${range}</definedName>`,
          ];
    const titles =
      headerRows === 0
        ? []
        : [
            `<definedName name="_xlnm.Print_Titles" localSheetId="${index}">${sheet}!$${headerRows}:$${headerRows}</definedName>`,
          ];
    return [...filter, ...titles];
  });
  return names.length === 0 ? "" : `<definedNames>${names.join("")}</definedNames>`;
}

/** Children of a font in the order that Excel requires; the writer puts others first. */
const fontParts = ["b", "i", "strike", "u", "sz", "color", "name", "family"] as const;

function completeStyles(xml: string): string {
  const sorted = xml.replaceAll(/<font>(.*?)<\/font>/g, (_, inner: string) => {
    const parts = fontParts.flatMap((name) => inner.match(`<${name}(?: [^>]*)?/>`) ?? []);
    // Without a theme, its colors are undefined.
    return `<font>${parts.join("").replace('<color theme="1"/>', '<color rgb="FF000000"/>')}</font>`;
  });
  return sorted
    .replace("<cellXfs", `${NORMAL}<cellXfs`)
    .replace(
      "</cellXfs>",
      '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>',
    );
}

/** The style that cells are based on; openpyxl warns without one. */
const NORMAL = '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>';
