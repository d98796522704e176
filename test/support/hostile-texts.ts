import { oddTexts } from "./odd-texts.js";

const ESCAPE = "\u001b";

/** Strings with a meaning in some output language. Each is shorter than the limit of outputs. */
export const hostileTexts: readonly string[] = [
  ...oddTexts.filter((text) => text !== ""),
  // HTML, XML and scripts in pages
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  "</title></textarea><b>x",
  "<!-- x -->",
  "]]> <![CDATA[x]]>",
  "&lt;b&gt; &amp; &#60;",
  "<a href=javascript:alert(1)>x",
  // Markdown
  "**b** __b__ ~~s~~ `c`",
  "[l](https://evil.example)",
  "![i](https://evil.example)",
  "https://evil.example/x",
  "www.evil.example",
  "mail@evil.example",
  "total\n===",
  "x\n\n# h",
  "x\n\n1. y",
  "x\n\n    y",
  "x\n\n> y",
  "a | b\n--- | ---\nc | d",
  "$x^2$ \\(y\\)",
  // Formulas
  "=1+1",
  " =1+1",
  "\u00a0=1+1",
  "\ufeff=1+1",
  "＝1+1",
  "+1-1",
  "-1+1",
  "@SUM(A1)",
  "\t=1+1",
  "\r=1+1",
  "a;=1+1",
  // SQL, shells and templates
  "a'b",
  "a\\'b",
  "x\\",
  "a,b;c",
  "$(touch x) `id` %PATH%",
  "*/ alert(1) /*",
  // Terminals
  `${ESCAPE}[31mred${ESCAPE}[0m`,
  `${ESCAPE}]8;;https://evil.example\u0007link${ESCAPE}]8;;\u0007`,
  "\u009b31mred",
  "one\rtwo",
  "one\u2028two",
  "\u202egnp.exe",
  // JavaScript, files and workbooks
  "__proto__",
  "constructor",
  "C:\\new",
  "../../x",
  "_x000D_",
];

/** A harmless string of the same kind: it has no meaning in any output language. */
export const harmlessText = "harmless";
