#!/bin/sh
# Makes the secrets that docker-compose.yml mounts, in ./secrets or the named folder. An existing file is kept, so running it again is harmless.
# POSTGRES_PASSWORD, CONFAM_KEYS and CONFAM_INDEX_KEY are taken from the environment if set: those of an .env file of an earlier release.
set -eu
folder=${1:-secrets}
if [ -z "${CONFAM_KEYS:-}" ] && grep -qs '^CONFAM_KEYS=.' .env; then
  echo 'CONFAM_KEYS is in .env: run `set -a; . ./.env; set +a` first, so that your data stays readable.' >&2
  exit 1
fi
mkdir -p "$folder"
# The containers read their files as different users, so the folder protects them, not the files.
chmod 700 "$folder"
umask 022

keep() { [ -s "$folder/$1" ] || printf '%s\n' "$2" >"$folder/$1"; }
random() { openssl rand -hex 24; }

keep postgres_password "${POSTGRES_PASSWORD:-$(random)}"
# The owner of the tables, for `migrate` only. It creates the user that every process connects as (docs/deploy.md, "Roles of the database").
keep database_owner_url "postgres://confam:$(cat "$folder/postgres_password")@postgres:5432/confam"
keep database_url "postgres://confam_app:$(random)@postgres:5432/confam"
keep valkey.conf "requirepass $(random)"
keep redis_url "redis://:$(sed -n 's/^requirepass //p' "$folder/valkey.conf")@valkey:6379"
keep confam_keys "${CONFAM_KEYS:-1:$(openssl rand -base64 32)}"
keep confam_index_key "${CONFAM_INDEX_KEY:-$(openssl rand -base64 32)}"
keep metrics_token "${CONFAM_METRICS_TOKEN:-$(openssl rand -hex 32)}"
echo "The secrets are in $folder. Back up confam_keys and confam_index_key: without them nobody can read the data."
