/** The content of `docs/public_surface.json`: the surface of the last release, and the changes since. */
export interface SurfaceRecord {
  /** The release of `lines`. */
  readonly version: string;
  /** The least version of the next release, by changes from before the record began. */
  readonly nextAtLeast?: string;
  readonly lines: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Returns the record with the current surface. */
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
 * Returns the least version of the next release (Semantic Versioning): a major one if something was removed
 * or changed, or a new input is required; a minor one if something was added.
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

/** Returns whether one version is before another. */
export function isBefore(version: string, other: string): boolean {
  const [a, b] = [version, other].map((text) => text.split(".").map(Number));
  const at = a!.findIndex((part, index) => part !== b![index]);
  return at >= 0 && a![at]! < b![at]!;
}

/** Matches a line about a whole, whose parts (members, parameters, flags, answers) have further lines. */
const WHOLE = /^(code|setting|route|command) /;

/**
 * Returns the changes since the last release that the change log does not name: all removals and changes,
 * and new wholes but for exports, which nobody reads as a list of names.
 *
 * @param changelog in the form of Keep a Changelog
 */
export function unnamedChanges({ added, removed }: SurfaceRecord, changelog: string): string[] {
  const [, unreleased = ""] = /^## \[Unreleased\]\n([^]*?)^## \[/m.exec(changelog) ?? [];
  return [...removed, ...added.filter((line) => WHOLE.test(line))].filter((line) =>
    !namesIn(line).every((name) => unreleased.includes(name))
  );
}

/** Removes from a line the type after a colon. */
function subjectOf(line: string): string {
  return line.split(": ")[0]!;
}

/** Returns the names in a line. */
function namesIn(line: string): string[] {
  const [kind, ...words] = subjectOf(line).split(" ");
  if (kind === "command") return words.slice(1);
  return [words.at(-1)!.split(".").at(-1)!];
}
