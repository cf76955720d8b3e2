package certs

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"
)

const (
	// lifetime is how long a pair is valid. renewal is how much of that is left when a new pair
	// is made: a month in which somebody can notice that renewals fail.
	lifetime = 90 * 24 * time.Hour
	renewal  = 30 * 24 * time.Hour
	// behind is how far the clock of another machine may be behind ours.
	behind = time.Hour
)

// Pair is what the Secret has, in PEM.
type Pair struct {
	CA   []byte // the CA that signed Cert, and after it the CAs of earlier certificates
	Cert []byte
	Key  []byte
}

// Make makes a pair that serves under these names, which may be IP addresses. The CAs of the
// earlier pair stay in the bundle while they are valid.
func Make(names []string, now time.Time, before Pair) (Pair, error) {
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("make the key of a CA: %w", err)
	}
	ca, err := template("sample-operator-webhook-ca", now)
	if err != nil {
		return Pair{}, err
	}
	ca.IsCA, ca.BasicConstraintsValid, ca.KeyUsage = true, true, x509.KeyUsageCertSign
	caCert, err := sign(ca, ca, caKey.Public(), caKey)
	if err != nil {
		return Pair{}, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("make the key to serve with: %w", err)
	}
	serving, err := template("sample-operator-webhook", now)
	if err != nil {
		return Pair{}, err
	}
	serving.KeyUsage, serving.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			serving.IPAddresses = append(serving.IPAddresses, ip)
		} else {
			serving.DNSNames = append(serving.DNSNames, name)
		}
	}
	cert, err := sign(serving, ca, key.Public(), caKey)
	if err != nil {
		return Pair{}, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Pair{}, fmt.Errorf("encode the key to serve with: %w", err)
	}
	return Pair{
		CA: append(caCert, stillValid(before.CA, now)...), Cert: cert,
		Key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}),
	}, nil
}

func template(name string, now time.Time) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 126))
	if err != nil {
		return nil, fmt.Errorf("make a serial number for %s: %w", name, err)
	}
	return &x509.Certificate{
		SerialNumber: serial,
		// Some clients look CAs up by their subject. The serial number tells the CAs apart for
		// them.
		Subject:   pkix.Name{CommonName: name, SerialNumber: serial.Text(36)},
		NotBefore: now.Add(-behind), NotAfter: now.Add(lifetime),
	}, nil
}

func sign(cert, by *x509.Certificate, public crypto.PublicKey, with crypto.Signer) ([]byte, error) {
	der, err := x509.CreateCertificate(rand.Reader, cert, by, public, with)
	if err != nil {
		return nil, fmt.Errorf("sign the certificate of %s: %w", cert.Subject.CommonName, err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}

// stillValid returns the newest certificate of a bundle if it is still valid. The older ones
// are not in use, because pairs are made months apart.
func stillValid(bundle []byte, now time.Time) []byte {
	block, _ := pem.Decode(bundle)
	if block == nil {
		return nil
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil || now.After(cert.NotAfter) {
		return nil
	}
	return pem.EncodeToMemory(block)
}

// Judge returns why a new pair has to be made, or nil if this one is good for a while.
func Judge(p Pair, names []string, now time.Time) error {
	if len(p.CA) == 0 || len(p.Cert) == 0 || len(p.Key) == 0 {
		return errors.New("there is none")
	}
	pair, err := tls.X509KeyPair(p.Cert, p.Key)
	if err != nil {
		return fmt.Errorf("it can't be read: %w", err)
	}
	block, _ := pem.Decode(p.CA)
	if block == nil {
		return errors.New("its CA is not PEM")
	}
	ca, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return fmt.Errorf("its CA can't be read: %w", err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(ca)
	for _, name := range names {
		if net.ParseIP(name) != nil {
			name = "[" + name + "]" // Verify takes addresses in this form
		}
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: now, DNSName: name}); err != nil {
			return fmt.Errorf("it does not serve for %s: %w", name, err)
		}
	}
	if end := pair.Leaf.NotAfter; end.Sub(now) < renewal {
		return fmt.Errorf("it ends on %s", end.Format(time.DateOnly))
	}
	return nil
}

func (p Pair) equal(other Pair) bool {
	return bytes.Equal(p.CA, other.CA) && bytes.Equal(p.Cert, other.Cert) && bytes.Equal(p.Key, other.Key)
}
