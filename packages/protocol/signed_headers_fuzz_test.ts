import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { fuzz } from "../../test/support/fuzz/fuzz.ts";
import { latin1 } from "../../test/support/fuzz/latin1.ts";
import { decodeBase64Url, encodeBase64Url, signDetached } from "../jws/mod.ts";
import { decodeUtf8 } from "./bytes.ts";
import { isJsonObject, JsonNumber } from "./json.ts";
import { parseJson } from "./parse_json.ts";
import { checkSignedHeaders, verifySignedRequest } from "./signed_request.ts";

const { privateKey, publicKey } = await crypto.subtle.generateKey(
  { name: "ECDSA", namedCurve: "P-256" },
  false,
  ["sign", "verify"],
);
const KEY_ID = "A".repeat(43);
const TIMESTAMP = "1795167000";
const NONCE = "4d20001982381783d658078628e8d11c";
const BODY_SHA256 = "ab".repeat(32);
const BASE_URL = "https://sabika.test";
const TARGET = "/v1/orders";
const payload = ["POST", TARGET, BODY_SHA256, TIMESTAMP, NONCE].join("\n");
const signatures = await Promise.all([
  signDetached(payload, privateKey, { keyId: undefined }),
  signDetached(payload, privateKey, { keyId: KEY_ID }),
]);
const header = (text: string) =>
  encodeBase64Url(new TextEncoder().encode(text)) +
  signatures[0]!.slice(signatures[0]!.indexOf("."));

test(
  "fuzz: the headers of a signed request are read correctly or refused",
  fuzz({
    samples: signatures.map((signature) => `${TIMESTAMP}\n${NONCE}\n${signature}`),
    words: [
      ..."\n . .. = 0 -1 1e9 99999999999999999999 \u00e9".split(" "),
      " ",
      "\r\n",
      signatures[1]!,
    ],
    async judge(input) {
      const [timestamp, nonce, signature] = latin1(input).split("\n");
      const checked = checkSignedHeaders({ timestamp, nonce, signature });
      if (!checked.ok) return checked.code;
      assert(/^[0-9]+$/.test(checked.timestamp) && Number.isSafeInteger(checked.timestampSeconds));
      assert(/^[\x21-\x7e]{16,128}$/.test(checked.nonce), "a nonce of other characters");
      const verified = await verifySignedRequest({
        method: "POST",
        target: TARGET,
        baseUrl: BASE_URL,
        bodySha256: BODY_SHA256,
        headers: checked,
        keys: [{ keyId: KEY_ID, publicKey }],
      });
      if (!verified.ok) return verified.code;
      // Any other timestamp, nonce or signature would be a forgery.
      assertEquals([timestamp, nonce], [TIMESTAMP, NONCE]);
      assert(signatures.includes(signature!), "another spelling of the signature");
      return "accepted";
    },
  }),
);

const SAMPLE_HEADERS = [
  `{"alg":"ES256","b64":false,"crit":["b64"]}`,
  `{"alg":"ES256","b64":false,"crit":["b64"],"kid":"${KEY_ID}"}`,
  `{ "kid" : "${KEY_ID}",\n "crit":[ "b64" ] , "b64":false , "alg" : "ES256" }`,
];

test(
  "fuzz: the protected header of a JWS is read correctly or refused",
  fuzz({
    samples: SAMPLE_HEADERS,
    words: [
      ...'"alg":"none", "alg":"HS256" "b64":true "kid":null "jwk":{} "jku":"https://a.b"'.split(
        " ",
      ),
      ...',"alg":"ES256" "\\u0061lg" \\ : , \ufeff \u0000 ["b64","b64"] "x5u"'.split(" "),
    ],
    judge(input) {
      const jws = header(latin1(input));
      const segment = encodeBase64Url(input);
      const checked = checkSignedHeaders({
        timestamp: TIMESTAMP,
        nonce: NONCE,
        signature: segment + jws.slice(jws.indexOf(".")),
      });
      if (!checked.ok) return String(checked.meta?.["reason"] ?? checked.code);
      // The package's JSON reader, which is strict too, finds the same members, each once.
      const members = parseJson(decodeUtf8(decodeBase64Url(segment)!)!);
      assert(isJsonObject(members), "no object was accepted");
      const { alg, b64, crit, kid, ...others } = Object.fromEntries(members);
      assertEquals([alg, b64, crit, others], ["ES256", false, ["b64"], {}]);
      assert(!(kid instanceof JsonNumber));
      assertEquals(kid, checked.jws.keyId);
      return "accepted";
    },
  }),
);
