"""An invalid [webhooks] section is named with its line and the expected value; secrets are never repeated."""

import base64

import pytest

from portal.platform.errors import SettingsError
from portal.tenants.model import Tenant
from portal.tenants.toml import parse

FILE = """name = "Acme"
[tracker]
base_url = "https://tracker.example"
api_key = "env:KEY"
[webhooks]
"""
JOBS, SECRET_LINE = 'jobs = "https://www.acme.example/jobs"\n', 'secret = "env:HOOK"\n'
SECRET = "whsec_" + base64.b64encode(bytes(32)).decode()
SHORT = "whsec_" + base64.b64encode(bytes(23)).decode()


def tenant(lines: str, secret: str = SECRET) -> Tenant:
    def found(reference: str) -> str:
        if reference == "env:AWAY":
            raise SettingsError("the variable AWAY is not set")
        return "k" if reference == "env:KEY" else secret

    return parse("acme", FILE + lines, read_secret=found)


@pytest.mark.parametrize("address", ["https://www.acme.example/jobs?a=1", "http://127.0.0.1:9000/hook"])
def test_a_valid_section_is_accepted(address: str):
    acme = tenant(f'jobs = "{address}"\n{SECRET_LINE}former_secret = "file:/old"\n')
    assert (acme.webhooks.jobs, acme.webhooks.secrets) == (address, (SECRET, SECRET))
    assert SECRET not in repr(acme)


@pytest.mark.parametrize(
    ("lines", "secret", "expected"),
    [
        (JOBS, SECRET, "line 5: webhooks.secret: it is missing in this section"),
        (SECRET_LINE, SECRET, "line 5: webhooks.jobs: it is missing in this section"),
        ('jobs = "http://www.acme.example"\n' + SECRET_LINE, SECRET, "line 6: webhooks.jobs: expected an address that"),
        ('jobs = "https://u:p@acme.example"\n' + SECRET_LINE, SECRET, "line 6: webhooks.jobs: expected an address"),
        ('jobs = "https://acme.example/#a"\n' + SECRET_LINE, SECRET, "line 6: webhooks.jobs: expected an address"),
        (JOBS + 'secret = "env:AWAY"\n', SECRET, "line 7: webhooks.secret: the variable AWAY is not set"),
        (JOBS + SECRET_LINE, "hunter2-hunter2-hunter2", "line 7: webhooks.secret: expected a secret of Standard"),
        (JOBS + SECRET_LINE, SHORT, "line 7: webhooks.secret: expected a secret of Standard Webhooks"),
        (JOBS + SECRET_LINE, "whsec_not base64", "line 7: webhooks.secret: expected a secret of Standard Webhooks"),
        (JOBS + SECRET_LINE + "job = 1\n", SECRET, "line 8: webhooks.job: no such setting; is jobs meant?"),
    ],
)
def test_an_invalid_section_is_reported_with_the_expected_value(lines: str, secret: str, expected: str):
    with pytest.raises(SettingsError) as wrong:
        tenant(lines, secret)
    assert expected in str(wrong.value)
    assert secret not in str(wrong.value)
