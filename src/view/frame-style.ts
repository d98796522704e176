/** The style of all frames: a frame is transparent until it is live, and then has the ground that its still has. */
export const frameStyle = `:root { --text: #1d2228; --soft: #5c6670; --ground: #fff; --line: #cfd5da; --accent: #0072b2; }
@media (prefers-color-scheme: dark) { :root { --text: #dfe4e9; --soft: #98a3ae; --ground: #15191d; --line: #3a434b; --accent: #56b4e9; } }
@media (forced-colors: active) { :root { --text: CanvasText; --soft: CanvasText; --ground: Canvas; --line: CanvasText; --accent: Highlight; } }
html { color: var(--text); overflow: hidden; } html.live { background: var(--ground); color-scheme: light dark; }
body { margin: 0; font: 12px/1.4 system-ui, sans-serif; } html:not(.live) body { visibility: hidden; }
#tip { position: fixed; z-index: 3; pointer-events: none; box-sizing: border-box; max-width: min(20rem, 96vw); padding: 5px 9px; border: 1px solid var(--line); border-radius: 6px; background: var(--ground); color: var(--text); box-shadow: 0 3px 10px #0003; overflow-wrap: anywhere; }
#tip[hidden] { display: none; } #tip b { font-weight: 600; } #tip table { border-spacing: 0; }
#tip th { padding: 0 12px 0 0; color: var(--soft); font-weight: 400; text-align: left; } #tip td { text-align: right; font-variant-numeric: tabular-nums; }
#tip i { display: inline-block; width: 9px; height: 9px; margin-right: 6px; border-radius: 2px; } #tip .near :is(th, td) { color: var(--text); font-weight: 600; }
#said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media print { #tip { display: none; } }`;
