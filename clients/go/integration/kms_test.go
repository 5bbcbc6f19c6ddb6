package integration

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"io"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"
)

// kmsKey is a crypto.Signer whose key stays in AWS KMS: the example of the README.
type kmsKey struct {
	client *kms.Client
	id     string
	public crypto.PublicKey
}

func openKMSKey(ctx context.Context, client *kms.Client, id string) (*kmsKey, error) {
	answer, err := client.GetPublicKey(ctx, &kms.GetPublicKeyInput{KeyId: &id})
	if err != nil {
		return nil, err
	}
	public, err := x509.ParsePKIXPublicKey(answer.PublicKey)
	return &kmsKey{client, id, public}, err
}

func (k *kmsKey) Public() crypto.PublicKey { return k.public }

func (k *kmsKey) Sign(_ io.Reader, digest []byte, _ crypto.SignerOpts) ([]byte, error) {
	answer, err := k.client.Sign(context.Background(), &kms.SignInput{
		KeyId: &k.id, Message: digest, MessageType: types.MessageTypeDigest,
		SigningAlgorithm: types.SigningAlgorithmSpecEcdsaSha256,
	})
	if err != nil {
		return nil, err
	}
	return answer.Signature, nil
}

func TestADigestIsSignedInKMS(t *testing.T) {
	client := kms.New(kms.Options{
		Region:       "me-central-1",
		BaseEndpoint: aws.String(variable(t, "AWS_ENDPOINT_URL_KMS")),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "testing", SecretAccessKey: "testing"}, nil
		}),
	})
	made, err := client.CreateKey(t.Context(), &kms.CreateKeyInput{
		KeySpec: types.KeySpecEccNistP256, KeyUsage: types.KeyUsageTypeSignVerify,
	})
	if err != nil {
		t.Fatal(err)
	}
	key, err := openKMSKey(t.Context(), client, *made.KeyMetadata.KeyId)
	if err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256([]byte("signed"))
	signature, err := key.Sign(nil, digest[:], crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	// moto does not know MessageType: it hashes the digest as if it were the message. AWS does not.
	hashed := sha256.Sum256(digest[:])
	if !ecdsa.VerifyASN1(key.public.(*ecdsa.PublicKey), hashed[:], signature) {
		t.Error("another key has signed")
	}
}
