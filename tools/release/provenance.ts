/** What a release was made from, as its statement names it. */
export interface Source {
  /** Of the repository, as it is in its package.json; a name when it has none. */
  repository: string;
  commit: string;
  /** Of package-lock.json: all that was installed to build it. */
  lockSha256: string;
  node: string;
  startedMs: number;
  finishedMs: number;
}

/**
 * The statement of where a release comes from: in-toto v1 with SLSA's provenance v1.
 *
 * @param sums lines of `SHA256SUMS`
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
