"""Environment only; a wrong or missing value names its variable and never repeats itself."""

import pytest

from portal.errors import SettingsError
from portal.logs.lines import Form
from portal.settings import LogSettings, Settings, TrackerSettings, read_secret

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
        ("PORTAL_ATTACHMENTS", "ftp://hunter2"),
        ("PORTAL_S3_ENDPOINT", "hunter2"),
        ("PORTAL_MAIL", "hunter2"),
        ("PORTAL_BASE_URL", "https://careers.example/hunter2"),
        ("PORTAL_TRUSTED_PROXIES", "-1"),
        ("PORTAL_TRUSTED_PROXIES", "11"),
        ("PORTAL_RATE_LIMITS", "hunter2"),
        ("PORTAL_RATE_LIMITS", "redis://redis.example:hunter2"),
        ("PORTAL_SCANNER", "clamd:hunter2"),
        ("PORTAL_MAX_CV_BYTES", "1023"),
        ("PORTAL_MAX_CV_BYTES", "ten"),
        ("PORTAL_FORM_TTL", "0"),
        ("PORTAL_SYNC_INTERVAL", "1.5"),
        ("PORTAL_DELIVERY_RETRY_BASE", "0"),
        ("PORTAL_DELIVERY_LEASE", "60"),
        ("PORTAL_PURGE_AFTER", "-5"),
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


def test_the_service_reads_its_own():
    assert TrackerSettings.from_env({}).base_url == "http://127.0.0.1:8001"
    with pytest.raises(SettingsError, match="TRACKER_RATE_LIMIT"):
        TrackerSettings.from_env({"TRACKER_RATE_LIMIT": "0"})


def test_a_secret_file_is_read_and_a_missing_one_is_named(tmp_path):
    (tmp_path / "key").write_text("abc\n")
    assert read_secret(f"file:{tmp_path / 'key'}") == "abc"
    with pytest.raises(SettingsError, match="cannot be read"):
        read_secret(f"file:{tmp_path / 'none'}")
    with pytest.raises(SettingsError, match="NO_SUCH_VARIABLE is not set"):
        read_secret("env:NO_SUCH_VARIABLE")


@pytest.mark.parametrize(
    ("said", "form"), [("text", Form.TEXT), ("json", Form.JSON), ("", None), (" json ", Form.JSON)]
)
def test_the_log_is_text_or_json_or_as_suits_where_it_goes(said: str, form: Form | None):
    assert LogSettings.from_env({"PORTAL_LOG": said}).form is form


@pytest.mark.parametrize("said", ["JSON", "xml", "hunter2"])
def test_another_form_of_the_log_is_named_and_not_repeated(said: str):
    with pytest.raises(SettingsError, match=r"PORTAL_LOG: expected text or json") as caught:
        LogSettings.from_env({"PORTAL_LOG": said})
    assert said not in str(caught.value)
