/**
 * The reference of the command line as Markdown, from the definitions that parse it.
 *
 * @param {{ program: import("commander").Command, environment: object, examples: object, exitCodes: object }} definitions
 * @returns {string}
 */
export function cliMarkdown({ program, environment, examples, exitCodes }) {
  const headings = [...new Set(program.commands.map((command) => command.helpGroup()))];
  const parts = headings.map((heading) => [
    heading.replace(/:$/, ""),
    program.commands.filter((command) => command.helpGroup() === heading).flatMap(leaves),
  ]);
  return `${[
    "# Command line",
    "<!-- Made by `npm run docs` from src/cli. -->",
    program.description(),
    ...parts.flatMap(([heading, commands]) => [
      `**${heading}**`,
      table(
        ["command", "description"],
        commands.map((each) => [link(title(each)), prose(each.summary() || each.description())]),
      ),
    ]),
    "Run `siteframe <command> --help` for this reference. `--debug` before any command shows where an error comes from; `--version` prints the version.",
    ...parts.flatMap(([, commands]) => commands.map((command) => section(command, examples))),
    "## Environment",
    table(
      ["variable", "meaning"],
      Object.entries(environment).map(([name, meaning]) => [`\`${name}\``, meaning]),
    ),
    "## Exit codes",
    table(["code", "meaning"], Object.entries(exitCodes)),
    "`siteframe lab` exits with JupyterLab's own code.",
  ].join("\n\n")}\n`;
}

function leaves(command) {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}

function title(command) {
  return command.parent ? `${title(command.parent)} ${command.name()}` : command.name();
}

function link(text) {
  return `[\`${text}\`](#${text.replaceAll(" ", "-")})`;
}

function section(command, examples) {
  const { registeredArguments, options } = command;
  const usage = [title(command), options.length > 0 ? "[options]" : "", ...registeredArguments.map(shape)];
  return [
    `## ${title(command)}`,
    prose(command.description()),
    `\`\`\`text\n${usage.filter(Boolean).join(" ")}\n\`\`\``,
    rows([...registeredArguments.map((each) => [shape(each), each]), ...options.map((each) => [each.flags, each])]),
    exampleText(examples[title(command).replace(/^siteframe /, "")]),
  ]
    .filter(Boolean)
    .join("\n\n");
}

function exampleText(lines = []) {
  return lines.length === 0 ? "" : `Examples:\n\n\`\`\`sh\n${lines.join("\n")}\n\`\`\``;
}

function shape(argument) {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function rows(entries) {
  if (entries.length === 0) return "";
  return table(
    ["argument, option", "meaning"],
    entries.map(([text, { description, argChoices, defaultValue }]) => {
      const choices = argChoices && ` (one of ${argChoices.map((choice) => `\`${choice}\``).join(", ")})`;
      const standard = defaultValue === undefined ? "" : `. Default \`${defaultValue}\``;
      return [`\`${text}\``, `${prose(description)}${choices ?? ""}${standard}`];
    }),
  );
}

/** Text whose angle brackets are not read as HTML, except in code. */
function prose(text) {
  return text.replace(/`[^`]*`|</g, (part) => (part === "<" ? "\\<" : part));
}

function table(head, body) {
  const cells = (row) => `| ${row.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;
  return [cells(head), `|${head.map(() => "---|").join("")}`, ...body.map(cells)].join("\n");
}
