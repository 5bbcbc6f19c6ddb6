import { type Setting, type SettingReader, SETTINGS } from "@sabika/terms/settings";

/** The committed page. */
export const SETTINGS_PAGE_FILE = new URL("../../docs/settings.md", import.meta.url);

const INTRODUCTION = `# Settings

Every environment variable that Sabika reads, by the program that reads it. \`npm run reference\` writes this page from the programs' own table.

A server, the office and the operator's command refuse to start with an unknown variable that begins with \`SABIKA_\` (but for names that Kubernetes adds for a Service), or with a wrong value, and name it.

A **secret** is never logged. A file that holds one must not be readable for others, in production. Envoy's settings are a file ([sidecar.md](sidecar.md#beside-your-own-service)), the stack's are options (\`npm run stack -- --help\`), prices, limits and partners are in the database ([operator.md](operator.md)). Give a server process \`UV_THREADPOOL_SIZE=1\`. What is needed has no default.
`;

const SECTIONS: readonly [title: string, is: (readers: readonly SettingReader[]) => boolean][] = [
  [
    "Servers, the office and the operator's command",
    (by) => by.includes("server") && by.includes("operator"),
  ],
  ["The office", (by) => by.includes("office") && !by.includes("server")],
  ["Servers alone", (by) => by.includes("server") && !by.includes("operator")],
  ["The operator's command alone", (by) => by.length === 1 && by[0] === "operator"],
  ["The load scripts", (by) => by.includes("load")],
];

/** Makes the text of docs/settings.md. */
export function settingsPage(): string {
  const sections = SECTIONS.map(([title, is]) => {
    const rows = Object.entries<Setting>(SETTINGS).filter(([, { readBy }]) => is(readBy)).map(row);
    return `\n## ${title}\n\n| name | what it sets | form | default | must not be | secret |\n` +
      `|---|---|---|---|---|---|\n${rows.join("\n")}\n`;
  });
  return INTRODUCTION + sections.join("");
}

function row([name, { means, value, otherwise, never, secret }]: [string, Setting]): string {
  const kept = { value: "yes", file: "the file" };
  return `| \`${name}\` | ${means} | ${value.form} | ${
    otherwise ?? value.otherwise ?? "needed"
  } | ${never ?? ""} | ${secret === undefined ? "" : kept[secret]} |`;
}
