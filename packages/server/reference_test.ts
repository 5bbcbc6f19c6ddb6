import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { openApiDocument } from "@sabika/reference";
import { type AppParts, createApp } from "./app.ts";

for (const environment of ["sandbox", "production"] as const) {
  test(`in ${environment} every route has its operation, and every operation its route (F51)`, () => {
    const baseUrl = "https://sabika.test";
    const none = { reading: {}, credentialRequests: {}, metrics: {} };
    const parts = { environment, baseUrl, ...none, now: () => 0 };
    const { routes } = createApp(parts as unknown as AppParts);
    const { paths } = openApiDocument({ environment, baseUrl }) as { paths: object };
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`)
    );
    // A fixed path such as /v1/events/redeliver has the method ALL, so that it is not read as an id.
    const served = routes.filter(({ method }) => method !== "ALL").map(({ method, path }) =>
      `${method} ${path.replace(":id", "{id}")}`
    );
    assertEquals(served.sort(), documented.sort());
    for (const route of ["POST /sandbox/fund", "POST /sandbox/scenario"]) {
      assertEquals(served.includes(route), environment === "sandbox");
    }
  });
}
