import type { EngineName } from "../engine/cell/engine-name.js";
import { languageInfo } from "../install/language-info.js";
import type { Content } from "../wire/message.js";
import { protocolVersion } from "../wire/message.js";

/** What the kernel says of itself. */
export function kernelInfo(version: string, engine: EngineName): Content {
  const language_info = languageInfo(engine);
  return {
    protocol_version: protocolVersion,
    implementation: "siteframe",
    implementation_version: version,
    language_info,
    banner: `Siteframe ${version}: TypeScript ${language_info.version} on Node ${process.versions.node}`,
    debugger: true,
    supported_features: ["debugger"],
    help_links: [
      { text: "Arquero", url: "https://idl.uw.edu/arquero/api/" },
      { text: "Observable Plot", url: "https://observablehq.com/plot/" },
      { text: "TypeScript", url: "https://www.typescriptlang.org/docs/handbook/" },
    ],
  };
}
