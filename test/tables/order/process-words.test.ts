import { describe, expect, it } from "vitest";
import { byImportance, nameProcess } from "../../../src/tables/order/process-words.js";

describe("words of values", () => {
  it.each([
    [["OPEN", "IN_PROGRESS"], true],
    [["PLANNED", "PILES", "COMMISSIONED"], true],
    [["Open", "Resolved"], true],
    [["Open circuit", "Diode failed", "Closed loop"], false],
    [["civil", "mechanical", "new"], false],
    [["BLOCKED", "FAILED"], true],
    [["CLOSED", "DONE"], true],
    [["MODULES", "COMMISSIONED"], true],
    [["passed", "failed"], true],
    [["OK", "NOK"], true],
    [["blocked", "clear"], true],
    [["ON HOLD", "ACTIVE"], true],
    [["REJECTED", "ACCEPTED"], true],
    [["Diode failed", "Hot spot"], false],
    [["Broken glass", "Clear vegetation"], false],
    [["YES", "NO"], false],
  ])("%j name a process: %s", (labels, expected) => {
    expect(nameProcess(labels)).toBe(expected);
  });

  it("are ordered by importance if all name one", () => {
    expect(byImportance(["HIGH", "URGENT", "LOW", "MEDIUM"])).toEqual(["LOW", "MEDIUM", "HIGH", "URGENT"]);
    expect(byImportance(["Critical", "minor", "Major"])).toEqual(["minor", "Major", "Critical"]);
    expect(byImportance(["HIGH", "LOW", "electrical"])).toBeUndefined();
  });
});
