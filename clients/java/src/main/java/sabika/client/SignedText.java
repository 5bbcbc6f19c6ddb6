package sabika.client;

import java.security.GeneralSecurityException;
import java.security.interfaces.ECPublicKey;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The payload of a compact JWS and the published key that signed it (Decision D103). */
record SignedText(byte[] payload, Key key) {
  /** Thrown for one that is refused before its content is looked at; the message is the fault. */
  static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    RefusedException(String fault) {
      super(fault);
    }
  }

  /** A published key; role and holder are null unless it is an inspector's or auditor's. */
  record Key(String id, String x, String y, Instant validUntil, String role, String holder) {
    static Key read(StrictMembers key, boolean hasRole) {
      key.time("valid_from");
      String role = hasRole ? key.text("role") : null;
      if (hasRole && !Set.of("inspector", "auditor").contains(role)) {
        throw new IllegalArgumentException("role");
      }
      return new Key(
          key.text("kid"), key.text("x"), key.text("y"), key.timeOrNull("valid_until"), role,
          hasRole ? key.text("holder") : null);
    }

    /** Returns the key; its name must be its own thumbprint, since another could be given to any key. */
    ECPublicKey publicKey() throws RefusedException {
      byte[] x = Base64Url.decode(this.x);
      byte[] y = Base64Url.decode(this.y);
      try {
        if (x != null && y != null && x.length == 32 && y.length == 32) {
          ECPublicKey found = Keys.publicKey(x, y);
          if (Signing.thumbprint(found).equals(id)) return found;
        }
      } catch (GeneralSecurityException wrong) {
        throw new RefusedException("unknown_key");
      }
      throw new RefusedException("unknown_key");
    }
  }

  /** Reads the keys that the operator signs with. */
  static List<Key> readKeys(String json) {
    return StrictMembers.read(json).objects("keys").stream().map(key -> Key.read(key, false)).toList();
  }

  /** Reads the keys of inspectors and auditors. */
  static List<Key> readAttestationKeys(String json) {
    return StrictMembers.read(json).objects("keys").stream().map(key -> Key.read(key, true)).toList();
  }

  /** Opens a JWS of a type that one of these keys has signed. */
  static SignedText open(String jws, String type, List<Key> keys)
      throws RefusedException, GeneralSecurityException {
    String[] segments = jws.split("\\.", -1);
    if (segments.length != 3) throw new RefusedException("malformed");
    Object keyId;
    byte[] signature;
    try {
      Map<?, ?> header = Signing.headerMembers(segments[0], Set.of("alg", "kid", "typ"));
      if (!"ES256".equals(header.get("alg"))) throw new RefusedException("wrong_algorithm");
      if (!type.equals(header.get("typ"))) throw new RefusedException("malformed");
      keyId = header.get("kid");
      signature = Signing.decodeSignature(segments[2]);
    } catch (SignatureRefusedException refused) {
      throw new RefusedException("malformed");
    }
    byte[] payload = Base64Url.decode(segments[1]);
    if (payload == null || !Signing.isKeyId(keyId)) throw new RefusedException("malformed");
    Key key = keys.stream().filter(one -> one.id().equals(keyId)).findFirst()
        .orElseThrow(() -> new RefusedException("unknown_key"));
    if (!Signing.fits(segments[0] + "." + segments[1], signature, key.publicKey())) {
      throw new RefusedException("altered");
    }
    return new SignedText(payload, key);
  }
}
