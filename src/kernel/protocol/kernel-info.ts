import { languageInfo } from "../install/language-info.js";
import type { Content } from "../wire/message.js";
import { protocolVersion } from "../wire/message.js";

/** What the kernel says of itself. */
export function kernelInfo(version: string): Content {
  return {
    protocol_version: protocolVersion,
    implementation: "siteframe",
    implementation_version: version,
    language_info: languageInfo,
    banner: `Siteframe ${version}: TypeScript ${languageInfo.version} on Node ${process.versions.node}`,
    debugger: false,
    supported_features: [],
    help_links: [
      { text: "Arquero", url: "https://idl.uw.edu/arquero/api/" },
      { text: "Observable Plot", url: "https://observablehq.com/plot/" },
      { text: "TypeScript", url: "https://www.typescriptlang.org/docs/handbook/" },
    ],
  };
}
