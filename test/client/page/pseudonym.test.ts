import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { installationKey } from "../../../src/client/page/pseudonym.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";

const folder = temporaryFolder();
let count = 0;
const newHome = () => join(folder, `home-${++count}`);
const isLinux = process.platform === "linux";

describe.runIf(isLinux)("the key of an installation", () => {
  it("is created once, readable by this user only", () => {
    const env = { XDG_DATA_HOME: newHome() };
    const key = installationKey(env);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(installationKey(env)).toBe(key);
    const place = join(env.XDG_DATA_HOME, "siteframe");
    expect(readdirSync(place)).toEqual(["pseudonym.key"]);
    expect(statSync(join(place, "pseudonym.key")).mode & 0o777).toBe(0o600);
    expect(installationKey({ XDG_DATA_HOME: newHome() })).not.toBe(key);
  });

  it("is the same for concurrent processes", async () => {
    const home = newHome();
    const script = `import { installationKey } from "./modules/client/page/pseudonym.js"; console.log(installationKey());`;
    const env = { ...process.env, XDG_DATA_HOME: home, SITEFRAME_PSEUDONYM_KEY: "" };
    const runs = Array.from({ length: 6 }, () =>
      promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], { env }),
    );
    const keys = (await Promise.all(runs)).map(({ stdout }) => stdout.trim());
    expect(new Set(keys)).toEqual(new Set([readFileSync(join(home, "siteframe", "pseudonym.key"), "utf8").trim()]));
    expect(readdirSync(join(home, "siteframe"))).toEqual(["pseudonym.key"]);
  });

  it("is refused if other users can read it, or if it is too short", () => {
    const env = { XDG_DATA_HOME: newHome() };
    installationKey(env);
    const path = join(env.XDG_DATA_HOME, "siteframe", "pseudonym.key");
    chmodSync(path, 0o644);
    expect(() => installationKey(env)).toThrow(`${path} is readable by other users (mode 644).`);
    chmodSync(path, 0o600);
    writeFileSync(path, "short\n");
    expect(() => installationKey(env)).toThrow("has 5 characters and can be guessed");
  });

  it("throws an error with a hint if its folder cannot be created", () => {
    const home = newHome();
    mkdirSync(home);
    writeFileSync(join(home, "siteframe"), "no folder");
    const hint = "Set SITEFRAME_PSEUDONYM_KEY to a secret with at least 16 characters.";
    for (const place of [home, "/proc/none"]) {
      const message = `The pseudonym key ${place}/siteframe/pseudonym.key cannot be written: `;
      expect(() => installationKey({ XDG_DATA_HOME: place })).toThrow(
        expect.objectContaining({ code: "ERR_FILE", message: expect.stringContaining(message), hint }),
      );
    }
  });

  it("can be set in the environment", () => {
    const home = newHome();
    const given = { XDG_DATA_HOME: home, SITEFRAME_PSEUDONYM_KEY: "a secret of many letters" };
    expect(installationKey(given)).toBe("a secret of many letters");
    expect(() => installationKey({ ...given, SITEFRAME_PSEUDONYM_KEY: "too short" })).toThrow(
      "has 9 characters and can be guessed",
    );
    expect(() => statSync(home)).toThrow();
  });
});
