import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { isPrivateLink, readDatabaseUrl } from "./database_url.ts";
import { each } from "../../test/support/each.ts";

test("readDatabaseUrl() reads hosts, sockets, passwords and TLS", () => {
  const plain = {
    followsPrimary: false,
    password: undefined,
    ssl: false,
    rootCertificateFile: undefined,
    kind: "postgresql",
    schema: "public",
  } as const;
  assertEquals(readDatabaseUrl("postgres://sabika@db.example/gold"), {
    ...plain,
    servers: [{ host: "db.example", port: 5432 }],
    user: "sabika",
    database: "gold",
  });
  assertEquals(readDatabaseUrl("postgresql://u%40x:p%3A%2Fw@[::1]:6543/d?sslmode=verify-full"), {
    ...plain,
    servers: [{ host: "::1", port: 6543 }],
    user: "u@x",
    password: "p:/w",
    database: "d",
    ssl: "verify-full",
  });
  assertEquals(readDatabaseUrl("postgres://u@/d?host=/var/run/pg&port=5433"), {
    ...plain,
    servers: [{ host: "/var/run/pg", port: 5433 }],
    user: "u",
    database: "d",
  });
  assertEquals(readDatabaseUrl("postgres://localhost").database, "postgres");
  assertEquals(readDatabaseUrl("postgres://u@/pglite?host=%2Ftmp%2Fx").kind, "pglite");
  assertEquals(readDatabaseUrl("postgres://u@h/pglite").kind, "postgresql");
});

test("readDatabaseUrl() reads a primary and its standbys, as libpq does", () => {
  const read = (url: string) => {
    const { servers, followsPrimary } = readDatabaseUrl(url);
    return [...servers.map(({ host, port }) => `${host} ${port}`), followsPrimary];
  };
  const attrs = "target_session_attrs=read-write";
  assertEquals(read(`postgres://u:p@a:1,[::2]:2,c/d?${attrs}`), ["a 1", "::2 2", "c 5432", true]);
  assertEquals(read(`postgres://u@/d?host=/a,b&port=1,2&${attrs}`), ["/a 1", "b 2", true]);
  assertEquals(read(`postgres://u@/d?host=a,b&port=7&${attrs}`), ["a 7", "b 7", true]);
  assertEquals(read(`postgres://u@a/d?${attrs}`), ["a 5432", true]);
  assertEquals(read("postgres://u@a/d?target_session_attrs=any"), ["a 5432", false]);
});

test("readDatabaseUrl() refuses several hosts unless connections follow the primary, and says why", () => {
  const cases = [
    ["postgres://u@a,b/d", "need target_session_attrs=read-write"],
    ["postgres://u@a,b/d?target_session_attrs=any", "need target_session_attrs=read-write"],
    ["postgres://u@a,b/d?target_session_attrs=prefer-standby", "nothing here works on a standby"],
    ["postgres://u@a/d?target_session_attrs=standby", "nothing here works on a standby"],
    ["postgres://u@/d?host=a,b,c&port=1,2&target_session_attrs=read-write", "as many ports"],
  ] as const;
  for (const [url, words] of cases) {
    const { message } = assertThrows(() => readDatabaseUrl(url), TypeError);
    assert(message.includes(words), message);
  }
});

test("readDatabaseUrl() verifies the certificate when an authority is named, as libpq does", () => {
  const read = (query: string) => {
    const { ssl, rootCertificateFile } = readDatabaseUrl(`postgres://u@h/d?${query}`);
    return [ssl, rootCertificateFile];
  };
  assertEquals(read("sslmode=require"), ["require", undefined]);
  assertEquals(read("sslmode=require&sslrootcert=/ca.crt"), ["verify-full", "/ca.crt"]);
  assertEquals(read("sslmode=verify-ca&sslrootcert=/ca.crt"), ["verify-full", "/ca.crt"]);
  assertEquals(read("sslmode=verify-full&sslrootcert=system"), ["verify-full", undefined]);
  assertEquals(read("sslmode=prefer"), ["prefer", undefined]);
});

test("readDatabaseUrl() reads the schema from libpq's options, and refuses any other search path", () => {
  const read = (options: string) =>
    readDatabaseUrl(`postgres://u@h/d?options=${encodeURIComponent(options)}`).schema;
  assertEquals(read("-csearch_path=cell_b"), "cell_b");
  assertEquals(read("-c search_path=cell_b"), "cell_b");
  assertEquals(read("-c geqo=off"), "public");
  for (const path of ["cell_b,public", '"Cell"', "pg_catalog", "cell_b -c geqo=off", ""]) {
    assertThrows(() => read(`-csearch_path=${path}`), TypeError, "-csearch_path=NAME");
  }
});

test("isPrivateLink() accepts a socket, this machine, or TLS with a verified certificate", () => {
  const isPrivate = (url: string) => isPrivateLink(readDatabaseUrl(url));
  const urls = each(`
    postgres://u@/d?host=/run/postgresql postgres://u@localhost/d postgres://u@127.0.0.1/d
    postgres://u@[::1]/d postgres://u@db.example/d?sslmode=verify-full
    postgres://u@a.example,b.example/d?sslmode=verify-full&target_session_attrs=read-write`);
  for (const url of urls) assertEquals(isPrivate(url), true, url);
  const others = [
    "postgres://u@db.example/d",
    "postgres://u@10.0.0.5/d?sslmode=prefer",
    "postgres://u@127.example/d?sslmode=require",
    "postgres://u@localhost,b.example/d?target_session_attrs=read-write",
  ];
  for (const url of others) assertEquals(isPrivate(url), false, url);
});

test("readDatabaseUrl() refuses what is not a database URL, without repeating it", () => {
  const texts = ["", "mysql://secret@h/d", "postgres:secret", "postgres://u:secret@h:port/d"];
  for (const text of texts) {
    const error = assertThrows(() => readDatabaseUrl(text), TypeError);
    assertEquals(error.message.includes("secret"), false);
  }
});
