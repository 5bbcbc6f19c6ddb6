package sabika.client;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.interfaces.ECKey;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.EllipticCurve;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads keys and certificates from PEM, and computes thumbprints. */
public final class Keys {
  private static final Pattern PEM =
      Pattern.compile("-----BEGIN ([A-Z ]+)-----([A-Za-z0-9+/=\\s]+)-----END \\1-----");

  private Keys() {}

  /** Reads a P-256 private key from PEM (PKCS #8). */
  public static ECPrivateKey privateKey(String pem) throws GeneralSecurityException {
    PKCS8EncodedKeySpec encoded = new PKCS8EncodedKeySpec(decodePem(pem, "PRIVATE KEY"));
    return (ECPrivateKey) onP256(KeyFactory.getInstance("EC").generatePrivate(encoded));
  }

  /**
   * Makes a signer of a P-256 private key in PEM (PKCS #8), whose name is that of the public key beside it.
   *
   * @param keyId the name if there is no public key, or null
   */
  static Signer signer(String pem, String keyId) throws GeneralSecurityException {
    ECPrivateKey key = privateKey(pem);
    byte[] given = decodePem(pem, "PRIVATE KEY");
    // RFC 5915 §3: the public key comes last, uncompressed.
    int point = given.length - 64;
    boolean hasPublicKey = point > 0 && HexFormat.of().formatHex(given, point - 4, point).equals("03420004");
    if (!hasPublicKey) {
      if (keyId == null) throw new GeneralSecurityException("the key has no public key beside it");
      return Signer.of(key, keyId);
    }
    ECPublicKey publicKey =
        publicKey(Arrays.copyOfRange(given, point, point + 32), Arrays.copyOfRange(given, point + 32, given.length));
    checkPair(key, publicKey);
    return Signer.of(key, Signing.thumbprint(publicKey));
  }

  /** Checks that two keys fit, which a key store does not: the handshake would fail instead. */
  static void checkPair(PrivateKey key, PublicKey publicKey) throws GeneralSecurityException {
    Signature signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(key);
    byte[] signed = signature.sign();
    signature.initVerify(publicKey);
    if (!signature.verify(signed)) throw new GeneralSecurityException("another key");
  }

  /** Reads a P-256 public key from PEM (SPKI). */
  public static ECPublicKey publicKey(String pem) throws GeneralSecurityException {
    X509EncodedKeySpec encoded = new X509EncodedKeySpec(decodePem(pem, "PUBLIC KEY"));
    return (ECPublicKey) onP256(KeyFactory.getInstance("EC").generatePublic(encoded));
  }

  /** Makes a P-256 public key of its coordinates. */
  static ECPublicKey publicKey(byte[] x, byte[] y) throws GeneralSecurityException {
    AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
    parameters.init(new ECGenParameterSpec("secp256r1"));
    ECParameterSpec p256 = parameters.getParameterSpec(ECParameterSpec.class);
    ECPoint point = new ECPoint(new BigInteger(1, x), new BigInteger(1, y));
    EllipticCurve curve = p256.getCurve();
    BigInteger p = ((ECFieldFp) curve.getField()).getP();
    BigInteger right = point.getAffineX().pow(3)
        .add(curve.getA().multiply(point.getAffineX())).add(curve.getB());
    boolean inField = point.getAffineX().max(point.getAffineY()).compareTo(p) < 0;
    // The platform does not say that it checks this.
    if (!inField || point.getAffineY().pow(2).subtract(right).mod(p).signum() != 0) {
      throw new GeneralSecurityException("the point is not on P-256");
    }
    ECPublicKeySpec spec = new ECPublicKeySpec(point, p256);
    return (ECPublicKey) KeyFactory.getInstance("EC").generatePublic(spec);
  }

  /** Reads all certificates of a PEM text. */
  public static List<Certificate> certificates(String pem) throws GeneralSecurityException {
    byte[] bytes = pem.getBytes(StandardCharsets.US_ASCII);
    return List.copyOf(CertificateFactory.getInstance("X.509")
        .generateCertificates(new ByteArrayInputStream(bytes)));
  }

  /** Computes a certificate's x5t#S256 (RFC 8705 §3.1), to which tokens are bound. */
  public static String certificateThumbprint(String pem) throws GeneralSecurityException {
    return Base64Url.encode(sha256(certificates(pem).get(0).getEncoded()));
  }

  static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException(error); // Every Java platform has SHA-256.
    }
  }

  static String sha256Hex(byte[] bytes) {
    return HexFormat.of().formatHex(sha256(bytes));
  }

  private static byte[] decodePem(String pem, String label) throws GeneralSecurityException {
    Matcher match = PEM.matcher(pem);
    if (!match.find() || !match.group(1).equals(label)) {
      throw new GeneralSecurityException("not a PEM \"" + label + "\"");
    }
    return Base64.getMimeDecoder().decode(match.group(2));
  }

  private static Object onP256(Object key) throws GeneralSecurityException {
    if (((ECKey) key).getParams().getOrder().equals(Signing.ORDER)) return key;
    throw new GeneralSecurityException("the key is not for P-256");
  }
}
