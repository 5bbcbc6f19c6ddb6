/** A part of the repository with a purpose of its own; ARCHITECTURE.md says what each is for. */
export interface Room {
  /** Its folder from the repository's root; a file belongs to the deepest folder that holds it. */
  folder: string;
  /** The rooms that its source may import. */
  imports: readonly string[];
  /** The rooms that its tests may import beside those and beside `FOR_TESTS`. */
  tests?: readonly string[];
  /**
   * How others enter: `name` by what its package.json exports, `mod` the same or by the path of its
   * mod.ts (k6 resolves no names), `file` by the path of any file.
   */
  entrance: "name" | "mod" | "file";
}

/** What the tests of every room may import. */
export const FOR_TESTS: readonly string[] = ["support", "secret_search", "programs"];

/** The rooms whose source Node, Deno, browsers and k6 load as it is. */
export const PORTABLE: readonly string[] = ["canonical", "jws", "protocol"];

const PRODUCT = [
  ...PORTABLE,
  ...[
    "client",
    "console",
    "network",
    "terms",
    "database",
    "identity",
    "service",
    "reference",
    "server",
    "office",
    "operator",
    "sidecar",
    "deployment",
    "sandbox",
  ],
];

/** Every room and its arrows. What is not listed may not be imported: there is no exception. */
export const ROOMS: Readonly<Record<string, Room>> = {
  canonical: { folder: "packages/canonical", imports: [], entrance: "mod" },
  jws: { folder: "packages/jws", imports: [], entrance: "mod" },
  protocol: { folder: "packages/protocol", imports: ["canonical", "jws"], entrance: "mod" },
  client: { folder: "packages/client", imports: ["protocol"], entrance: "name" },
  network: { folder: "packages/network", imports: [], entrance: "name" },
  terms: { folder: "packages/terms", imports: ["protocol"], entrance: "name" },
  database: {
    folder: "packages/database",
    imports: ["lock", "network", "protocol"],
    tests: ["service"],
    entrance: "name",
  },
  identity: {
    folder: "packages/identity",
    imports: ["database", "network", "protocol", "terms"],
    entrance: "name",
  },
  service: {
    folder: "packages/service",
    imports: ["database", "identity", "network", "protocol", "terms"],
    tests: ["office"],
    entrance: "name",
  },
  lock: { folder: "packages/database/lock", imports: [], entrance: "file" },
  reference: { folder: "packages/reference", imports: ["protocol", "terms"], entrance: "name" },
  console: {
    folder: "packages/console",
    imports: [
      "database",
      "identity",
      "network",
      "office",
      "protocol",
      "server",
      "service",
      "terms",
    ],
    entrance: "name",
  },
  server: {
    folder: "packages/server",
    imports: ["database", "identity", "network", "protocol", "reference", "service", "terms"],
    tests: ["office"],
    entrance: "name",
  },
  office: {
    folder: "packages/office",
    imports: ["database", "identity", "network", "protocol", "server", "service", "terms"],
    entrance: "name",
  },
  operator: {
    folder: "packages/operator",
    imports: ["database", "identity", "network", "office", "protocol", "service", "terms"],
    tests: ["client", "sandbox"],
    entrance: "name",
  },
  sidecar: { folder: "packages/sidecar", imports: [], tests: ["protocol"], entrance: "name" },
  deployment: {
    folder: "packages/deployment",
    imports: [
      "database",
      "identity",
      "office",
      "programs",
      "protocol",
      "server",
      "service",
      "sidecar",
      "terms",
    ],
    tests: ["client"],
    entrance: "name",
  },
  sandbox: {
    folder: "packages/sandbox",
    imports: [
      "client",
      "console",
      "database",
      "deployment",
      "identity",
      "office",
      "protocol",
      "reference",
      "server",
      "service",
    ],
    entrance: "name",
  },
  loadtest: {
    folder: "loadtest",
    imports: [
      "canonical",
      "client",
      "database",
      "deployment",
      "identity",
      "jws",
      "office",
      "programs",
      "protocol",
      "server",
      "service",
      "sidecar",
    ],
    tests: ["terms"],
    entrance: "name",
  },
  examples: { folder: "docs/examples", imports: ["client"], entrance: "file" },
  programs: { folder: "tools/programs", imports: ["lock"], entrance: "file" },
  tools: { folder: "tools", imports: ["programs", "secret_search"], entrance: "file" },
  surface: {
    folder: "tools/surface",
    imports: ["operator", "programs", "protocol", "reference", "terms", "tools"],
    entrance: "file",
  },
  contract: {
    folder: "tools/contract",
    imports: ["clients", "programs", "secret_search", "tools"],
    entrance: "file",
  },
  clients: {
    folder: "tools/clients",
    imports: ["programs", "secret_search", "support", "tools"],
    entrance: "file",
  },
  secret_search: { folder: "test/secret_search", imports: ["protocol"], entrance: "file" },
  support: {
    folder: "test/support",
    imports: [...PRODUCT, "loadtest", "programs", "secret_search"],
    entrance: "file",
  },
  faults: {
    folder: "test/faults",
    imports: [...PRODUCT, "programs", "secret_search", "support"],
    entrance: "file",
  },
  nemesis: {
    folder: "test/nemesis",
    imports: [...PRODUCT, "programs", "secret_search", "support", "faults"],
    entrance: "file",
  },
};

/** The room that a file of the repository stands in; undefined for what stands in none. */
export function roomOf(path: string): string | undefined {
  return Object.entries(ROOMS)
    .filter(([, { folder }]) => path.startsWith(`${folder}/`))
    .sort(([, a], [, b]) => b.folder.length - a.folder.length)[0]?.[0];
}
