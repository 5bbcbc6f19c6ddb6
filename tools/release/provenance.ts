/** The source of a release, as in its statement. */
export interface Source {
  /** The repository's URL in package.json, or its name if there is none. */
  repository: string;
  commit: string;
  /** The hash of package-lock.json, which pins everything that was installed for the build. */
  lockSha256: string;
  node: string;
  startedMs: number;
  finishedMs: number;
}

/**
 * Makes the provenance statement of a release: in-toto v1 with SLSA's provenance v1.
 *
 * @param sums the lines of `SHA256SUMS`
 */
export function provenanceOf(sums: string, source: Source) {
  const { repository, commit, lockSha256, node, startedMs, finishedMs } = source;
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: sums.trim().split("\n").map((line) => {
      const [sha256 = "", name = ""] = line.split(/ +/);
      return { name, digest: { sha256 } };
    }),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "npm run release",
        externalParameters: { repository, ref: commit },
        internalParameters: { node },
        resolvedDependencies: [
          { uri: `git+${repository}`, digest: { gitCommit: commit } },
          { uri: "package-lock.json", digest: { sha256: lockSha256 } },
        ],
      },
      runDetails: {
        builder: { id: "npm run release" },
        metadata: {
          startedOn: new Date(startedMs).toISOString(),
          finishedOn: new Date(finishedMs).toISOString(),
        },
      },
    },
  };
}
