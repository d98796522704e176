/** The style of the tip of charts and maps, and of the legend that it goes with. */
export const tipStyle = `#tip { position: fixed; z-index: 3; pointer-events: none; box-sizing: border-box; max-width: min(20rem, 96vw); padding: 5px 9px; border: 1px solid var(--line); border-radius: 6px; background: var(--ground); color: var(--text); box-shadow: 0 3px 10px #0003; overflow-wrap: anywhere; }
#tip[hidden] { display: none; } #tip b { font-weight: 600; } #tip table { border-spacing: 0; }
#tip th { padding: 0 12px 0 0; color: var(--soft); font-weight: 400; text-align: left; } #tip td { text-align: right; font-variant-numeric: tabular-nums; }
#tip i { display: inline-block; width: 9px; height: 9px; margin-right: 6px; border-radius: 2px; } #tip .near :is(th, td) { color: var(--text); font-weight: 600; } [aria-pressed=true] text { font-weight: 600; text-decoration: underline; }
@media (forced-colors: active) { #tip i { forced-color-adjust: none; } }
@media print { #tip { display: none; } }
`;
