import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import type { ResolvedAddress } from "@sabika/network";
import { each } from "../../../test/support/each.ts";
import { isLoopbackAddress, isPublicAddress } from "./public_address.ts";
import { checkWebhookUrl, resolveWebhookAddress } from "./webhook_url.ts";

const LONGEST = "https://bank.example/".padEnd(2_048, "a");
const production = { allowLoopback: false };
const reason = (url: string, policy = production) => {
  const checked = checkWebhookUrl(url, policy);
  return checked.ok ? "ok" : checked.reason;
};

test("isPublicAddress() refuses every special-purpose block", () => {
  const inside = each(`
    0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255
    127.0.0.1 127.255.255.255 169.254.169.254 172.16.0.1 172.31.255.255
    192.0.0.1 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.1
    203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
    :: ::1 ::7f00:1 ::127.0.0.1 ::8.8.8.8
    ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:8.8.8.8
    64:ff9b::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::a00:1
    100::1 2001::1 2001:2::1 2001:db8::1 2002:7f00:1::1 2002:808:808::1 3fff::1 5f00::1
    fc00::1 fd00::1 fe80::1 fec0::1 ff02::1 fe80::1%eth0 2606:4700::1%1
    localhost 127.1 2130706433 0x7f.0.0.1 0177.0.0.1 8.8.8`);
  for (const address of [...inside, "", "not an address"]) {
    assertEquals(isPublicAddress(address), false, address);
  }
});

test("isPublicAddress() accepts addresses of the public internet", () => {
  const outside = each(
    "8.8.8.8 1.1.1.1 172.32.0.1 100.128.0.1 192.169.0.1 2606:4700::1111 2a00:1450::5",
  );
  for (const address of outside) assert(isPublicAddress(address), address);
});

test("isLoopbackAddress() takes only an address of this machine", () => {
  for (const address of each("127.0.0.1 127.255.0.1 ::1")) assert(isLoopbackAddress(address));
  const others = each("8.8.8.8 10.0.0.1 ::ffff:127.0.0.1 ::1%lo localhost");
  for (const address of others) assertEquals(isLoopbackAddress(address), false, address);
});

// Fault F77.
test("checkWebhookUrl() recognises every spelling of a loopback address", () => {
  const hosts = each(`
    127.0.0.1 2130706433 0x7f.1 0x7f000001 0177.0.0.1 127.1 127.0.1 127.0.0.1. 0 0.0.0.0
    \u2460\u2461\u2466.0.0.1 127\u30020\u30020\u30021 %31%32%37.0.0.1
    [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [64:ff9b::7f00:1] [2002:7f00:1::] [::7f00:1]
    [fd00::1] [fe80::1] 169.254.169.254 10.0.0.8 172.16.5.4 192.168.1.1 100.64.0.1`);
  for (const host of hosts) {
    assertEquals(reason(`https://${host}/hook`), "address_not_public", host);
  }
});

test("checkWebhookUrl() refuses names of the machine itself and of its network", () => {
  const hosts = each(`
    localhost localhost. LOCALHOST \u24dbocalhost a.localhost printer.local db.internal intranet
    metadata.google.internal 1.0.0.127.in-addr.arpa`);
  for (const host of hosts) assertEquals(reason(`https://${host}/hook`), "host_not_public", host);
});

test("checkWebhookUrl() refuses what is not a plain https address", () => {
  const cases: [string, string][] = [
    ["http://bank.example/hook", "url_not_https"],
    ["file:///etc/passwd", "url_not_https"],
    ["ftp://bank.example", "url_not_https"],
    ["javascript:alert(1)", "url_not_https"],
    ["https://user:pass@bank.example/", "url_has_credentials"],
    ["https://user@bank.example/", "url_has_credentials"],
    ["https://@bank.example/", "url_has_credentials"],
    ["https://bank.example/#part", "url_has_fragment"],
    ["https://bank.example:22/", "port_not_allowed"],
    ["https://bank.example:25/", "port_not_allowed"],
    ["https://bank.example:0/", "port_not_allowed"],
    ["https://bank.example:99999/", "url_malformed"],
    ["https://:pass@bank.example/", "url_has_credentials"],
    ["https://bank.example:1023/", "port_not_allowed"],
    ["https:bank.example/", "url_malformed"],
    ["https:/bank.example/https://bank.example/", "url_malformed"],
    ["https:///bank.example/", "url_malformed"],
    ["https://bank.example\\@evil.example/", "url_malformed"],
    ["https://bank.exa\nmple/", "url_malformed"],
    [" https://bank.example/", "url_malformed"],
    ["https://", "url_malformed"],
    ["bank.example", "url_malformed"],
    ["", "url_malformed"],
    [`${LONGEST}a`, "url_too_long"],
  ];
  for (const [url, expected] of cases) assertEquals(reason(url), expected, url);
});

