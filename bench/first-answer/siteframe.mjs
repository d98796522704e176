/** `node siteframe.mjs ADDRESS` reports the time from the import to a layer. */
import { assertEqual, report } from "../programs.mjs";

const start = performance.now();
const { connect } = await import("siteframe");
const layer = await connect({ baseUrl: process.argv[2], apiKey: "demo", showProgress: false }).layer({ site_id: 12 });
const rows = layer.table.numRows();
const ms = performance.now() - start;
assertEqual("rows", rows, 2);
report({ ms });
