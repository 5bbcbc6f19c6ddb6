import { writeKit, writePrivateFile } from "@sabika/identity/keys";
import { readClientId, readIban } from "@sabika/terms";
import type { HandedOver } from "@sabika/office/partners";
import { mkdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { orAsk } from "../command/ask.ts";
import { command, switchFlag, textFlag } from "../command/command.ts";
import { must, RefusedError } from "../outcome.ts";
import { readTextFile } from "../command/read_text_file.ts";
import { several } from "../command/several.ts";
import { list } from "../command/table.ts";

interface Flags {
  clientId?: string;
  name?: string;
  iban?: string;
  webhookUrl?: string;
  csr?: string;
  signingKey?: string;
  withKeys: boolean;
  ip?: readonly string[];
  cell?: string;
  encryptTo?: string;
  out?: string;
}

/** `sabika partner create`: admits a partner and writes its kit (Decision D43). */
export const partnerCreate = command<Flags, []>({
  brief: "Admit a partner and write its kit",
  more: "The kit goes to partners/<ID>/ of the data folder. It holds the client secret and the\n" +
    "webhook secret, which are shown nowhere else; the partner's private keys are its own.\n" +
    "Without --csr the certificate is issued later, with certificate issue.\n" +
    "With --encrypt-to the kit is one file ID.tar.age, which can be sent by any channel: a partner's\n" +
    "age recipient opens it, or a passphrase that is shown once. age -d ID.tar.age | tar x makes the folder.",
  examples: [
    "partner create --client-id bank-one --name 'Bank One' --iban SA0380000000608010167519 \\\n" +
    "    --webhook-url https://hooks.bank-one.example/sabika --csr client.csr \\\n" +
    "    --signing-key signing.csr --ip 192.0.2.0/24",
    "partner create --client-id demo-two --name 'Demo Two' --iban SA0380000000608010167519 \\\n" +
    "    --webhook-url https://localhost:9443/webhooks --with-keys",
  ],
  flags: {
    clientId: textFlag("Its client id: lower-case letters, digits, hyphens", "ID"),
    name: textFlag("The organisation's name", "NAME"),
    iban: textFlag("Where its withdrawals are paid to", "IBAN"),
    webhookUrl: textFlag("Where its events are sent to, https", "URL"),
    csr: textFlag("Its certificate signing request, PEM", "FILE"),
    signingKey: textFlag(
      "A request made with its signing key, or in the sandbox the public key",
      "FILE",
    ),
    withKeys: switchFlag("Sandbox only: make its private keys too, for a complete kit"),
    ip: several(
      "An address it may call from, IPv4 or IPv6 CIDR; none = anywhere (sandbox only)",
      "CIDR",
    ),
    cell: textFlag("The cell that it lives and trades in (main)", "NAME"),
    encryptTo: textFlag("Who opens the kit: an age recipient (age1…), or passphrase", "RECIPIENT"),
    out: textFlag("The kit's folder", "FOLDER"),
  },
  async run(session, flags) {
    const clientId = must(
      readClientId(await orAsk(session, flags.clientId, "client-id", "Client id?")),
    );
    const name = await orAsk(session, flags.name, "name", "Name of the organisation?");
    const iban = await orAsk(session, flags.iban, "iban", "Settlement IBAN?", (answer) => {
      const read = readIban(answer);
      return read.ok ? undefined : read.detail;
    });
    const webhookUrl = await orAsk(session, flags.webhookUrl, "webhook-url", "Webhook URL?");
    const [csr, signingKey] = await Promise.all([
      flags.csr === undefined ? undefined : readTextFile(flags.csr, "the request"),
      flags.signingKey === undefined ? undefined : readTextFile(flags.signingKey, "the key"),
    ]);
    // Before anything is written: a kit without an address is useless.
    const ownUrl = flags.encryptTo === undefined ? await session.baseUrl() : "";
    const folder = flags.out ?? join(session.dataFolder, "partners", clientId);
    const admitted = await withFolder(folder, () =>
      session.act("partner.create", {
        client_id: clientId,
        name,
        iban,
        webhook_url: webhookUrl,
        csr,
        addresses: [...flags.ip ?? []],
        signing_key: signingKey,
        with_keys: flags.withKeys,
        cell: flags.cell,
        encrypt_to: flags.encryptTo,
      }));
    const { kit, certificate, file } = admitted;
    const secrets = file === null ? admitted.kit : undefined;
    const baseUrl = file === null ? ownUrl : admitted.kit.baseUrl;
    const files = await writeHandedOver(folder, baseUrl, admitted);
    const missing = missingToBuy(kit, certificate !== null);
    return {
      json: {
        client_id: kit.clientId,
        environment: kit.environment,
        base_url: baseUrl,
        client_secret: secrets?.clientSecret ?? null,
        webhook_secret: secrets?.webhookSecret ?? null,
        ...file && { passphrase: file.passphrase },
        signing_key_id: kit.signingKeyId,
        certificate: certificate === null
          ? null
          : { sha256: certificate.hashHex, serial: certificate.serial },
        kit: folder,
        files,
        missing_to_buy: missing,
      },
      text: `admitted ${kit.clientId} to the ${kit.environment}\n\n` + list([
        ...secrets === undefined ? [] : [
          ["client secret", `${secrets.clientSecret}  (shown once)`],
          ["webhook secret", `${secrets.webhookSecret}  (shown once)`],
        ] as const,
        ...file?.passphrase ? [["passphrase", `${file.passphrase}  (shown once)`]] as const : [],
        ["certificate", certificate?.hashHex ?? "none yet: sabika certificate issue"],
        ["signing key", kit.signingKeyId ?? "none yet: sabika signing-key add"],
        ["kit", `${folder} (${files.join(", ")})`],
        ["before it buys", missing.join(", ")],
      ]),
    };
  },
});

/** Writes the kit's files, or its encrypted file, to a folder; returns their names. */
async function writeHandedOver(
  folder: string,
  baseUrl: string,
  { kit, file }: HandedOver,
): Promise<string[]> {
  if (file === null) return await writeKit(folder, baseUrl, kit);
  await writePrivateFile(join(folder, file.name), file.text);
  return [file.name];
}

/** The commands still needed before the partner's first order, which draws on gold allocated to it. */
function missingToBuy(kit: HandedOver["kit"], hasCertificate: boolean): string[] {
  const { clientId, environment, signingKeyId } = kit;
  return [
    ...hasCertificate ? [] : [`sabika certificate issue ${clientId} client.csr`],
    ...signingKeyId === null ? [`sabika signing-key add ${clientId} signing.csr`] : [],
    `sabika vault allocate ${clientId} GRAMS`,
    // In the sandbox the partner funds itself.
    ...environment === "production"
      ? [`sabika funding credit ${clientId} SAR --reference REFERENCE`]
      : [],
  ];
}

/** Makes the kit's folder before the partner: secrets that are shown once need a place to go. */
async function withFolder<T>(folder: string, admit: () => Promise<T>): Promise<T> {
  let made: string | undefined;
  try {
    made = await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as { code?: string };
    throw new RefusedError("no_folder", `the kit's folder ${folder} cannot be made (${code})`);
  }
  try {
    return await admit();
  } catch (error) {
    // A refused partner leaves no folder of its name.
    if (made !== undefined) await rmdir(folder).catch(() => {});
    throw error;
  }
}
