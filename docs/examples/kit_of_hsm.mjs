// Opens a kit whose private keys stay in an HSM: one signs by PKCS#11, the other makes connections by libp11's engine
// for OpenSSL. Node, with pkcs11js.
import { openKit } from "@sabika/client";
import { encodeBase64Url, thumbprint } from "@sabika/client/protocol";
import pkcs11 from "pkcs11js";

/** The keys of the first token are called client and signing; the folder has partner.json, ca.crt and client.crt. */
export async function openKitOfHsm(folder, module, engine, pin) {
  const hsm = new pkcs11.PKCS11();
  hsm.load(module);
  hsm.C_Initialize();
  const session = hsm.C_OpenSession(hsm.C_GetSlotList(true)[0], pkcs11.CKF_SERIAL_SESSION);
  hsm.C_Login(session, pkcs11.CKU_USER, pin);
  return await openKit({
    folder,
    signingKey: await signerOf(hsm, session, "signing"),
    privateKeyEngine: engine,
    privateKeyIdentifier: `pkcs11:object=client;type=private;pin-value=${pin}`,
  });
}

function find(hsm, session, kind, label) {
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
async function signerOf(hsm, session, label) {
  const publicKey = find(hsm, session, pkcs11.CKO_PUBLIC_KEY, label);
  const [{ value }] = hsm.C_GetAttributeValue(session, publicKey, [{ type: pkcs11.CKA_EC_POINT }]);
  const [x, y] = [value.subarray(-64, -32), value.subarray(-32)].map(encodeBase64Url);
  const privateKey = find(hsm, session, pkcs11.CKO_PRIVATE_KEY, label);
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
