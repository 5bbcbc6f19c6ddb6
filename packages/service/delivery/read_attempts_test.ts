import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { each } from "../../../test/support/each.ts";
import { failureClass } from "./read_attempts.ts";

test("a failure belongs to a class, by its status or the code of what broke", () => {
  assertEquals(failureClass({ status: 204, failure: null }), null);
  const answers = {
    gone: [410],
    busy: [429, 503],
    redirect: [300, 302, 399],
    error_answer: [299, 400, 404, 409, 411, 428, 500, 502, 504],
  };
  for (const [expected, statuses] of Object.entries(answers)) {
    for (const status of statuses) {
      assertEquals(failureClass({ status, failure: `HTTP ${status}` }), expected, `${status}`);
    }
  }
  const codes: Record<string, readonly string[]> = {
    timeout: ["timed out"],
    unreachable: each("ECONNREFUSED EHOSTUNREACH ENETUNREACH ETIMEDOUT EADDRNOTAVAIL"),
    closed: each("ECONNRESET EPIPE broken UND_ERR_SOCKET"),
    not_http: ["HPE_INVALID_CONSTANT", "not an answer"],
    name_unknown: ["host_unknown"],
    address_not_allowed: each(`address_not_public host_not_public port_not_allowed url_malformed
      url_has_credentials`),
    certificate: each(`CERT_HAS_EXPIRED ERR_TLS_CERT_ALTNAME_INVALID UNABLE_TO_GET_ISSUER_CERT
      DEPTH_ZERO_SELF_SIGNED_CERT UNABLE_TO_VERIFY_LEAF_SIGNATURE ERR_SSL_WRONG_VERSION EPROTO`),
    other: ["secret_unreadable", "no_valid_secret", "not timed out", "timed out twice", ""],
  };
  for (const [expected, failures] of Object.entries(codes)) {
    for (const failure of failures) {
      assertEquals(failureClass({ status: null, failure }), expected, failure);
    }
  }
  // What only contains a code is not it.
  const whole = [
    codes.unreachable!,
    codes.closed!,
    codes.name_unknown!,
    codes.address_not_allowed!,
  ];
  for (const code of [...whole.flat(), "HPE_X", "not an answer"]) {
    assertEquals(failureClass({ status: null, failure: `the ${code}` }), "other", code);
  }
  const ended = each(`ECONNREFUSED EADDRNOTAVAIL ECONNRESET UND_ERR_SOCKET host_unknown
    address_not_public port_not_allowed`);
  for (const code of [...ended, "not an answer"]) {
    assertEquals(failureClass({ status: null, failure: `${code}2` }), "other", code);
  }
});
