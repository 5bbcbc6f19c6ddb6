/** The members of @stricli/core's tree of commands that are used here. */
export interface CommandTree {
  readonly getAllEntries?: () => readonly {
    readonly name: { readonly original: string };
    readonly target: CommandTree;
  }[];
  readonly parameters?: {
    readonly flags?: Readonly<Record<string, unknown>>;
    readonly positional?: { readonly parameters?: readonly { readonly optional?: boolean }[] };
  };
}

/** Lists a tree's commands with their arguments and flags; flags of all commands are listed once. */
export function commandLines(name: string, tree: CommandTree): string[] {
  const commands = commandsBelow(name, tree);
  const shared = commands.map(({ flags }) => flags)
    .reduce((common, flags) => common.filter((flag) => flags.includes(flag)));
  return [
    ...shared.map((flag) => `flag ${name} ${flag}`),
    ...commands.flatMap(({ command, needed, taken, flags }) => [
      `command ${command}`,
      `arguments ${command}: ${needed} to ${taken}`,
      ...flags.filter((flag) => !shared.includes(flag)).map((flag) => `flag ${command} ${flag}`),
    ]),
  ];
}

function commandsBelow(
  command: string,
  { getAllEntries, parameters }: CommandTree,
): { command: string; flags: string[]; needed: number; taken: number }[] {
  if (getAllEntries !== undefined) {
    return getAllEntries().flatMap(({ name: { original }, target }) =>
      commandsBelow(`${command} ${kebab(original)}`, target)
    );
  }
  const taken = parameters?.positional?.parameters ?? [];
  return [{
    command,
    flags: Object.keys(parameters?.flags ?? {}).map((flag) => `--${kebab(flag)}`),
    needed: taken.filter(({ optional }) => optional !== true).length,
    taken: taken.length,
  }];
}

/** Lists a command and the flags in its help, such as `--out`. */
export function helpLines(name: string, text: string): string[] {
  const flags = new Set(Array.from(text.matchAll(/(?<![\w-])--[a-z][a-z-]+/g), ([flag]) => flag));
  return [`command ${name}`, ...[...flags].map((flag) => `flag ${name} ${flag}`)];
}

function kebab(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
