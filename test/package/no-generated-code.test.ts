import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";

it("records can be read in a Node that forbids generated code", () => {
  const program = `
    import { fromRecords } from "siteframe";
    const record = { id: 1, company_id: 1, name: "A", type: "SOLAR", stage: "PLANNING", coordinates: null, geo_area: 0,
      peak_power: null, ac_power: null, address_line1: null, address_line2: null, address_line3: null };
    console.log((await fromRecords({ sites: [record] }).sites()).numRows());
    try { fromRecords({ sites: [{ ...record, stage: "RUIN" }] }); } catch (error) { console.log(error.message); }`;
  const flags = ["--disallow-code-generation-from-strings", "--input-type=module", "-e", program];
  const output = execFileSync(process.execPath, flags, { encoding: "utf8" });
  expect(output).toBe(
    "1\nfromRecords(): sites[0].stage expected one of PLANNING, CONSTRUCTION, OPERATION, got a string of 4 characters.\n",
  );
});
