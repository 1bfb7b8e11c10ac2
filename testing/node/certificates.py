"""A certificate authority for one run, and a certificate of this machine signed by it; made by openssl."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from testing.node.java import Missing


class Certificates(NamedTuple):
    """Files in PEM: the authority to trust, and certificate and key of a node at 127.0.0.1 and localhost."""

    authority: Path
    certificate: Path
    key: Path


def make_certificates(place: Path) -> Certificates:
    """Both, in `place`, for a day."""
    openssl = shutil.which("openssl")
    if openssl is None:
        raise Missing("no openssl to make certificates with (no openssl on PATH)")

    def run(*words: str) -> None:
        done = subprocess.run([openssl, *words], cwd=place, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"openssl {' '.join(words)} failed:\n{done.stderr}")

    own, signed = ("-newkey", "rsa:2048", "-nodes", "-days", "1"), ("-CA", "ca.pem", "-CAkey", "ca.key")
    run(
        "req", "-x509", *own, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=neardup test authority",
        "-addext", "keyUsage=critical,keyCertSign,cRLSign",
    )  # fmt: skip
    run("req", *own[:3], "-keyout", "node.key", "-out", "node.csr", "-subj", "/CN=localhost")
    (place / "node.ext").write_text(
        "subjectAltName=DNS:localhost,IP:127.0.0.1\n"
        "keyUsage=critical,digitalSignature,keyEncipherment\n"
        "extendedKeyUsage=serverAuth\n"
        "authorityKeyIdentifier=keyid\n"
        "subjectKeyIdentifier=hash\n"
    )
    run("x509", "-req", "-in", "node.csr", *signed, "-days", "1", "-out", "node.pem", "-extfile", "node.ext")
    return Certificates(place / "ca.pem", place / "node.pem", place / "node.key")
