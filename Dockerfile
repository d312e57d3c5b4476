# Sendloom: one image for every role. `docker build -t sendloom .`; how it is run: docs/operations/container.md
# Both images may be others: NODE_IMAGE has Node 20 or newer with npm, and only builds; BASE_IMAGE has glibc and a shell.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${NODE_IMAGE} AS client
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund --loglevel=error
COPY . .
RUN node scripts/run.mjs build

FROM ${NODE_IMAGE} AS modules
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --no-audit --no-fund --loglevel=error
COPY --from=client /app/dist dist
COPY scripts/install.mjs scripts/
# What npm 11 and newer hold back (the pinned Node, PostgreSQL's libraries) is made up for, as at any start; then what
# nothing reads at run time goes.
RUN node -e "import('./scripts/install.mjs').then(({ install }) => install(process.cwd()))" \
  && rm -rf node_modules/node/node_modules node_modules/.cache \
  && find node_modules -name '*.map' -type f -delete

FROM ${BASE_IMAGE}
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
# The first role of a container always answers on METRICS_PORT, whichever it is.
HEALTHCHECK --interval=15s --timeout=5s --start-period=90s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/scripts/run.mjs"]
CMD ["start"]
