"""A wrong or missing setting stops the start; the message names the variable and does not repeat the value."""

import re
from pathlib import Path

import pytest

from portal.platform.config import settings as settings_module
from portal.platform.config.settings import Exemption, LogSettings, Settings, TrackerSettings, misspelt, read_secret
from portal.platform.errors import SettingsError
from portal.platform.logs.formatting import Form

RIGHT = {"PORTAL_SECRET_KEY": "0123456789abcdef"}


def test_the_secret_key_is_the_only_required_setting():
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
def test_the_message_on_an_invalid_value_names_its_variable(name: str, value: str):
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({**RIGHT, name: value})
    assert str(caught.value).startswith(name)
    assert "hunter2" not in str(caught.value)


def test_values_at_each_limit_are_accepted():
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


def test_each_rejection_names_the_setting_that_allows_an_exception():
    assert Settings.from_env(RIGHT).allow_insecure == frozenset()
    for words in ("smtp-clear, service-http", "service-http,smtp-clear,"):
        settings = Settings.from_env({**RIGHT, "PORTAL_ALLOW_INSECURE": words})
        assert settings.allow_insecure == {Exemption.SMTP_CLEAR, Exemption.SERVICE_HTTP}
    with pytest.raises(SettingsError, match="expected smtp-clear or service-http, comma separated, found 'all'"):
        TrackerSettings.from_env({"PORTAL_ALLOW_INSECURE": "all"})


def test_the_tracking_service_reads_its_own_settings():
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


def test_all_invalid_settings_are_reported_together_with_values_that_are_not_secret():
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({"PORTAL_THREADS": "many", "PORTAL_MAIL": "hunter2", "PORTAL_BASE_URL": "careers.example"})
    said = str(caught.value)
    assert "PORTAL_SECRET_KEY: required, but not set: load the settings of this portal" in said
    assert "PORTAL_THREADS: expected a whole number from 1 to 256, found 'many'" in said
    assert "without a path, found 'careers.example'" in said
    assert "PORTAL_MAIL: expected file:FOLDER" in said
    assert "hunter2" not in said


def test_an_unknown_variable_is_reported_without_its_value():
    assert misspelt({**RIGHT, "PORTAL_DATABSE_URL": "hunter2", "TRACKER_RATE_LIMITS": "memory:", "PATH": "/bin"}) == [
        "PORTAL_DATABSE_URL is no setting: is PORTAL_DATABASE_URL meant?"
    ]
    assert misspelt({"PORTAL_WALLPAPER": "red"}) == ["PORTAL_WALLPAPER is no setting, and nothing reads it"]


def test_variables_set_by_kubernetes_for_a_service_called_portal_are_accepted():
    theirs = ("PORTAL_SERVICE_HOST", "PORTAL_SERVICE_PORT_HTTP", "PORTAL_PORT", "PORTAL_PORT_8000_TCP_ADDR")
    assert misspelt(dict.fromkeys(theirs, "tcp://10.0.0.1:8000")) == []


def test_every_variable_that_the_code_reads_is_a_known_setting():
    source = Path(settings_module.__file__).read_text(encoding="utf-8")
    names = set(re.findall(r'"((?:PORTAL|TRACKER)_[A-Z0-9_]+)"', source))
    assert misspelt(dict.fromkeys(names, "x")) == []


@pytest.mark.parametrize(
    ("said", "form"), [("text", Form.TEXT), ("json", Form.JSON), ("", None), (" json ", Form.JSON)]
)
def test_the_log_format_is_text_json_or_chosen_by_its_destination(said: str, form: Form | None):
    assert LogSettings.from_env({"PORTAL_LOG": said}).form is form


@pytest.mark.parametrize("said", ["JSON", "xml"])
def test_an_unknown_log_format_is_reported_with_the_expected_ones(said: str):
    with pytest.raises(SettingsError, match=rf"PORTAL_LOG: expected text or json, found '{said}'"):
        LogSettings.from_env({"PORTAL_LOG": said})
