import { safeFrames } from "./safe-frames.js";

const PIXELS = /^\d+(\.\d+)?px$/;

/**
 * Places a live frame over each fallback in an output if the frame runs only Siteframe's scripts.
 *
 * @param node JupyterLab's rendering of the untrusted output, without frames, scripts and styles
 * @param html the original output
 */
export function layFrames(node, html) {
  const frames = safeFrames(html);
  const fallbacks = node.querySelectorAll(".siteframe-view");
  if (fallbacks.length !== frames.length) return;
  for (const [index, frame] of frames.entries()) if (frame) layFrame(fallbacks[index], frame);
}

function layFrame(fallback, { page, title, mayDownload, mayOpen, mayFillScreen, width, room }) {
  Object.assign(fallback.style, { position: "relative", width: "100%", overflow: "hidden" });
  if (PIXELS.test(width)) fallback.style.maxWidth = width;
  if (PIXELS.test(room)) fallback.style.paddingBottom = room;
  const frame = document.createElement("iframe");
  const sandbox = [
    "allow-scripts",
    ...(mayDownload ? ["allow-downloads"] : []),
    ...(mayOpen ? ["allow-popups", "allow-popups-to-escape-sandbox"] : []),
  ];
  frame.setAttribute("sandbox", sandbox.join(" "));
  if (mayFillScreen) frame.allow = "fullscreen";
  frame.title = title;
  frame.className = "siteframe-frame";
  frame.style.cssText = "position:absolute;inset:0;width:100%;height:100%;border:0";
  frame.srcdoc = page;
  const style = document.createElement("style");
  style.textContent = "@media print { .siteframe-frame { display: none; } }";
  fallback.append(style, frame);
}
