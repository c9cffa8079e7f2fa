import subprocess
import sys


def test_help_and_the_main_server_process_import_no_modules_of_other_commands():
    said = "import sys, portal.cli; print(*(name for name in sys.modules if name.startswith('portal.')))"
    read = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True).stdout.split()
    assert set(read) == {"portal.cli", "portal.platform", "portal.platform.errors"}
