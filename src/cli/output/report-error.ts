import type { Command } from "commander";
import { SiteframeError } from "../../core/errors.js";

/** Flags of a command by option names of the library: `--time-zone` of `timeZone`. */
type Flags = ReadonlyMap<string, string>;

/**
 * Returns the flags of the given command.
 *
 * @param words of the command line
 */
export function commandFlags(program: Command, words: readonly string[]): Flags {
  let command = program;
  for (const word of words) command = command.commands.find((each) => each.name() === word) ?? command;
  return new Map(command.options.flatMap((option) => (option.long ? [[option.attributeName(), option.long]] : [])));
}

/**
 * An error for users of a terminal: one sentence and the fix. The stack and the causes are shown only with `--debug`.
 *
 * @param flags replace option names of the library, which do not exist on the command line
 */
export function reportError(error: unknown, debug: boolean, flags: Flags = new Map()): string {
  if (debug && error instanceof Error) return [error.stack ?? String(error), ...causes(error)].join("\n");
  if (error instanceof SiteframeError) {
    const text = inFlags([error.message, error.hint].filter(Boolean).join(" "), flags);
    return text.startsWith("siteframe ") ? text : `siteframe: ${text}`;
  }
  const message = error instanceof Error ? error.message : String(error);
  return `siteframe: ${firstLine(message)} (add --debug to see where)`;
}

/** Replaces `timeZone: "UTC"` with `--time-zone "UTC"`, and `timeZone` in backticks or after "the option" with `--time-zone`. */
function inFlags(text: string, flags: Flags): string {
  return text
    .replace(/(?<![-.\w])([a-z][A-Za-z]*): ("(?:[^"\\]|\\.)*"|\d+\b|true\b)/g, (given, name: string, value: string) => {
      const flag = flags.get(name);
      if (flag === undefined) return given;
      return value === "true" ? flag : `${flag} ${value}`;
    })
    .replace(/`([a-z][A-Za-z]*)`/g, (given, name: string) => flags.get(name) ?? given)
    .replace(/\b(?:[Tt]he )?option ([a-z][A-Za-z]*)\b/g, (given, name: string) => flags.get(name) ?? given);
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] as string;
}

function causes(error: Error): string[] {
  const lines: string[] = [];
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    lines.push(`caused by: ${cause.stack ?? String(cause)}`);
  }
  return lines;
}
