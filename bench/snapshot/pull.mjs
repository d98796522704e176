/** Pulls a snapshot: `node pull.mjs FOLDER ADDRESS` reports CPU time, requests for the log, and rows. */
import { connect, pull } from "../../modules/index.js";
import { report } from "../programs.mjs";

const [folder, baseUrl] = process.argv.slice(2);
const source = connect({ baseUrl, apiKey: "k", showProgress: false });
let logRequests = 0;
const onRequest = ({ url }) => {
  if (url.includes("/propertyChanges")) logRequests += 1;
};
// Each service of this bench has a different port.
const { rows } = await pull(source, folder, { onRequest, allowMove: true });
await source.close();
const { user, system } = process.cpuUsage();
report({ cpuMs: (user + system) / 1000, logRequests, rows });
