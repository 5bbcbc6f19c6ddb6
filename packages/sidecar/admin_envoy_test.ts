import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { request } from "node:http";
import { stat } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { askAdmin } from "./ask_admin.ts";
import { type Edge, startEdge } from "../../test/support/edge/edge.ts";
import { rawCall, requestText } from "../../test/support/edge/raw_call.ts";
import { each } from "../../test/support/each.ts";

describe("what a real Envoy tells whom", () => {
  let edge: Edge;
  before(async () => edge = await startEdge());
  after(() => edge.close());

  const watch = (path: string, method = "GET"): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const asked = request(
        { port: edge.envoy.watchPort, host: "127.0.0.1", path, method },
        (answer) => {
          let text = "";
          answer.on("data", (part: Uint8Array) => text += new TextDecoder().decode(part));
          answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
        },
      );
      asked.on("error", reject);
      asked.end();
    });

  it("keeps its admin to its own user, and of it only what tells and drains", async () => {
    assertEquals((await stat(edge.envoy.adminSocket)).mode & 0o777, 0o600);
    assertEquals((await askAdmin(edge.envoy.adminSocket, "/ready")).status, 200);
    for (
      const path of each(`
        /config_dump /server_info /logging /clusters /runtime /memory /`)
    ) {
      assertEquals((await askAdmin(edge.envoy.adminSocket, path)).status, 403, path);
    }
    for (
      const path of ["/quitquitquit", "/logging?level=debug", "/healthcheck/fail", "/cpuprofiler"]
    ) {
      assertEquals((await askAdmin(edge.envoy.adminSocket, path, "POST")).status, 403, path);
    }
  });

  it("shows Prometheus its statistics and a probe its readiness, and nothing else", async () => {
    await rawCall(edge, requestText("GET", "/health"));
    assertEquals((await watch("/ready")).status, 200);
    const { status, text } = await watch("/stats/prometheus");
    assertEquals(status, 200);
    for (
      const name of each(`
        envoy_listener_ssl_fail_verify_error envoy_http_local_rate_limit_enabled
        envoy_http_local_rate_limit_rate_limited
        envoy_cluster_upstream_cx_destroy_remote_with_active_rq
        envoy_connection_limit_limited_connections envoy_listener_manager_lds_update_rejected
        envoy_sds_key_rotation_failed envoy_sds_update_rejected envoy_http_downstream_rq_too_large
        envoy_cluster_membership_healthy envoy_listener_ssl_fail_verify_no_cert
        envoy_listener_ssl_certificate_expiration_unix_time_seconds
        envoy_http_downstream_rq_header_timeout envoy_http_downstream_rq_too_many_premature_resets`)
    ) assertStringIncludes(text, name);
    for (
      const path of ["/stats", "/certs", "/config_dump", "/listeners", "/", "/drain_listeners"]
    ) {
      assertEquals((await watch(path)).status, 404, path);
    }
    assertEquals((await watch("/stats/prometheus", "POST")).status, 404);
  });

  it("serves the watch listener to no partner's port and partners to no watch", async () => {
    const answer = await rawCall(edge, requestText("GET", "/stats/prometheus"));
    assertEquals(answer.status, 404);
    assert((await watch("/v1/orders")).status === 404);
  });
});
