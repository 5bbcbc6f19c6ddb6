// Buys gold while both private keys stay in an HSM: one signs by PKCS#11, the other makes connections by libp11's
// engine for OpenSSL. Node: npm install pkcs11js && node keys_in_hsm.mjs KIT MODULE ENGINE
import process from "node:process";
import { createClient, grams, openKit, riyals } from "@sabika/client";
import { encodeBase64Url, thumbprint } from "@sabika/client/protocol";
import pkcs11 from "pkcs11js";

const [folder, module, engine] = process.argv.slice(2);
const { PKCS11_PIN: pin } = process.env;
const hsm = new pkcs11.PKCS11();
hsm.load(module);
hsm.C_Initialize();
const session = hsm.C_OpenSession(hsm.C_GetSlotList(true)[0], pkcs11.CKF_SERIAL_SESSION);
hsm.C_Login(session, pkcs11.CKU_USER, pin);

function find(kind, label) {
  const wanted = [{ type: pkcs11.CKA_CLASS, value: kind }, {
    type: pkcs11.CKA_LABEL,
    value: label,
  }];
  hsm.C_FindObjectsInit(session, wanted);
  const [found] = hsm.C_FindObjects(session, 1);
  hsm.C_FindObjectsFinal(session);
  return found;
}

/** A signer of the key of this label, on P-256. */
async function signerOf(label) {
  const publicKey = find(pkcs11.CKO_PUBLIC_KEY, label);
  const [{ value }] = hsm.C_GetAttributeValue(session, publicKey, [{ type: pkcs11.CKA_EC_POINT }]);
  const [x, y] = [value.subarray(-64, -32), value.subarray(-32)].map(encodeBase64Url);
  const privateKey = find(pkcs11.CKO_PRIVATE_KEY, label);
  return {
    keyId: await thumbprint({ kty: "EC", crv: "P-256", x, y }),
    async sign(input) {
      const digest = Buffer.from(await crypto.subtle.digest("SHA-256", input));
      // A session has one operation at a time, so that nothing may come between these two.
      hsm.C_SignInit(session, { mechanism: pkcs11.CKM_ECDSA }, privateKey);
      return hsm.C_Sign(session, digest, Buffer.alloc(64)); // r‖s already, not DER
    },
  };
}

const kit = await openKit({
  folder, // with partner.json, ca.crt and client.crt alone
  signingKey: await signerOf("signing"),
  privateKeyEngine: engine,
  privateKeyIdentifier: `pkcs11:object=client;type=private;pin-value=${pin}`,
});
const client = createClient(kit);
await client.fund({ amountHalalas: riyals("1000") }); // sandbox only
const quote = await client.quote({ side: "buy", goldMicrograms: grams("1") });
const order = await client.order({ quoteId: quote.id });
console.log(order.id, order.status, kit.signingKeyId);
await client.close();
