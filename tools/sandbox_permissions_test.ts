import { assert, assertEquals } from "@std/assert";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { commandLine } from "./programs/command_line.ts";
import { sandboxPermissions } from "./sandbox_permissions.mjs";

test("sandboxPermissions() allows writing to the data folder, and starting no program", () => {
  const options = sandboxPermissions(commandLine`--data=/srv/gold --webhook-ca /etc/ca.pem
    --database-url postgres://me@/gold?host=/run/pg&sslrootcert=/etc/pg.pem`);
  const paths = (name: string) =>
    options.find((option) => option.startsWith(`--allow-${name}=`))?.split("=")[1]?.split(",");
  assertEquals(paths("write"), ["/srv/gold", tmpdir(), "/run/pg"]);
  assertEquals(paths("read")?.slice(1), [
    "/srv/gold",
    tmpdir(),
    "/run/pg",
    "/etc/ca.pem",
    "/etc/pg.pem",
  ]);
  assert(sandboxPermissions(["--data=a,b"]).includes("--allow-write"));
  assert(!options.some((option) => /^(-A|--allow-(all|run|ffi|import|write|read))$/.test(option)));
});
