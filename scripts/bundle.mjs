// Bundles the modules of src as `rolldown.config.mjs` says. Chunks of an older build are removed.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "rolldown";
import config from "../rolldown.config.mjs";

rmSync(join("dist", "chunks"), { recursive: true, force: true });
await build(config);
