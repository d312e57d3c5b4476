#!/bin/sh
# Creates the secrets that compose.yaml passes to its services, in ./secrets. Existing secrets are
# retained.
set -eu
cd "$(dirname "$0")/.."
umask 077
mkdir -p secrets
random() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
[ -s secrets/secret ] || random > secrets/secret
[ -s secrets/database-password ] || random > secrets/database-password
[ -s secrets/database-url ] ||
  printf 'postgres://sendloom:%s@database:5432/sendloom\n' "$(cat secrets/database-password)" > secrets/database-url
# The containers run as other users, so they need read access; the folder's mode keeps other users
# of this machine out.
chmod 444 secrets/secret secrets/database-password secrets/database-url
echo "Secrets are in ./secrets. Keep a copy of secrets/secret: links in sent emails depend on it."
