/**
 * Arquero as Siteframe uses it: `import { aq } from "siteframe/arquero"`.
 *
 * @module siteframe/arquero
 */
export * as aq from "arquero";
