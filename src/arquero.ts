/**
 * Arquero as Siteframe uses it: `import { aq } from "siteframe/arquero"`.
 *
 * @module siteframe/arquero
 */
import "./tables/column/row-verbs.js";

export * as aq from "arquero";
