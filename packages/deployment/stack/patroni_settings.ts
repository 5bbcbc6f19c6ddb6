import { join } from "node:path";

/** The ports of a member on 127.0.0.1. */
export interface MemberPorts {
  readonly postgresql: number;
  /** Patroni's REST API. */
  readonly rest: number;
  readonly etcd: number;
  readonly etcdPeer: number;
}

/** The ports and passwords of a cluster of PostgreSQL servers, kept for as long as its data. */
export interface ClusterPlan {
  /** In the order of the members, `member-1` and so on. */
  readonly members: readonly MemberPorts[];
  readonly passwords: {
    readonly superuser: string;
    readonly replication: string;
    /** Of Patroni's REST API: whoever has it may promote and restart. */
    readonly rest: string;
  };
}

/** The superuser of a cluster's databases. */
const CLUSTER_SUPERUSER = "sabika";

/**
 * What all members agree on, in etcd. Times are in seconds (Decision D115).
 *
 * Strict synchronous mode: a commit is on two disks before it is acknowledged, and only a server that has
 * it is promoted. A primary that was cut off can confirm nothing, as its standby has left it.
 */
export const AGREED_SETTINGS = {
  // A lost machine's lock lasts as long as this, at most. Patroni takes nothing shorter.
  ttl: 20,
  loop_wait: 1,
  // Longer than etcd needs to choose another leader, 2 s, so that this demotes nobody.
  retry_timeout: 5,
  synchronous_mode: true,
  synchronous_mode_strict: true,
  // Without etcd the primary goes on as long as it reaches every other member.
  failsafe_mode: true,
  // One that crashed is replaced at once: its recovery may take minutes.
  primary_start_timeout: 0,
  // One that cannot shut down, as on a full disk, is killed.
  primary_stop_timeout: 5,
} as const;

/** Returns the name of a member, counted from 0. */
export const memberName = (index: number) => `member-${index + 1}`;

/**
 * Returns the settings of a member's Patroni, its YAML file.
 *
 * @param folder the member's own folder
 * @param settings PostgreSQL's, the same for each member
 */
export function patroniSettings(
  { members, passwords }: ClusterPlan,
  index: number,
  { folder, binFolder, settings }: {
    folder: string;
    binFolder: string;
    settings: Readonly<Record<string, string>>;
  },
) {
  const { postgresql, rest } = members[index]!;
  const place = (port: number) => `127.0.0.1:${port}`;
  // Patroni's own way to its server; the path of a socket in it may have 107 bytes.
  const sockets = folder.length <= 80 ? folder : "";
  return {
    scope: "sabika",
    name: memberName(index),
    restapi: {
      listen: place(rest),
      connect_address: place(rest),
      authentication: { username: CLUSTER_SUPERUSER, password: passwords.rest },
    },
    etcd3: { hosts: members.map(({ etcd }) => place(etcd)) },
    bootstrap: {
      dcs: {
        ...AGREED_SETTINGS,
        postgresql: {
          use_pg_rewind: true,
          parameters: { ...settings, wal_level: "logical", synchronous_commit: "on" },
        },
      },
      initdb: [{ encoding: "UTF8" }, "no-locale", "data-checksums"],
    },
    postgresql: {
      listen: place(postgresql),
      connect_address: place(postgresql),
      data_dir: join(folder, "data"),
      bin_dir: binFolder,
      pgpass: join(folder, "pgpass"),
      authentication: {
        superuser: { username: CLUSTER_SUPERUSER, password: passwords.superuser },
        replication: { username: "sabika_replication", password: passwords.replication },
      },
      use_unix_socket: sockets !== "",
      pg_hba: [
        "local all all scram-sha-256",
        "host all all 127.0.0.1/32 scram-sha-256",
        "host replication sabika_replication 127.0.0.1/32 scram-sha-256",
      ],
      // What a lost primary has beyond its successor was never acknowledged.
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
      parameters: { unix_socket_directories: sockets, dynamic_shared_memory_type: "mmap" },
    },
  };
}

/** Returns the arguments of a member's etcd. */
export function etcdArguments(
  { members }: ClusterPlan,
  index: number,
  folder: string,
): string[] {
  const { etcd, etcdPeer } = members[index]!;
  const url = (port: number) => `http://127.0.0.1:${port}`;
  const peers = members.map((member, n) => `${memberName(n)}=${url(member.etcdPeer)}`);
  return [
    `--name=${memberName(index)}`,
    `--data-dir=${join(folder, "etcd")}`,
    `--listen-client-urls=${url(etcd)}`,
    `--advertise-client-urls=${url(etcd)}`,
    `--listen-peer-urls=${url(etcdPeer)}`,
    `--initial-advertise-peer-urls=${url(etcdPeer)}`,
    `--initial-cluster=${peers.join()}`,
    "--initial-cluster-token=sabika",
    // One that was cut off does not depose the leader when it returns, which would lengthen Patroni's lease.
    "--pre-vote",
    // Patroni leaves a version of its keys every second.
    "--auto-compaction-retention=1",
    "--log-level=warn",
  ];
}

/** Returns the superuser's URL of a cluster, which leads to whichever member is the primary. */
export function clusterUrl({ members, passwords }: ClusterPlan): string {
  const hosts = members.map(({ postgresql }) => `127.0.0.1:${postgresql}`).join();
  return `postgres://${CLUSTER_SUPERUSER}:${passwords.superuser}@${hosts}/postgres` +
    "?target_session_attrs=read-write";
}
