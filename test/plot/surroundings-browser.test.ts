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

/** In the page: the ground of the table's header and of the figures, and what a halo in the innermost chart is. */
const lookAtColours = `(() => {
  const figures = [...document.querySelectorAll("svg.siteframe-plot")];
  const ground = (element) => getComputedStyle(element).backgroundColor;
  const halo = (svg) => {
    const probe = document.createElementNS("http://www.w3.org/2000/svg", "text");
    probe.setAttribute("style", "stroke: var(--plot-background)");
    (svg.querySelector("svg") ?? svg).append(probe);
    return getComputedStyle(probe).stroke;
  };
  return { header: ground(document.querySelector("th")), grounds: figures.map(ground), halos: figures.map(halo) };
})()`;

/** VS Code's page of outputs has its theme's colours, and a white ground of JupyterLab's in every theme. */
const vsCode = (theme: string, ground: string) => ({ theme, style: `--vscode-editor-background: ${ground}` });

describe.runIf(browserPath)("outputs in pages of others", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(() => browser?.close());

  async function colours(
    { theme, style }: { readonly theme: string; readonly style: string },
    colorScheme: "light" | "dark",
    jupyterGround: string,
  ) {
    const { "text/html": html } = await toMimeBundle(table({ n: [1, 2] }));
    const marks = [Plot.dot([[1, 2]])];
    const [bare, titled] = [plot({ marks }).toSVG(), plot({ marks, title: "Dots" }).toSVG()];
    const page = await browser.newPage({ colorScheme });
    try {
      await page.setContent(
        `<html style="${style}; --jp-layout-color0: ${jupyterGround}"><body class="${theme}">${String(html)}${bare}${titled}</body></html>`,
      );
      return await page.evaluate(lookAtColours);
    } finally {
      await page.close();
    }
  }

  test.each([
    [
      "VS Code, dark, on a light system",
      vsCode("vscode-dark", "rgb(31, 31, 31)"),
      "light",
      "white",
      "rgb(31, 31, 31)",
      dark,
    ],
    [
      "VS Code, light, on a dark system",
      vsCode("vscode-light", "rgb(250, 250, 250)"),
      "dark",
      "white",
      "rgb(250, 250, 250)",
      light,
    ],
    [
      "VS Code, high contrast, on a light system",
      vsCode("vscode-high-contrast", "rgb(0, 0, 0)"),
      "light",
      "white",
      "rgb(0, 0, 0)",
      dark,
    ],
    [
      "VS Code, high contrast and light, on a dark system",
      vsCode("vscode-high-contrast vscode-high-contrast-light", "rgb(255, 255, 255)"),
      "dark",
      "white",
      light,
      light,
    ],
    [
      "JupyterLab, dark, on a light system",
      { theme: "", style: "" },
      "light",
      "rgb(17, 17, 17)",
      "rgb(17, 17, 17)",
      light,
    ],
    ["JupyterLab, light, on a dark system", { theme: "", style: "" }, "dark", "white", light, dark],
  ] as const)("%s: header and halos are on their own ground", async (...place) => {
    const [, surroundings, system, jupyterGround, header, ground] = place;
    expect(await colours(surroundings, system, jupyterGround)).toEqual({
      header,
      grounds: [ground, ground],
      halos: [ground, ground],
    });
  });
});
