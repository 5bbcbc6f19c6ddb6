import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { BlockList, isIP } from "node:net";
import { each } from "../../../test/support/each.ts";
import { fuzz } from "../../../test/support/fuzz/fuzz.ts";
import { checkWebhookUrl } from "./webhook_url.ts";

/** Private networks by Node's BlockList, which checks public_address.ts independently. */
const INSIDE = {
  ipv4: listOf(
    "ipv4",
    each(`0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16
      172.16.0.0/12 192.0.0.0/24 192.168.0.0/16 198.18.0.0/15 224.0.0.0/3`),
  ),
  ipv6: listOf(
    "ipv6",
    each("::/8 64:ff9b::/96 fc00::/7 fe80::/10 ff00::/8 2002::/16 2001:db8::/32"),
  ),
};

function listOf(family: "ipv4" | "ipv6", networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, prefix] = network.split("/") as [string, string];
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

test(
  "fuzz: the URL of a webhook is read correctly or refused",
  fuzz({
    samples: each(`
      https://bank.example.com/hooks https://bank.example.com:8443/h?a=b https://8.8.8.8/
      https://[2606:4700::1]/ https://xn--bcher-kva.example.com/ https://127.0.0.1/`),
    words: each(`
      @ : / \\ # ? % %2e %00 [ . ::1 ::ffff:127.0.0.1 \u3002
      127.1 0x7f.1 2130706433 0177.0.0.1 169.254.169.254 localhost .internal
      \u2460\u2461\u2466 http: https: file: user:pass@ :443 :22 \u00ad`).concat("\t"),
    judge(input) {
      const checked = checkWebhookUrl(new TextDecoder().decode(input), { allowLoopback: false });
      if (!checked.ok) return checked.reason;
      const { url, hostname, literal } = checked;
      assertEquals([url.protocol, url.username, url.password, url.hash], ["https:", "", "", ""]);
      assert(url.port === "" || Number(url.port) >= 1_024, `port ${url.port}`);
      const family = isIP(hostname);
      assertEquals(family !== 0, literal !== undefined, `${hostname} taken for a name`);
      const version = family === 4 ? "ipv4" : "ipv6";
      assert(family === 0 || !INSIDE[version].check(hostname, version), hostname);
      assert(family !== 0 || hostname.includes("."), `${hostname} is a name of this network`);
      return "accepted";
    },
  }),
);
