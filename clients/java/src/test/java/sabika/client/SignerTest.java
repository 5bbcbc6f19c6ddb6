package sabika.client;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.interfaces.ECPublicKey;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SignerTest {
  private final Members key = Vectors.read("keys.json").list("keys").get(0);
  private final PrivateKey privateKey = Keys.privateKey(key.text("private_key_pem"));
  private final ECPublicKey publicKey = Keys.publicKey(key.text("public_key_pem"));

  SignerTest() throws GeneralSecurityException {}

  private byte[] der(byte[] data) throws GeneralSecurityException {
    Signature signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(privateKey);
    signature.update(data);
    return signature.sign();
  }

  @Test
  void aSignatureInDerIsMadeOneOfAJws() throws Exception {
    Signer signer = Signer.ofDer(publicKey, this::der);
    for (int i = 0; i < 40; i++) { // Its numbers have 33 bytes, 32, or rarely fewer.
      String signed = Signing.signDetached("text", signer, null);
      assertNull(Signing.verifyDetached(signed, "text", publicKey));
    }
  }

  @Test
  void aSignatureOfAnotherFormIsAnError() throws Exception {
    byte[] der = der(new byte[0]);
    byte[] tooLong = {0x30, 0x23, 0x02, 0x21, 1};
    byte[] negative = {0x30, 6, 2, 1, -1, 2, 1, 1};
    List<byte[]> wrongs = List.of(
        new byte[0], new byte[64], tooLong, Arrays.copyOf(tooLong, 37), negative,
        Arrays.copyOf(der, der.length - 1), Arrays.copyOf(der, der.length + 1));
    for (byte[] wrong : wrongs) {
      Signer signer = Signer.ofDer(publicKey, data -> wrong);
      assertThrows(SignatureException.class, () -> signer.sign(new byte[0]));
    }
    Signer signer = Signer.of("a key", this::der);
    assertThrows(SignatureException.class, () -> Signing.signDetached("text", signer, null));
  }
}
