"""Adjacent releases read each other's form tokens: SHA-1 of this release, SHA-256 of the next."""

import hashlib
from datetime import UTC, datetime

import pytest
from itsdangerous import URLSafeSerializer

from portal.platform.crypto.signing import FormSigner, new_form_id

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
OLD, NEW = "a former secret of 32 characters", "the present secret of 32 letters"
FORM = ("apply", "job-1")
TO_COME = {"key_derivation": "hmac", "digest_method": hashlib.sha256}


def signer_of(use: str, secret: str = NEW, **how: object) -> URLSafeSerializer:
    return URLSafeSerializer(secret, salt=f"portal.{use}", signer_kwargs=how)


def signed(secret: str) -> str:
    signer = FormSigner(secret, ttl=60)
    return signer.sign(tenant="acme", purpose=FORM, form_id=new_form_id(), now=NOW)


def test_the_previous_release_reads_tokens_of_this_one():
    assert signer_of("form").loads(signed(NEW))[0] == "acme"


def test_this_release_reads_tokens_of_the_next_one():
    signer = FormSigner(NEW, ttl=60)
    form = str(signer_of("form", **TO_COME).dumps(["acme", *FORM, new_form_id(), int(NOW.timestamp()), 0]))
    assert signer.read(form, tenant="acme", purpose=FORM, now=NOW)
    upload = str(signer_of("upload", **TO_COME).dumps(["acme", "form", "handle"]))
    assert signer.read_upload(upload, tenant="acme", form_id="form") == "handle"
    asked = str(signer_of("asked", **TO_COME).dumps(["acme", "form", "asked"]))
    assert signer.read_asked(asked, tenant="acme") == ("form", "asked")


@pytest.mark.parametrize("how", [{}, TO_COME])
@pytest.mark.parametrize(("use", "secret"), [("form", OLD), ("upload", NEW)])
def test_tokens_of_another_secret_or_purpose_are_rejected(how: dict[str, object], use: str, secret: str):
    token = str(signer_of(use, secret, **how).dumps(["acme", *FORM, new_form_id(), int(NOW.timestamp()), 0]))
    assert FormSigner(NEW, ttl=60).read(token, tenant="acme", purpose=FORM, now=NOW) is None


def test_tokens_with_another_hash_algorithm_are_rejected():
    md5 = signer_of("form", key_derivation="hmac", digest_method=hashlib.md5)
    token = str(md5.dumps(["acme", *FORM, new_form_id(), int(NOW.timestamp()), 0]))
    assert FormSigner(NEW, ttl=60).read(token, tenant="acme", purpose=FORM, now=NOW) is None


def test_tokens_of_a_former_key_are_read_until_the_key_is_removed():
    token = signed(OLD)
    rotated = FormSigner(NEW, [OLD], ttl=60)
    assert rotated.read(token, tenant="acme", purpose=FORM, now=NOW)
    assert FormSigner(NEW, ttl=60).read(token, tenant="acme", purpose=FORM, now=NOW) is None
