import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { checkVersions } from "./check_versions.ts";
import { provenanceOf } from "./provenance.ts";
import { withNamedSiblings } from "./stage_packages.ts";

test("a published source imports its siblings by name", () => {
  assertEquals(
    withNamedSiblings('import { sha256Hex } from "' + '../canonical/mod.ts";'),
    'import { sha256Hex } from "@sabika/canonical";',
  );
});

const CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [1.2.0] - 2026-11-20\n";

test("a release has one version, which is in the change log", () => {
  const files = [
    { path: "package.json", text: '{\n  "version": "1.2.0",\n  "x": { "version": "9.9.9" }\n}' },
    { path: "clients/python/pyproject.toml", text: '[project]\nversion = "1.1.0"\n' },
    { path: "packages/client/version.ts", text: "export const NAME = 1;" },
  ];
  assertEquals(checkVersions(CHANGELOG, files, { isDryRun: true }), {
    version: "1.2.0",
    problems: [
      "clients/python/pyproject.toml states 1.1.0, CHANGELOG.md 1.2.0",
      "packages/client/version.ts states no version, CHANGELOG.md 1.2.0",
    ],
  });
  assertEquals(checkVersions("# Changelog\n", [], { isDryRun: true }).problems, [
    "CHANGELOG.md has no released version with its date",
  ]);
});

test("a published release leaves no change unreleased", () => {
  assertEquals(checkVersions(CHANGELOG, [], { isDryRun: false }).problems, [
    "CHANGELOG.md has unreleased changes: give them a version and a date",
  ]);
});

test("the statement of provenance names each file's checksum, the commit and the lock file's", () => {
  const source = {
    repository: "sabika",
    commit: "c0ffee",
    lockSha256: "b".repeat(64),
    node: "26.10.0",
  };
  const times = { startedMs: 0, finishedMs: 1_000 };
  const sums = `${"a".repeat(64)}  sabika-1.0.0.tar.gz\n${"c".repeat(64)}  sabika.cdx.json\n`;
  const { subject, predicate } = provenanceOf(sums, { ...source, ...times });
  assertEquals(subject, [
    { name: "sabika-1.0.0.tar.gz", digest: { sha256: "a".repeat(64) } },
    { name: "sabika.cdx.json", digest: { sha256: "c".repeat(64) } },
  ]);
  assertEquals(predicate.buildDefinition.resolvedDependencies, [
    { uri: "git+sabika", digest: { gitCommit: "c0ffee" } },
    { uri: "package-lock.json", digest: { sha256: "b".repeat(64) } },
  ]);
  assertEquals(predicate.runDetails.metadata.finishedOn, "1970-01-01T00:00:01.000Z");
});
