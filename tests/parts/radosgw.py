"""A private S3 server: Ceph's object gateway, one monitor and one store in memory. It checks signatures as S3 does."""

import json
import secrets
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from signal import SIGKILL

from tests.parts.missing import program
from tests.parts.process import accepts, free_port, private_folder, running

HOW = "apt-get install radosgw ceph-mon ceph-osd ceph-common"
BUCKET = "careers"


@dataclass(frozen=True, slots=True)
class RunningRadosgw:
    """A running gateway: its address, its process, and the credentials of its user. `bucket` is empty at the start."""

    port: int
    pid: int
    access_key: str
    secret_key: str = field(repr=False)
    bucket: str = BUCKET
    admin: Callable[..., str] = field(repr=False, default=lambda *_: "")
    """Runs radosgw-admin on this server: arguments → output."""

    def user(self, name: str) -> "RunningRadosgw":
        """Return the same server with another user, who has no bucket and no permissions yet."""
        access_key, secret_key = "TEST" + secrets.token_hex(8).upper(), secrets.token_urlsafe(30)
        named = (f"--uid={name}", f"--display-name={name}", f"--access-key={access_key}", f"--secret={secret_key}")
        self.admin("user", "create", *named)
        return replace(self, access_key=access_key, secret_key=secret_key, bucket=name)

    @property
    def endpoint(self) -> str:
        """Its address, as a value of PORTAL_S3_ENDPOINT."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """Variables with boto3's credentials, which keep it from looking for others."""
        return {
            "AWS_ACCESS_KEY_ID": self.access_key,
            "AWS_SECRET_ACCESS_KEY": self.secret_key,
            "AWS_DEFAULT_REGION": "default",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": "/dev/null",
            "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        }


@contextmanager
def running_radosgw(*, disk: Path | None = None) -> Iterator[RunningRadosgw]:
    """Run a private server. Its data is not kept, so it is killed at the end; a regular stop takes five seconds.

    disk: folder for up to 32 GB of objects; None: up to 1 GB in memory.
    """
    tools = {name: program(name, how=HOW) for name in ("monmaptool", "ceph-mon", "ceph", "ceph-osd", "radosgw")}
    admin = program("radosgw-admin", how=HOW)
    with private_folder() as home, ExitStack() as servers:
        cluster, store_id = str(uuid.uuid4()), str(uuid.uuid4())
        monitor, gateway = free_port(), free_port()
        objects = _IN_MEMORY if disk is None else _ON_DISK.format(disk=disk)
        configuration = _configure(home, objects, cluster=cluster, monitor=monitor, gateway=gateway)
        named = ["-c", str(configuration)]
        log = home / "log"

        def call(*argv: str, attempts: int = 1) -> str:
            done = subprocess.run(argv, cwd=home, capture_output=True, text=True, check=False, timeout=60)
            if done.returncode == 0:
                return done.stdout
            if attempts == 1:
                raise RuntimeError(f"{argv[0]}: {done.stderr[-2_000:]}")
            time.sleep(0.1)
            return call(*argv, attempts=attempts - 1)

        def ceph(*argv: str) -> str:
            # The client sometimes connects before it knows the cluster's id, and is rejected.
            return call(tools["ceph"], *named, *argv, attempts=5)

        def store_is_up() -> bool:
            state = json.loads(ceph("osd", "stat", "--format=json"))
            return int(state["num_up_osds"]) == 1

        def knows_monitor() -> bool:
            return accepts(monitor)

        address = f"[v1:127.0.0.1:{monitor}]"
        call(tools["monmaptool"], "--create", "--addv", "a", address, "--fsid", cluster, str(home / "monmap"))
        call(tools["ceph-mon"], *named, "-i", "a", "--mkfs", "--monmap", str(home / "monmap"))
        servers.enter_context(
            running([tools["ceph-mon"], *named, "-i", "a", "-f"], log=log, ready=knows_monitor, cwd=home, stop=SIGKILL)
        )
        ceph("osd", "new", store_id)
        call(tools["ceph-osd"], *named, "-i", "0", "--mkfs", "--osd-uuid", store_id)
        ceph("osd", "crush", "add", "osd.0", "1.0", "root=default")
        # The store has to be up before the first pool is created: Ceph 16's aborts if one appears while it starts.
        store = [tools["ceph-osd"], *named, "-i", "0", "-f"]
        servers.enter_context(running(store, log=log, ready=store_is_up, cwd=home, stop=SIGKILL))
        access_key, secret_key = "TEST" + secrets.token_hex(8).upper(), secrets.token_urlsafe(30)
        call(
            admin, *named, "user", "create", "--uid=app", "--display-name=app", f"--access-key={access_key}",
            f"--secret={secret_key}",
        )  # fmt: skip
        process = servers.enter_context(
            running(
                [tools["radosgw"], *named, "-n", "client.rgw.a", "-f"],
                log=log,
                ready=lambda: accepts(gateway),
                seconds=60,
                cwd=home,
                stop=SIGKILL,
            )
        )
        server = RunningRadosgw(
            gateway, process.pid, access_key, secret_key, admin=lambda *argv: call(admin, *named, *argv, attempts=3)
        )
        _create_bucket(server)
        yield server


_IN_MEMORY = """
        osd_objectstore = memstore
        memstore_device_bytes = 1073741824
"""
_ON_DISK = """
        osd_objectstore = bluestore
        bluestore_block_path = {disk}/block
        bluestore_block_size = 34359738368
        osd_memory_target = 1073741824
"""


def _configure(home: Path, objects: str, *, cluster: str, monitor: int, gateway: int) -> Path:
    for name in ("mon", "osd", "run"):
        (home / name).mkdir()
    text = f"""
        [global]
        fsid = {cluster}
        mon_host = v1:127.0.0.1:{monitor}
        public_addr = 127.0.0.1
        cluster_addr = 127.0.0.1
        ms_bind_msgr2 = false
        auth_cluster_required = none
        auth_service_required = none
        auth_client_required = none
        run_dir = {home / "run"}
        admin_socket = {home / "run"}/$name.asok
        log_file = {home / "run"}/$name.log
        log_to_stderr = false
        err_to_stderr = true
        keyring = /dev/null
        {objects}
        osd_pool_default_size = 1
        osd_pool_default_min_size = 1
        osd_pool_default_pg_num = 1
        osd_pool_default_pgp_num = 1
        osd_pool_default_pg_autoscale_mode = off
        osd_crush_chooseleaf_type = 0
        osd_crush_update_on_start = false
        osd_class_update_on_start = false
        mon_allow_pool_size_one = true
        mon_max_pg_per_osd = 1000
        paxos_propose_interval = 0.01
        paxos_min_wait = 0.01
        rgw_crypt_require_ssl = false
        rgw_lc_debug_interval = 10
        [mon.a]
        mon_data = {home / "mon"}
        [osd.0]
        osd_data = {home / "osd"}
        [client.rgw.a]
        rgw_data = {home / "run"}
        rgw_frontends = beast endpoint=127.0.0.1:{gateway}
        rgw_thread_pool_size = 32
    """
    path = home / "ceph.conf"
    path.write_text("\n".join(line.strip() for line in text.splitlines()), encoding="utf-8")
    return path


def _create_bucket(server: RunningRadosgw) -> None:
    import boto3
    from botocore.config import Config

    client = boto3.Session().client(
        "s3",
        endpoint_url=server.endpoint,
        aws_access_key_id=server.access_key,
        aws_secret_access_key=server.secret_key,
        region_name="default",
        config=Config(s3={"addressing_style": "path"}, request_checksum_calculation="when_required"),
    )
    client.create_bucket(Bucket=server.bucket)
    client.close()
