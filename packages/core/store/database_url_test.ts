import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { readDatabaseUrl } from "./database_url.ts";

test("readDatabaseUrl() reads hosts, sockets, passwords and TLS", () => {
  const plain = { port: 5432, password: undefined, ssl: false, kind: "postgresql" } as const;
  assertEquals(readDatabaseUrl("postgres://sabika@db.example/gold"), {
    ...plain,
    host: "db.example",
    user: "sabika",
    database: "gold",
  });
  assertEquals(readDatabaseUrl("postgresql://u%40x:p%3A%2Fw@[::1]:6543/d?sslmode=verify-full"), {
    host: "::1",
    port: 6543,
    user: "u@x",
    password: "p:/w",
    database: "d",
    ssl: "verify-full",
    kind: "postgresql",
  });
  assertEquals(readDatabaseUrl("postgres://u@/d?host=/var/run/pg&port=5433"), {
    ...plain,
    host: "/var/run/pg",
    port: 5433,
    user: "u",
    database: "d",
  });
  assertEquals(readDatabaseUrl("postgres://localhost").database, "postgres");
  assertEquals(readDatabaseUrl("postgres://u@/pglite?host=%2Ftmp%2Fx").kind, "pglite");
  assertEquals(readDatabaseUrl("postgres://u@h/pglite").kind, "postgresql");
});

test("readDatabaseUrl() refuses what is none, without repeating it", () => {
  for (
    const text of ["", "mysql://secret@h/d", "postgres:secret", "postgres://u:secret@h:port/d"]
  ) {
    const error = assertThrows(() => readDatabaseUrl(text), TypeError);
    assertEquals(error.message.includes("secret"), false);
  }
});
