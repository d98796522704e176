/** The style of all frames: a frame is transparent until it is live, and then has the ground that its still has. */
export const frameStyle = `:root { --text: #1d2228; --soft: #5c6670; --ground: #fff; --line: #cfd5da; --accent: #0072b2; --faint: 0.35; }
@media (prefers-color-scheme: dark) { :root { --text: #dfe4e9; --soft: #98a3ae; --ground: #15191d; --line: #3a434b; --accent: #56b4e9; } }
@media (prefers-contrast: more) { :root { --text: #000; --soft: #1d2228; --line: #5c6670; --accent: #004f7c; --faint: 0.65; } }
@media (prefers-contrast: more) and (prefers-color-scheme: dark) { :root { --text: #fff; --soft: #dfe4e9; --ground: #000; --line: #98a3ae; --accent: #9bd3f5; } }
@media (forced-colors: active) { :root { --text: CanvasText; --soft: CanvasText; --ground: Canvas; --line: CanvasText; --accent: Highlight; --faint: 0.65; } }
html { color: var(--text); overflow: hidden; } html.live { background: var(--ground); color-scheme: light dark; }
body { margin: 0; font: 12px/1.4 system-ui, sans-serif; } html:not(.live) body { visibility: hidden; }
#said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }`;
