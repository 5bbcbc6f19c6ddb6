import { join } from "node:path";
import process from "node:process";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { onPath } from "../../tools/programs/on_path.ts";
import { mustRun } from "../../tools/programs/run_program.ts";
import {
  edgeBefore,
  startAnyService,
  testAnyService,
} from "../../test/support/edge/any_service.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";

// A Go service, of its standard library alone, behind a real Envoy.

const source = fileURLToPath(new URL("../../test/support/edge/echo.go", import.meta.url));
const program = join(temporaryFolder(), "echo");
const env = { ...process.env, CGO_ENABLED: "0", GOPROXY: "off", GOTOOLCHAIN: "local" };
const go = onPath("go");
if (go === undefined) throw new Error("go is not on the PATH");
await mustRun(go, ["build", "-buildvcs=false", "-o", program, source], { env });
const service = await startAnyService(program, []);
const edge = await edgeBefore(service);
after(async () => {
  await edge.close();
  await service.close();
});
testAnyService("Go", { edge, service });
