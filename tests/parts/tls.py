"""A certificate authority for a test, and servers' TLS contexts with its certificates. It is never installed."""

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Authority:
    """file: its certificate, as a value of SSL_CERT_FILE."""

    folder: Path
    name: x509.Name
    key: ec.EllipticCurvePrivateKey
    file: Path

    def server(self, *, host: str = "localhost", until: timedelta = timedelta(days=90, hours=1)) -> ssl.SSLContext:
        """Return a TLS context of a server for a host, with a certificate that expires after that time."""
        key, ends = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC) + until
        certificate = (
            _unsigned(host, self.name, key, ends)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
            .sign(self.key, hashes.SHA256())
        )
        file = self.folder / "server.pem"
        file.write_bytes(
            certificate.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


def authority(folder: Path) -> Authority:
    """Create an authority with its files in that folder."""
    folder.mkdir(parents=True, exist_ok=True)
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"authority of {folder.name}")])
    certificate = (
        _unsigned(f"authority of {folder.name}", name, key, datetime.now(UTC) + timedelta(days=365))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / "authority.pem"
    file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return Authority(folder, name, key, file)


def _unsigned(
    subject: str, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, ends: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.now(UTC) - timedelta(days=400))
        .not_valid_after(ends)
    )
