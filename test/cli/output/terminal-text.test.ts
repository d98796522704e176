import { expect, it } from "vitest";
import { terminalText } from "../../../src/cli/output/terminal-text.js";

it("shows control characters instead of giving them to the terminal", () => {
  expect(terminalText('a,"\u001b[2J\r\u0007"\n\tü\u009b31m\u007f')).toBe(
    'a,"\\u001b[2J\\u000d\\u0007"\n\tü\\u009b31m\\u007f',
  );
});
