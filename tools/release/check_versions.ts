/** A file of the repository that has a version. */
export interface Stated {
  path: string;
  text: string;
}

/** Where each kind of file has its version; the first match counts. */
const FORMS: readonly [RegExp, RegExp][] = [
  [/\.json$/, /^ {0,2}"version": "([^"]+)"/m],
  [/\.toml$/, /^version = "([^"]+)"/m],
  [/pom\.xml$/, /<version>([^<]+)<\/version>/],
  [/\.ts$/, /VERSION = "([^"]+)"/],
];

/**
 * Checks that every file has the version of the change log's latest release.
 *
 * @param changelog in the form of Keep a Changelog
 * @returns the version, and a line for each mistake
 */
export function checkVersions(
  changelog: string,
  files: readonly Stated[],
  { isDryRun }: { isDryRun: boolean },
): { version: string; problems: string[] } {
  const [, version = ""] = /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$/m.exec(changelog) ?? [];
  const problems = version === "" ? ["CHANGELOG.md has no released version with its date"] : [];
  for (const { path, text } of files) {
    const form = FORMS.find(([name]) => name.test(path))![1];
    const stated = form.exec(text)?.[1];
    if (stated === version) continue;
    problems.push(`${path} states ${stated ?? "no version"}, CHANGELOG.md ${version}`);
  }
  const [, unreleased = ""] = /^## \[Unreleased\]\n([^]*?)^## \[/m.exec(changelog) ?? [];
  if (!isDryRun && unreleased.trim() !== "") {
    problems.push("CHANGELOG.md has unreleased changes: give them a version and a date");
  }
  return { version, problems };
}
