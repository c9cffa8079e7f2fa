#!/usr/bin/env bash
# Pin every dependency with its hashes, no index address written. Run after a change to pyproject.toml.
set -eu
cd "$(dirname "$0")/.."
compile=".venv/bin/uv pip compile -q --generate-hashes --no-emit-index-url --no-header --universal --python-version 3.11"
$compile --group pyproject.toml:build -o requirements/build.txt
$compile pyproject.toml -o requirements/run.txt
$compile pyproject.toml --extra tracing -c requirements/run.txt -o requirements/tracing.txt
$compile pyproject.toml --group pyproject.toml:dev -c requirements/tracing.txt -o requirements/dev.txt
$compile --group pyproject.toml:sslyze -o requirements/sslyze.txt
$compile --group pyproject.toml:pip-audit -o requirements/pip-audit.txt
$compile --group pyproject.toml:wapiti -o requirements/wapiti.txt
