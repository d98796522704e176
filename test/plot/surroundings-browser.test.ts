import { table } from "arquero";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Plot, plot } from "../../src/plot/index.js";
import { toMimeBundle } from "../../src/tables/display/to-mime-bundle.js";
import { findBrowser } from "../support/browser.js";
import { openBrowser } from "../support/open-browser.js";

const browserPath = findBrowser();
const light = "rgb(255, 255, 255)";
const dark = "rgb(21, 25, 29)";
const lightContrast = "vscode-high-contrast vscode-high-contrast-light";

/** In the page: the background of the table's header and of the figures, and the color of a halo in the innermost chart. */
const lookAtColours = `(() => {
  const figures = [...document.querySelectorAll("svg.siteframe-plot")];
  const background = (element) => getComputedStyle(element).backgroundColor;
  const halo = (svg) => {
    const probe = document.createElementNS("http://www.w3.org/2000/svg", "text");
    probe.setAttribute("style", "stroke: var(--plot-background)");
    (svg.querySelector("svg") ?? svg).append(probe);
    return getComputedStyle(probe).stroke;
  };
  return { header: background(document.querySelector("th")), backgrounds: figures.map(background), halos: figures.map(halo) };
})()`;

describe.runIf(browserPath)("outputs in other pages", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(() => browser?.close());

  /** VS Code's page of outputs has its own background, and JupyterLab's in white with every theme. */
  async function colours(theme: string, colorScheme: "light" | "dark", background: string) {
    const { "text/html": html } = await toMimeBundle(table({ n: [1, 2] }));
    const marks = [Plot.dot([[1, 2]])];
    const [bare, titled] = [plot({ marks }).toSVG(), plot({ marks, title: "Dots" }).toSVG()];
    const style = theme
      ? `--vscode-editor-background: ${background}; --jp-layout-color0: white`
      : `--jp-layout-color0: ${background}`;
    const page = await browser.newPage({ colorScheme });
    try {
      await page.setContent(
        `<html style="${style}"><body class="${theme}">${String(html)}${bare}${titled}</body></html>`,
      );
      return await page.evaluate(lookAtColours);
    } finally {
      await page.close();
    }
  }

  test.each([
    ["VS Code, dark, on a light system", "vscode-dark", "light", "rgb(31, 31, 31)", dark],
    ["VS Code, light, on a dark system", "vscode-light", "dark", "rgb(250, 250, 250)", light],
    ["VS Code, high contrast, on a light system", "vscode-high-contrast", "light", "rgb(0, 0, 0)", dark],
    ["VS Code, light with high contrast, on a dark system", lightContrast, "dark", light, light],
    ["JupyterLab, dark, on a light system", "", "light", "rgb(17, 17, 17)", light],
    ["JupyterLab, light, on a dark system", "", "dark", light, dark],
  ] as const)("%s: header and halos have their own background", async (_, theme, system, header, figure) => {
    expect(await colours(theme, system, header)).toEqual({
      header,
      backgrounds: [figure, figure],
      halos: [figure, figure],
    });
  });
});
