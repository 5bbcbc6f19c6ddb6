import { after } from "node:test";
import { fileURLToPath } from "node:url";
import {
  edgeBefore,
  startAnyService,
  testAnyService,
} from "../../test/support/edge/any_service.ts";

// A Python service, of its standard library alone, behind a real Envoy.

const script = new URL("../../test/support/edge/echo.py", import.meta.url);
const service = await startAnyService("python3", [fileURLToPath(script)]);
const edge = await edgeBefore(service);
after(async () => {
  await edge.close();
  await service.close();
});
testAnyService("Python", { edge, service });
