# The service and its jobs in one image; docker-compose.yml says which command each container runs.
#
# A release is built on a base that cannot change under its name, which the registry says:
#
#   docker build --build-arg NODE_IMAGE=node:26.10.0-alpine3.22@sha256:… -t sabika:1.0.0 .
ARG NODE_IMAGE=node:26.10.0-alpine3.22

FROM ${NODE_IMAGE} AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc tsconfig.json LICENSE ./
COPY tools tools
COPY packages packages
COPY loadtest/package.json loadtest/
# It installs what it needs, no script of a package runs, and only what the programs import comes out.
RUN node tools/run.mjs tools/build/main.ts --out /built

FROM ${NODE_IMAGE}
ARG NODE_IMAGE
LABEL org.opencontainers.image.base.name="${NODE_IMAGE}" \
  org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production
# npm and yarn are not needed to run, and are programs that an intruder could use.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-* /usr/local/bin/yarn /usr/local/bin/yarnpkg \
  && echo 'sabika:x:10001:10001::/:/sbin/nologin' >> /etc/passwd && echo 'sabika:x:10001:' >> /etc/group \
  && mkdir -p /var/lib/sabika && cd /var/lib/sabika \
  && mkdir secrets administration root database-secret exporter sidecar authority partners revocations snapshots \
  && chown 10001:10001 * && chmod 0755 * && chmod 0700 secrets administration root exporter partners revocations snapshots
WORKDIR /app
# Owned by root: what runs cannot change itself.
COPY --from=build /built ./
USER 10001:10001
CMD ["node", "packages/server/main.js"]