test("checkWebhookUrl() accepts an https address with path, query and a high port", () => {
  const urls = each(`
    https://bank.example/hook https://bank.example:8443/a?b=c https://8.8.8.8/ https://بنك.example/
    https://[2606:4700::1]/x https://bank.example:1024/ https://a.local.bank.example2/ https://b.example/c//d@e`);
  for (const url of [...urls, LONGEST]) {
    assertEquals(reason(url), "ok", url);
  }
});

test("checkWebhookUrl() accepts loopback in the sandbox, and no other private address", () => {
  const sandbox = { allowLoopback: true };
  for (const url of ["https://127.0.0.1:9000/", "https://localhost:9000/", "https://[::1]:9000/"]) {
    assertEquals(reason(url, sandbox), "ok", url);
  }
  const urls = ["https://10.0.0.1/", "https://169.254.169.254/", "https://[::ffff:127.0.0.1]/"];
  for (const url of urls) {
    assertEquals(reason(url, sandbox), "address_not_public", url);
  }
  assertEquals(reason("https://printer.local/", sandbox), "host_not_public");
  assertEquals(reason("http://127.0.0.1/", sandbox), "url_not_https");
  assertEquals(reason("https://127.0.0.1:22/", sandbox), "port_not_allowed");
});

const resolving = (...addresses: string[]) => ({
  allowLoopback: false,
  resolve: () =>
    Promise.resolve(
      addresses.map((address): ResolvedAddress => ({
        address,
        family: address.includes(":") ? 6 : 4,
      })),
    ),
});

test("resolveWebhookAddress() refuses a name if one of its addresses is not public", async () => {
  const addresses = each("127.0.0.1 10.1.1.1 169.254.169.254 ::1 ::ffff:10.0.0.1 64:ff9b::a00:1");
  for (const inside of addresses) {
    for (const all of [[inside], ["8.8.8.8", inside], [inside, "8.8.8.8"]]) {
      const resolved = await resolveWebhookAddress("https://bank.example/", resolving(...all));
      assertEquals(resolved, { ok: false, reason: "address_not_public" }, all.join());
    }
  }
});

test("resolveWebhookAddress() returns the checked addresses, or that the name has none", async () => {
  const resolved = await resolveWebhookAddress(
    "https://bank.example/",
    resolving("8.8.8.8", "2606:4700::1"),
  );
  assert(resolved.ok);
  assertEquals(resolved.addresses.map(({ address }) => address), ["8.8.8.8", "2606:4700::1"]);
  assertEquals(await resolveWebhookAddress("https://bank.example/", resolving()), {
    ok: false,
    reason: "host_unknown",
  });
  assertEquals(await resolveWebhookAddress("http://bank.example/", resolving("8.8.8.8")), {
    ok: false,
    reason: "url_not_https",
  });
  const failing = { allowLoopback: false, resolve: () => Promise.reject(new Error("ENOTFOUND")) };
  assertEquals(await resolveWebhookAddress("https://bank.example/", failing), {
    ok: false,
    reason: "host_unknown",
  });
});

test("resolveWebhookAddress() does not resolve an address", async () => {
  const policy = { allowLoopback: false, resolve: () => Promise.reject(new Error("asked")) };
  const resolved = await resolveWebhookAddress("https://8.8.8.8/", policy);
  assert(resolved.ok);
  assertEquals(resolved.addresses, [{ address: "8.8.8.8", family: 4 }]);
});
