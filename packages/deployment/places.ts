import { join } from "node:path";

/**
 * The folders in which the parts of a deployment find one another: on one machine below the stack's
 * data folder, in containers below what is mounted there. The commands and settings are the same for both.
 */
export interface Places {
  /** The folder of the stack's secrets: master key, edge secrets, the servers' database URL. */
  secrets: string;
  /** The folder of the operator's database URL, for the operator's command, the keeper and the office. */
  administration: string;
  /** The folder of the root authority and the URLs of owner and break-glass, only for preparing and emergencies. */
  root: string;
  /** The folder of the database's password, for the database itself. */
  databaseSecret: string;
  /** The folder of the password of the database's exporter. */
  exporter: string;
  /** The folder of Envoy's configuration and its sets of secrets. */
  sidecar: string;
  /** The folder of the instances' Unix sockets. */
  sockets: string;
  /** The folder of Envoy's admin socket. */
  adminSocket: string;
  /** The folder of the authority's public certificates. */
  authority: string;
  /** The folder of the partners' kits. */
  partners: string;
  /** The folder of signed revocations, which the office writes and servers read (Decision D116). */
  revocations: string;
  /** The folder of what servers keep of control (Decision D116). */
  snapshots: string;
}

/** Returns the paths of the files that several parts of a deployment use. */
export function placeFiles(places: Places) {
  return {
    masterKey: join(places.secrets, "master.key"),
    root: join(places.root, "root.key"),
    edgeSecrets: join(places.secrets, "edge_secrets"),
    serverDatabaseUrl: join(places.secrets, "server.url"),
    /** The cells' URLs, for the servers; `cells` has those for the operator's command. */
    serverCells: join(places.secrets, "server.cells"),
    cells: join(places.administration, "database.cells"),
    databaseUrl: join(places.administration, "database.url"),
    officeCertificate: join(places.administration, "office.crt"),
    officeKey: join(places.administration, "office.key"),
    ownerDatabaseUrl: join(places.root, "owner.url"),
    breakGlassDatabaseUrl: join(places.root, "break_glass.url"),
    databasePassword: join(places.databaseSecret, "password"),
    exporterPassword: exporterPassword(places),
    authority: join(places.authority, "ca.crt"),
    snapshot: join(places.snapshots, "control.snapshot"),
  };
}

/** Returns the path of the file with the password of a database's exporter. */
export function exporterPassword({ exporter }: Pick<Places, "exporter">): string {
  return join(exporter, "exporter.password");
}

/** Returns the path of the socket on which an instance answers `/metrics`, if it has no port for that. */
export function watchSocket(places: Places, name: string): string {
  return join(places.sockets, `${name}.watch.sock`);
}

/** Returns the path of an instance's socket; `name` is the instance's, e.g. `server-1`. */
export function instanceSocket(places: Places, name: string): string {
  return join(places.sockets, `${name}.sock`);
}
