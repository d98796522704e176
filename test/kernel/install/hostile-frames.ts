import { frameScript } from "../../../src/tables/display/frame-script.js";

/** An output that imitates a view. */
export interface HostileFrame {
  readonly name: string;
  readonly html: string;
  /** Whether it gets a frame. Then the policy of the frame must protect the page. */
  readonly isFramed: boolean;
}

/**
 * Outputs that try to run a script, or to take a frame to another page.
 *
 * @param away an address that must not be asked
 */
export function hostileFrames(away: string): readonly HostileFrame[] {
  const shout = `parent.postMessage("ran", "*"); top.postMessage("ran", "*"); new Image().src = "${away}/image";`;
  const lax = `<meta http-equiv="Content-Security-Policy" content="default-src * 'unsafe-inline' 'unsafe-eval'">`;
  // The head of a valid frame.
  const claim = `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="script-src '${frameScript("chart").hash}' 'unsafe-inline'">`;
  const framed = {
    "a script": `<script>${shout}</script>`,
    "a script under a lax policy": `${lax}<script>${shout}</script>`,
    "a script from elsewhere": `<script src="data:image/png,${shout}"></script>`,
    "a module": `<script type="module">${shout}</script>`,
    "a script next to a valid script": `<script>${frameScript("chart").code}</script><script>${shout}</script>`,
    "rules of what to load before": `<script type="speculationrules">{"prefetch":[{"source":"list","urls":["${away}/rules"]}]}</script>`,
    "a style": `<style>@import "${away}/import"; body { background: url(${away}/basemap) }</style>`,
    "a script in a template": `<template><script>${shout}</script></template>`,
    "a style of one element": `<p style="background: url(${away}/basemap)">a</p>`,
  };
  const refused = {
    "a handler": `<body onload="${shout.replaceAll('"', "'")}">`,
    "a handler of an image": `<img src="x" onerror="${shout.replaceAll('"', "'")}">`,
    "a refresh": `<meta http-equiv="refresh" content="0;url=${away}/refresh">`,
    "a refresh in other letters": `<META HTTP-EQUIV=" ReFresh " CONTENT="0;url=${away}/refresh">`,
    "a refresh in what is not scripted": `<noscript><meta http-equiv="refresh" content="0;url=${away}/noscript"></noscript>`,
    "a link": `<a href="${away}/link">a</a>`,
    "a link in a drawing": `<svg><a xlink:href="${away}/link"><text>a</text></a></svg>`,
    "an image from elsewhere": `<svg><image href="${away}/image"/></svg>`,
    "a part from elsewhere": `<svg><use href="${away}/use#a"/></svg>`,
    "a drawing that changes its address": `<svg><set attributeName="href" to="${away}"/></svg>`,
    "HTML in a drawing": `<svg><foreignObject><p>a</p></foreignObject></svg>`,
    "a form": `<form action="${away}/form"><input></form>`,
    "a button that sends": `<button formaction="${away}/form">a</button>`,
    "a frame": `<iframe src="${away}/frame"></iframe>`,
    "a frame with a page": `<iframe srcdoc="&lt;script&gt;parent.parent.postMessage('ran','*')&lt;/script&gt;"></iframe>`,
    "an object": `<object data="${away}/object"></object>`,
    "an embedded thing": `<embed src="${away}/embed">`,
    "a base": `<base href="${away}/">`,
    "a prefetch": `<link rel="prefetch" href="${away}/prefetch"><link rel="dns-prefetch" href="${away}">`,
    "a link in a template": `<template><a href="${away}/link">a</a></template>`,
    "a refresh in a template of a template": `<template><template><meta http-equiv="refresh" content="0;url=${away}/refresh"></template></template>`,
    "a link in a shadow": `<p><template shadowrootmode="open"><a href="${away}/link">a</a></template></p>`,
    "what is parsed in two ways": `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=1&gt;">`,
  };
  const output = (name: string, body: string, isFramed: boolean): HostileFrame => ({
    name,
    isFramed,
    html:
      `<div class="siteframe-view"><p>Still of ${name}</p>` +
      `<iframe sandbox="allow-scripts allow-same-origin allow-top-navigation allow-popups allow-forms" srcdoc="${attribute(claim + body)}"></iframe></div>`,
  });
  return [
    ...Object.entries(framed).map(([name, body]) => output(name, body, true)),
    ...Object.entries(refused).map(([name, body]) => output(name, body, false)),
    outside("a script around it", `<script>${shout}</script>`),
    outside(
      "a handler around it",
      `<p onclick="alert(1)"><img src="data:," onerror="window.heard.push('handler')"></p>`,
    ),
    outside(
      "a frame around it",
      `<iframe srcdoc="${attribute("<script>parent.heard.push('frame')</script>")}"></iframe>`,
    ),
    outside("another release", "", `<iframe srcdoc="${attribute(`<script>${shout}</script>`)}"></iframe>`),
    { name: "no view", isFramed: false, html: `<p>Still of no view</p><iframe srcdoc="<p>a"></iframe>` },
  ];
}

function outside(name: string, around: string, within = ""): HostileFrame {
  return { name, isFramed: false, html: `${around}<div class="siteframe-view"><p>Still of ${name}</p>${within}</div>` };
}

function attribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}
