"""A wrong or missing setting stops the start; the message names the variable and does not repeat the value."""

import re
from pathlib import Path

import pytest

from portal.platform.config import settings as settings_module
from portal.platform.config.settings import Exemption, LogSettings, Settings, TrackerSettings, misspelt, read_secret
from portal.platform.errors import SettingsError
from portal.platform.logs.formatting import Form

RIGHT = {"PORTAL_SECRET_KEY": "0123456789abcdef"}


def test_the_secret_alone_is_enough():
    settings = Settings.from_env(RIGHT)
    assert settings == Settings(secret_key="0123456789abcdef")
    assert "0123456789abcdef" not in repr(settings)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORTAL_SECRET_KEY", ""),
        ("PORTAL_SECRET_KEY", "0123456789abcde"),
        ("PORTAL_DATABASE_URL", "mysql://root:hunter2@db/portal"),
        ("PORTAL_ATTACHMENTS", "ftp://user:hunter2@files"),
        ("PORTAL_S3_ENDPOINT", "https://user:hunter2@s3.example/x"),
        ("PORTAL_MAIL", "hunter2"),
        ("PORTAL_BASE_URL", "https://user:hunter2@careers.example/x"),
        ("PORTAL_TRUSTED_PROXIES", "-1"),
        ("PORTAL_TRUSTED_PROXIES", "11"),
        ("PORTAL_RATE_LIMITS", "hunter2"),
        ("PORTAL_RATE_LIMITS", "redis://redis.example:hunter2"),
        ("PORTAL_SCANNER", "clamd:user:hunter2@host"),
        ("PORTAL_MAX_CV_BYTES", "1023"),
        ("PORTAL_MAX_CV_BYTES", "ten"),
        ("PORTAL_FORM_TTL", "0"),
        ("PORTAL_SYNC_INTERVAL", "1.5"),
        ("PORTAL_DELIVERY_RETRY_BASE", "0"),
        ("PORTAL_DELIVERY_LEASE", "60"),
        ("PORTAL_PURGE_AFTER", "-5"),
        ("PORTAL_FORGET_AFTER", "2591999"),
        ("PORTAL_FORGET_AFTER", "315360001"),
        ("PORTAL_ALLOW_INSECURE", "smtp_clear"),
        ("PORTAL_ALLOW_INSECURE", "smtp-clear,everything"),
        ("PORTAL_SECURITY_CONTACT", "security@careers.example"),
        ("PORTAL_SECURITY_CONTACT", "http://careers.example/report"),
        ("PORTAL_SECURITY_CONTACT", "mailto:a@careers.example\nPolicy: https://hunter2.example"),
        ("PORTAL_SECURITY_POLICY", "http://careers.example/policy"),
    ],
)
def test_a_wrong_value_names_its_variable(name: str, value: str):
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({**RIGHT, name: value})
    assert str(caught.value).startswith(name)
    assert "hunter2" not in str(caught.value)


def test_each_limit_holds_on_its_other_side():
    settings = Settings.from_env(
        {
            **RIGHT,
            "PORTAL_MAX_CV_BYTES": "1024",
            "PORTAL_DELIVERY_LEASE": "60.5",
            "PORTAL_TRUSTED_PROXIES": "10",
            "PORTAL_DELIVERY_RETRY_BASE": "0.2",
            "PORTAL_BASE_URL": "https://careers.example/",
        }
    )
    assert (settings.max_cv_bytes, settings.delivery_retry_base) == (1_024, 0.2)
    assert settings.base_url == "https://careers.example"


def test_each_exception_is_named_by_the_refusal_that_it_lifts():
    assert Settings.from_env(RIGHT).allow_insecure == frozenset()
    for words in ("smtp-clear, service-http", "service-http,smtp-clear,"):
        settings = Settings.from_env({**RIGHT, "PORTAL_ALLOW_INSECURE": words})
        assert settings.allow_insecure == {Exemption.SMTP_CLEAR, Exemption.SERVICE_HTTP}
    with pytest.raises(SettingsError, match="expected smtp-clear or service-http, comma separated, found 'all'"):
        TrackerSettings.from_env({"PORTAL_ALLOW_INSECURE": "all"})


def test_the_service_reads_its_own():
    assert TrackerSettings.from_env({}).base_url == "http://127.0.0.1:8001"
    with pytest.raises(SettingsError, match="TRACKER_RATE_LIMIT"):
        TrackerSettings.from_env({"TRACKER_RATE_LIMIT": "0"})


def test_a_secret_file_is_read_and_a_missing_one_is_named(tmp_path):
    (tmp_path / "key").write_text("abc\n")
    assert read_secret(f"file:{tmp_path / 'key'}") == "abc"
    with pytest.raises(SettingsError, match="none cannot be read: it does not exist"):
        read_secret(f"file:{tmp_path / 'none'}")
    (tmp_path / "folder").mkdir()
    with pytest.raises(SettingsError, match="folder cannot be read: Is a directory"):
        read_secret(f"file:{tmp_path / 'folder'}")
    with pytest.raises(SettingsError, match="NO_SUCH_VARIABLE is not set"):
        read_secret("env:NO_SUCH_VARIABLE")


def test_all_that_is_wrong_is_said_at_once_with_what_was_found_where_that_is_no_secret():
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({"PORTAL_THREADS": "many", "PORTAL_MAIL": "hunter2", "PORTAL_BASE_URL": "careers.example"})
    said = str(caught.value)
    assert "PORTAL_SECRET_KEY: required, but not set: load the settings of this portal" in said
    assert "PORTAL_THREADS: expected a whole number from 1 to 256, found 'many'" in said
    assert "without a path, found 'careers.example'" in said
    assert "PORTAL_MAIL: expected file:FOLDER" in said
    assert "hunter2" not in said


def test_a_name_that_nothing_reads_is_said_and_its_value_is_not():
    assert misspelt({**RIGHT, "PORTAL_DATABSE_URL": "hunter2", "TRACKER_RATE_LIMITS": "memory:", "PATH": "/bin"}) == [
        "PORTAL_DATABSE_URL is no setting: is PORTAL_DATABASE_URL meant?"
    ]
    assert misspelt({"PORTAL_WALLPAPER": "red"}) == ["PORTAL_WALLPAPER is no setting, and nothing reads it"]


def test_what_kubernetes_sets_for_a_service_called_portal_is_no_mistake():
    theirs = ("PORTAL_SERVICE_HOST", "PORTAL_SERVICE_PORT_HTTP", "PORTAL_PORT", "PORTAL_PORT_8000_TCP_ADDR")
    assert misspelt(dict.fromkeys(theirs, "tcp://10.0.0.1:8000")) == []


def test_every_variable_that_is_read_is_known_to_be_one():
    source = Path(settings_module.__file__).read_text(encoding="utf-8")
    names = set(re.findall(r'"((?:PORTAL|TRACKER)_[A-Z0-9_]+)"', source))
    assert misspelt(dict.fromkeys(names, "x")) == []


@pytest.mark.parametrize(
    ("said", "form"), [("text", Form.TEXT), ("json", Form.JSON), ("", None), (" json ", Form.JSON)]
)
def test_the_log_is_text_or_json_or_as_suits_where_it_goes(said: str, form: Form | None):
    assert LogSettings.from_env({"PORTAL_LOG": said}).form is form


@pytest.mark.parametrize("said", ["JSON", "xml"])
def test_another_form_of_the_log_is_named_with_what_was_expected(said: str):
    with pytest.raises(SettingsError, match=rf"PORTAL_LOG: expected text or json, found '{said}'"):
        LogSettings.from_env({"PORTAL_LOG": said})
