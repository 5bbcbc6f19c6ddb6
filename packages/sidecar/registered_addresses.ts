import ipaddr from "ipaddr.js";
import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { sidecarFolders } from "./folders.ts";
import { replaceFile } from "./replace_file.ts";

/** A partner and the addresses that it registered with the operator (Spec §1). */
export interface RegisteredPartner {
  /** Its client id; Envoy's counters for the partner are named after it. */
  partner: string;
  /** CIDRs or plain addresses. When empty, the partner may call from anywhere. */
  addresses: string[];
}

/**
 * Reads a list of registered addresses (YAML or JSON): `- {partner: bank-one, addresses: [192.0.2.0/24]}`.
 *
 * @returns the partners in the order of the list, their addresses as CIDRs in normal form
 * @throws SyntaxError when the text is not YAML
 * @throws RangeError that names the entry that is wrong
 */
export function readRegisteredAddresses(text: string): RegisteredPartner[] {
  let list: unknown;
  try {
    list = parse(text);
  } catch (error) {
    throw new SyntaxError((error as Error).message.split("\n")[0]);
  }
  return checkPartners(list);
}

function checkPartners(list: unknown): RegisteredPartner[] {
  if (!Array.isArray(list)) throw new RangeError("the addresses must be a list of partners");
  const seen = new Set<string>();
  return list.map((entry: Partial<RegisteredPartner> | null) => {
    const { partner, addresses } = entry ?? {};
    if (typeof partner !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(partner)) {
      throw new RangeError("each entry must name its partner, by letters, digits, - and _");
    }
    if (seen.has(partner)) throw new RangeError(`${partner} must be on the list once`);
    seen.add(partner);
    if (!Array.isArray(addresses)) throw new RangeError(`${partner}: addresses must be a list`);
    return { partner, addresses: [...new Set(addresses.map((text) => normalCidr(partner, text)))] };
  });
}

/** Reads the list that `storeAddresses` stored last; undefined when it never stored one. */
export async function storedAddresses(folder: string): Promise<RegisteredPartner[] | undefined> {
  const text = await readFile(sidecarFolders(folder).addresses, "utf8").catch(() => undefined);
  return text === undefined ? undefined : checkPartners(JSON.parse(text));
}

/** Stores registered addresses, so that the next start of Envoy uses them. */
export async function storeAddresses(
  folder: string,
  partners: readonly RegisteredPartner[],
): Promise<void> {
  await replaceFile(sidecarFolders(folder).addresses, JSON.stringify(partners, null, 1));
}

function normalCidr(partner: string, text: unknown): string {
  const source = String(text);
  const cidr = source.includes("/") ? source : `${source}/${source.includes(":") ? 128 : 32}`;
  if (!ipaddr.isValidCIDR(cidr)) throw new RangeError(`${partner}: ${source} must be an address`);
  return networkOf(...ipaddr.parseCIDR(cidr));
}

/** Returns the range with a prefix of `length` bits that holds the address, as a CIDR in normal form. */
export function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6, length: number): string {
  const cidr = `${address.toString()}/${length}`;
  const network = address.kind() === "ipv4"
    ? ipaddr.IPv4.networkAddressFromCIDR(cidr)
    : ipaddr.IPv6.networkAddressFromCIDR(cidr);
  return `${network.toString()}/${length}`;
}
