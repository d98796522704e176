// Runs cases of one entry point in its own process: an error that ends the process ends this one only.
import { inspect } from "node:util";
import { diagnosticsOf, SiteframeError } from "../../dist/index.js";
import { SiteframeError as InnerError } from "../../modules/core/errors.js";

const [, , name, context] = process.argv;
const { attack } = await import(`./entries/${name}.mjs`);
const run = await attack(JSON.parse(context));

let running;
// Says which step ended the process.
process.on("uncaughtExceptionMonitor", (error) => console.error(`in or behind ${running}: ${inspect(error)}`));

process.on("message", async (input) => {
  const outcome = { results: 0, errors: 0, problems: [], messages: [] };
  /** Runs a step. Its typed errors are fine; the messages of all errors are looked at. */
  const attempt = async (step) => {
    running = step;
    try {
      const value = await step();
      outcome.results += 1;
      if (typeof value === "object" && value !== null) outcome.messages.push(...diagnosticTexts(value));
      return value;
    } catch (error) {
      outcome.errors += 1;
      outcome.messages.push(...errorTexts(error));
      if (!(error instanceof SiteframeError || error instanceof InnerError))
        outcome.problems.push(`untyped error: ${inspect(error).slice(0, 2000)}`);
      return undefined;
    }
  };
  try {
    await run(input, {
      attempt,
      problem: (text) => outcome.problems.push(text),
      message: (text) => outcome.messages.push(text),
    });
  } catch (error) {
    outcome.problems.push(`the attack failed: ${inspect(error).slice(0, 2000)}`);
  }
  process.send(outcome);
});
process.on("disconnect", () => process.exit());
process.send("ready");

/** Everything visible of an error: its message, causes and facts. */
function errorTexts(error) {
  const texts = [];
  for (let one = error; one !== undefined && one !== null && texts.length < 100; one = one.cause) {
    texts.push(String(one), inspect(one, { depth: 8 }), JSON.stringify(one) ?? "");
  }
  return texts;
}

function diagnosticTexts(value) {
  try {
    return diagnosticsOf(value).map((diagnostic) => JSON.stringify(diagnostic));
  } catch {
    return [];
  }
}
