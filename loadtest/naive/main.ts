/**
 * Serves the naive service on a Unix socket, for `npm run bench`. Reads SABIKA_DATABASE_URL,
 * SABIKA_BASE_URL, SABIKA_LISTEN (`unix:/path`) and SABIKA_DATABASE_CONNECTIONS, as the product does.
 */
import { createServer } from "node:http";
import process from "node:process";
import { getRequestListener } from "@hono/node-server";
import { drizzle } from "drizzle-orm/postgres-js";
import { readDatabaseUrl } from "@sabika/database";
import postgres from "postgres";
import { createNaiveService } from "./app.ts";

const { SABIKA_DATABASE_URL, SABIKA_BASE_URL, SABIKA_LISTEN } = process.env;
const { servers: [{ host, port }], database, user, password } = readDatabaseUrl(
  SABIKA_DATABASE_URL!,
);
const sql = postgres({
  host,
  port,
  database,
  user,
  password,
  max: Number(process.env.SABIKA_DATABASE_CONNECTIONS ?? 8),
});
const app = createNaiveService({ database: drizzle(sql), baseUrl: SABIKA_BASE_URL! });
const server = createServer(getRequestListener(app.fetch));
server.keepAliveTimeout = 75_000;
server.listen(SABIKA_LISTEN!.replace(/^unix:/, ""), () => console.log("ready"));
process.once("SIGTERM", () => process.exit(0));
