/** `npm run build`: see help.txt. */
import { join, relative, resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { ROOT } from "../rules/repository_files.ts";
import { buildService } from "./build_service.ts";

try {
  const { values } = parseArgs({
    options: { out: { type: "string", default: join(ROOT, ".build") } },
  });
  const folder = resolve(values.out);
  const { version, files, bytes, packages } = await buildService(folder);
  const place = relative(process.cwd(), folder) || ".";
  const size = (bytes / 2 ** 20).toFixed(0);
  process.stdout.write(
    `built ${version} in ${place}: ${files} files, ${size} MB, with ${packages} packages from outside\n`,
  );
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
