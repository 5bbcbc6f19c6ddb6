/** What `docs/public_surface.json` holds: the surface of the last release, and what has changed since. */
export interface SurfaceRecord {
  /** The release that `lines` are of. */
  readonly version: string;
  /** What had changed since then when the record began makes the next release at least this. */
  readonly nextAtLeast?: string;
  readonly lines: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** The record with the surface as it is now. */
export function recordOf(
  released: Pick<SurfaceRecord, "version" | "nextAtLeast" | "lines">,
  now: readonly string[],
): SurfaceRecord {
  const { version, nextAtLeast, lines } = released;
  return {
    version,
    ...(nextAtLeast === undefined ? {} : { nextAtLeast }),
    lines,
    added: now.filter((line) => !lines.includes(line)),
    removed: lines.filter((line) => !now.includes(line)),
  };
}

/**
 * The least version that the next release may have (Semantic Versioning): a major one where something
 * that was there is gone or differs, or something new must be given; a minor one where something is new.
 */
export function leastVersion(record: SurfaceRecord): string {
  const { version, nextAtLeast = version, added, removed } = record;
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const isDemanded = (line: string) => line.endsWith("must");
  const least = removed.length > 0 || added.some(isDemanded)
    ? `${major + 1}.0.0`
    : added.length > 0
    ? `${major}.${minor + 1}.0`
    : `${major}.${minor}.${patch + 1}`;
  return isBefore(least, nextAtLeast) ? nextAtLeast : least;
}

/** Whether one version is before another. */
export function isBefore(version: string, other: string): boolean {
  const [a, b] = [version, other].map((text) => text.split(".").map(Number));
  const at = a!.findIndex((part, index) => part !== b![index]);
  return at >= 0 && a![at]! < b![at]!;
}

/** Something as a whole: its parts (members, parameters, flags, answers) come with it. */
const WHOLE = /^(code|setting|route|command) |^export \S+ \w+:/;

/**
 * What the change log does not name of what has changed since the last release: everything that is gone
 * or differs, and what is new as a whole.
 *
 * @param changelog in the form of Keep a Changelog
 */
export function unnamedChanges({ added, removed }: SurfaceRecord, changelog: string): string[] {
  const [, unreleased = ""] = /^## \[Unreleased\]\n([^]*?)^## \[/m.exec(changelog) ?? [];
  return [...removed, ...added.filter((line) => WHOLE.test(line))].filter((line) =>
    !namesIn(line).every((name) => unreleased.includes(name))
  );
}

/** A line without the form that stands behind a colon. */
function subjectOf(line: string): string {
  return line.split(": ")[0]!;
}

/** The words by which people call it. */
function namesIn(line: string): string[] {
  const [kind, ...words] = subjectOf(line).split(" ");
  if (kind === "command") return words.slice(1);
  return [words.at(-1)!.split(".").at(-1)!];
}
