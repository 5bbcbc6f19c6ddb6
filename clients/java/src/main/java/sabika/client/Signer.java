package sabika.client;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.interfaces.ECPublicKey;
import java.util.Arrays;

/** Signs with a P-256 key, wherever that is kept: ES256 (RFC 7518 §3.4). Threads may share it. */
public interface Signer {
  /** Signs the SHA-256 hash of the data; returns r‖s, 64 bytes. It may wait for a network. */
  byte[] sign(byte[] data) throws GeneralSecurityException;

  /** Returns the RFC 7638 thumbprint of the key. */
  String keyId();

  /** Makes signatures of the SHA-256 hash of data, r‖s or in DER. */
  @FunctionalInterface
  interface Signs {
    byte[] sign(byte[] data) throws GeneralSecurityException;
  }

  /** Makes a signer of a key's thumbprint and of what returns r‖s. */
  static Signer of(String keyId, Signs signs) {
    return new Signer() {
      @Override
      public byte[] sign(byte[] data) throws GeneralSecurityException {
        return signs.sign(data);
      }

      @Override
      public String keyId() {
        return keyId;
      }
    };
  }

  /** Makes a signer of a public key and of what returns signatures in DER, as AWS KMS does. */
  static Signer ofDer(ECPublicKey publicKey, Signs signs) {
    return of(Signing.thumbprint(publicKey), data -> join(signs.sign(data)));
  }

  /** Makes a signer of a key that may be in a token; its provider, such as SunPKCS11, is registered. */
  static Signer of(PrivateKey key, String keyId) {
    return of(keyId, data -> {
      // The provider is chosen by the key.
      Signature signature = Signature.getInstance(Signing.ES256);
      signature.initSign(key);
      signature.update(data);
      return signature.sign();
    });
  }

  /** Makes a signer of an entry of a key store; of its certificate only the public key matters. */
  static Signer of(KeyStore.PrivateKeyEntry entry) {
    ECPublicKey publicKey = (ECPublicKey) entry.getCertificate().getPublicKey();
    return of(entry.getPrivateKey(), Signing.thumbprint(publicKey));
  }

  /** Returns r‖s of a signature in DER: a sequence of two integers (RFC 3279 §2.2.3). */
  private static byte[] join(byte[] der) throws SignatureException {
    byte[] joined = new byte[64];
    try {
      int at = 2;
      for (int place = 0; place < 64; place += 32) {
        int end = at + 2 + der[at + 1];
        BigInteger number = new BigInteger(Arrays.copyOfRange(der, at + 2, end));
        boolean isInteger = der[at] == 2 && number.signum() > 0 && number.compareTo(Signing.ORDER) < 0;
        if (!isInteger || end > der.length) break;
        System.arraycopy(Signing.bytes32(number), 0, joined, place, 32);
        at = end;
      }
      if (der[0] == 0x30 && der[1] == der.length - 2 && at == der.length) return joined;
    } catch (IndexOutOfBoundsException | IllegalArgumentException | ArithmeticException wrong) {
      // The exception below says so.
    }
    throw new SignatureException("the signer returned no signature of P-256 in DER");
  }
}
