/**
 * Repairs three faults of postgres.js 3.4.9 in node_modules, until a release has them mended:
 * 1. a session that dies inside a transaction ends the whole process with a TypeError that nobody can
 *    catch (porsager/postgres issues 1066, 1133, 1154, 1208);
 * 2. a connection that closes while something is still to be written never works again: each further
 *    use of it waits for `connect_timeout`;
 * 3. what a transaction does after its session died runs on the next session, outside of any
 *    transaction or inside somebody else's (issue 1216).
 *
 * `packages/core/store/driver_postgresql_test.ts` holds what this is for. `node:` only. By itself it
 * repairs the node_modules of the folder above: `node tools/repair_driver.mjs`.
 */
import { existsSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const VERSION = "3.4.9";

/** What stands in a file, and what shall. */
const REPAIRS = {
  "src/connection.js": [
    [
      `  function nextWrite(fn) {
    const x = socket.write(chunk, fn)`,
      `  function nextWrite(fn) {
    if (socket === null) {
      chunk = nextWriteTimer = null
      return false
    }
    const x = socket.write(chunk, fn)`,
    ],
    [
      `    clearImmediate(nextWriteTimer)
    socket.removeListener('data', data)
    socket.removeListener('connect', connected)
    idleTimer.cancel()`,
      `    clearImmediate(nextWriteTimer)
    chunk = nextWriteTimer = null
    socket.removeListener('data', data)
    socket.removeListener('connect', connected)
    idleTimer.cancel()`,
    ],
    [
      `    !hadError && (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))
    closedTime`,
      `    ;(query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))
    query = results = errorResponse = null
    result = new Result()
    terminated = true // until it connects again
    closedTime`,
    ],
  ],
  "src/index.js": [
    [
      `    move(c, reserved)
    c.reserved = () => queue.length
      ? c.execute(queue.shift())
      : move(c, reserved)
    c.reserved.release = true

    const sql = Sql(handler)
    sql.release = () => {
      c.reserved = null
      onopen(c)
    }

    return sql

    function handler(q) {
      c.queue === full`,
      `    let dead = null
    move(c, reserved)
    c.reserved = () => queue.length
      ? c.execute(queue.shift())
      : move(c, reserved)
    c.reserved.release = true
    c.onclose = e => {
      dead = e
      while (queue.length)
        queue.shift().reject(e)
    }

    const sql = Sql(handler)
    sql.release = () => {
      if (dead)
        return
      c.onclose = null
      c.reserved = null
      onopen(c)
    }

    return sql

    function handler(q) {
      if (dead)
        return q.reject(dead)
      c.queue === full`,
    ],
    [
      `      , connection
      , prepare = null
`,
      `      , connection
      , prepare = null
      , dead = null
`,
    ],
    [
      `        new Promise((_, reject) => connection.onclose = reject)`,
      `        new Promise((_, reject) => connection.onclose = e => {
          dead = e
          while (queries.length)
            queries.shift().reject(e)
          reject(e)
        })`,
    ],
    [
      `        q.catch(e => uncaughtError || (uncaughtError = e))
        c.queue === full`,
      `        q.catch(e => uncaughtError || (uncaughtError = e))
        if (dead)
          return q.reject(dead)
        c.queue === full`,
    ],
  ],
};

/**
 * Repairs the driver below a folder; does nothing where it is whole, or not installed.
 *
 * @param {string} root the folder that has node_modules
 * @throws {Error} when another version is installed, or its text is not what it was
 */
export function repairDriver(root) {
  const link = join(root, "node_modules", "postgres");
  if (!existsSync(link)) return;
  const folder = realpathSync(link);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (version !== VERSION) {
    throw new Error(
      `postgres ${version} is installed: see whether tools/repair_driver.mjs fits it`,
    );
  }
  for (const [name, repairs] of Object.entries(REPAIRS)) {
    const file = join(folder, name);
    const before = readFileSync(file, "utf8");
    let text = before;
    for (const [faulty, whole] of repairs) {
      if (text.includes(whole)) continue;
      if (!text.includes(faulty)) {
        throw new Error(`${name} of postgres ${version} is not as published`);
      }
      text = text.replace(faulty, () => whole);
    }
    if (text === before) continue;
    // A file of its own: package managers may share this one with other folders.
    const own = `${file}.${process.pid}`;
    writeFileSync(own, text);
    renameSync(own, file);
  }
}

if (
  process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)
) {
  repairDriver(dirname(dirname(fileURLToPath(import.meta.url))));
}
