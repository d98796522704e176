/**
 * Arquero as Siteframe uses it: `import { aq } from "siteframe/arquero"`.
 *
 * @module siteframe/arquero
 */
import "./tables/column/row-verbs.js";

/** @hidden */
export * as aq from "./tables/column/arquero-calls.js";
