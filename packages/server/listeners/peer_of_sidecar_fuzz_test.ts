import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { fuzz } from "../../../test/support/fuzz/fuzz.ts";
import { latin1 } from "../../../test/support/fuzz/latin1.ts";
import { peerOfSidecar } from "./peer_of_sidecar.ts";

const SECRET = "an edge secret of enough letters";
const HASH = "0123456789abcdef".repeat(4);
const peerOf = peerOfSidecar((secret) => secret === SECRET);

test(
  "fuzz: what the sidecar forwards of the caller is read correctly or refused",
  fuzz({
    samples: [`${SECRET}\nHash=${HASH}\n203.0.113.7`, `${SECRET}\nHash=${HASH}\n2001:db8::7`],
    words: [
      ...`; , Hash=${HASH} Hash= hash= By=spiffe://a Subject="CN=a,O=b" Cert= " Chain= %3D`.split(
        " ",
      ),
      ..."\n ::ffff:127.0.0.1 %eth0 unix: 127.1 \u00a0".split(" "),
      HASH.toUpperCase(),
      " ",
    ],
    judge(input) {
      const [secret, certificate, address] = latin1(input).split("\n");
      const headers = {
        "x-sabika-edge": secret,
        "x-forwarded-client-cert": certificate,
        "x-sabika-peer-address": address,
      };
      const peer = peerOf({ headers } as unknown as IncomingMessage);
      if (peer === undefined) return "no caller";
      assertEquals([secret, certificate], [SECRET, `Hash=${peer.certificateHash}`]);
      assert(/^[0-9a-f]{64}$/.test(peer.certificateHash) && isIP(peer.address) !== 0);
      return "accepted";
    },
  }),
);
