# The service and its jobs in one image; docker-compose.yml says which command each container runs.
FROM node:24.11.1-alpine3.22 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY tools/std-assert/package.json tools/std-assert/
COPY packages packages
COPY loadtest/package.json loadtest/
# No script of a package runs, and of our own files only those come in that the programs import.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
    --include-workspace-root -w packages/deployment -w packages/operator \
  && node packages/deployment/containers/image_files.ts . \
  && find node_modules -type f \( -name '*.map' -o -name '*.md' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM node:24.11.1-alpine3.22
ENV NODE_ENV=production
# npm and yarn are not needed to run, and are programs that an intruder could use.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-* /usr/local/bin/yarn /usr/local/bin/yarnpkg \
  && addgroup -g 10001 sabika && adduser -D -H -u 10001 -G sabika sabika \
  && for place in secrets administration root database-secret exporter sidecar authority partners; do \
       install -d -o 10001 -g 10001 -m 0755 /var/lib/sabika/$place; \
     done \
  && chmod 0700 /var/lib/sabika/secrets /var/lib/sabika/administration /var/lib/sabika/root /var/lib/sabika/exporter /var/lib/sabika/partners
WORKDIR /app
# Owned by root: what runs cannot change itself.
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/packages packages
USER 10001:10001
CMD ["node", "--import", "tsx", "packages/server/main.ts"]
