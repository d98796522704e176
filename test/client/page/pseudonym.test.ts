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
  it("is made once, for this user alone", () => {
    const env = { XDG_DATA_HOME: newHome() };
    const key = installationKey(env);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(installationKey(env)).toBe(key);
    const place = join(env.XDG_DATA_HOME, "siteframe");
    expect(readdirSync(place)).toEqual(["pseudonym.key"]);
    expect(statSync(join(place, "pseudonym.key")).mode & 0o777).toBe(0o600);
    expect(installationKey({ XDG_DATA_HOME: newHome() })).not.toBe(key);
  });

  it("is the same for processes that need one at the same time", async () => {
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

  it("that others can read is refused", () => {
    const env = { XDG_DATA_HOME: newHome() };
    installationKey(env);
    const path = join(env.XDG_DATA_HOME, "siteframe", "pseudonym.key");
    chmodSync(path, 0o644);
    expect(() => installationKey(env)).toThrow(`${path} can be read by others (mode 644).`);
    chmodSync(path, 0o600);
    writeFileSync(path, "short\n");
    expect(() => installationKey(env)).toThrow("holds a key of 5 letters");
  });

  it("that cannot be kept says what to do", () => {
    const home = newHome();
    mkdirSync(home);
    writeFileSync(join(home, "siteframe"), "no folder");
    expect(() => installationKey({ XDG_DATA_HOME: home })).toThrow(
      expect.objectContaining({ code: "ERR_ARGUMENT", hint: expect.stringContaining("SITEFRAME_PSEUDONYM_KEY") }),
    );
  });

  it("ends with an error if the system refuses the folder", () => {
    expect(() => installationKey({ XDG_DATA_HOME: "/proc/none" })).toThrow(
      expect.objectContaining({
        code: "ERR_ARGUMENT",
        message:
          "The key of pseudonyms cannot be kept in /proc/none/siteframe/pseudonym.key: its folder cannot be made.",
        hint: "Set SITEFRAME_PSEUDONYM_KEY to a secret of 16 letters or more.",
      }),
    );
  });

  it("may be given", () => {
    const home = newHome();
    const given = { XDG_DATA_HOME: home, SITEFRAME_PSEUDONYM_KEY: "a secret of many letters" };
    expect(installationKey(given)).toBe("a secret of many letters");
    expect(() => installationKey({ ...given, SITEFRAME_PSEUDONYM_KEY: "too short" })).toThrow(
      "holds a key of 9 letters",
    );
    expect(() => statSync(home)).toThrow();
  });
});
