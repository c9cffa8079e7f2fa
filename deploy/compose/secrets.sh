#!/bin/sh
# Makes the secrets of compose.yaml, every one by chance, in ./secrets: which nobody else on this machine can look into.
# The files in it can be read by whoever is in: each container sees its own alone, as a user whom this machine does not know.
#   ./secrets.sh portal.example
# What is there already stays: a password that changes here changes in no database. To begin anew, remove the folder.
set -eu
[ $# -eq 1 ] || { echo "usage: ./secrets.sh HOST, such as portal.example" >&2; exit 2; }
cd "$(dirname "$0")"
[ ! -e secrets ] || { echo "secrets/ is there already: nothing was changed" >&2; exit 1; }
umask 077
made=$(mktemp -d ./secrets.XXXXXX)
trap 'rm -rf "$made"' EXIT
for name in postgres_password redis_password store_user store_password; do
    openssl rand -hex 24 | tr -d '\n' > "$made/$name"
done
cat > "$made/settings.env" <<SETTINGS
PORTAL_SECRET_KEY=$(openssl rand -hex 32)
PORTAL_BASE_URL=https://$1
PORTAL_TRUSTED_PROXIES=1
PORTAL_DATABASE_URL=postgresql+psycopg://portal:$(cat "$made/postgres_password")@postgres/portal
PORTAL_TENANTS=/var/lib/portal/tenants
PORTAL_ATTACHMENTS=s3://careers
PORTAL_S3_ENDPOINT=http://store:9000
PORTAL_S3_PUBLIC_ENDPOINT=none
AWS_ACCESS_KEY_ID=$(cat "$made/store_user")
AWS_SECRET_ACCESS_KEY=$(cat "$made/store_password")
AWS_DEFAULT_REGION=us-east-1
PORTAL_RATE_LIMITS=redis://:$(cat "$made/redis_password")@redis:6379/0
PORTAL_SCANNER=clamd:clamd:3310
# The service of compose.yaml, for those that run it:
TRACKER_DATABASE_URL=postgresql+psycopg://portal:$(cat "$made/postgres_password")@postgres/tracker
TRACKER_BASE_URL=http://tracker:8001
TRACKER_RATE_LIMITS=redis://:$(cat "$made/redis_password")@redis:6379/1
# The console, which is asked by a single sign-on of this machine: from the addresses of Docker's and Podman's networks.
PORTAL_CONSOLE_USER_HEADER=X-Forwarded-User
PORTAL_CONSOLE_PROXY_SECRET=$(openssl rand -hex 32)
PORTAL_CONSOLE_PROXIES=172.16.0.0/12,192.168.0.0/16,10.88.0.0/15
# Your mail server: PORTAL_MAIL=smtps://USER:PASSWORD@mail.example:465
# Each tenant's key: ACME_TRACKER_KEY=… with api_key = "env:ACME_TRACKER_KEY" in tenants/acme.toml
SETTINGS
chmod 0444 "$made"/*
mv "$made" secrets
trap - EXIT
echo "secrets/ is made. Set PORTAL_MAIL in secrets/settings.env (chmod u+w), then: docker compose up -d"
