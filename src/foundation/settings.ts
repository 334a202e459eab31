/** Every setting with its default, bounds and description. A test compares `docs/configuration.md` with them; `config.ts` reads them. */
import { z } from 'zod';
import {
  type AllowPrivate,
  addressRanges,
  approvals,
  flag,
  httpAddress,
  isNameServer,
  milliseconds,
  perFamily,
  postgresAddress,
  redisAddress,
  secret,
  wholeNumber,
} from './setting-values.ts';

/** The bound of CONFAM_CALL_QUEUE_MS. The hold of a call outlasts it (`pipeline/settle.ts`). */
export const CALL_QUEUE_MS_MAX = 120_000;

export const settings = z.object({
  PORT: wholeNumber(0, 65535).default(8080).describe('Port of the HTTP API; 0 picks a free one'),
  CONFAM_OPERATIONS_PORT: wholeNumber(0, 65535)
    .optional()
    .describe(
      'Port of `/healthz`, `/readyz` and `/metrics` in every process, open to whoever can reach it; unset: only the API’s port serves them',
    ),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on; `0.0.0.0` in a container'),
  CONFAM_DATA_DIR: z
    .string()
    .default('.data')
    .describe(
      'Embedded Postgres, generated keys and sandbox.json. With `DATABASE_URL`, `confam start` makes no demo app, no keys and no sandbox.json',
    ),
  CONFAM_ERASURE_JOURNAL: z
    .string()
    .optional()
    .describe(
      'File of erasures, which `confam restore` repeats ([privacy](privacy.md#backups-and-erasures)). With the embedded Postgres: `erasures.jsonl` in `CONFAM_DATA_DIR`; otherwise none unless it is set. Keep it on another disk than the database',
    ),
  DATABASE_URL: postgresAddress.optional().describe('Postgres ≥ 14 to use instead of the embedded one'),
  DATABASE_OWNER_URL: postgresAddress
    .optional()
    .describe(
      'For `confam migrate` and `confam start`: the same database as the owner of its tables, so that the user in `DATABASE_URL` owns nothing (docs/deploy.md)',
    ),
  REDIS_URL: redisAddress.optional().describe('Redis ≥ 6.2 or Valkey for BullMQ; without it BullMQ runs on Postgres'),
  CONFAM_REDIS_CA: z
    .string()
    .optional()
    .describe('File with the authority (PEM) that Redis’s certificate must come from, instead of the public ones; needs `rediss://`'),
  CONFAM_REDIS_CERT: z
    .string()
    .optional()
    .describe('File with the certificate that this process shows to Redis (PEM). Needs the next setting'),
  CONFAM_REDIS_KEY: z.string().optional().describe('File with its private key (PEM, no passphrase)'),
  CONFAM_REQUIRE_TLS: flag
    .default(false)
    .describe(
      'Do not start unless connections to Postgres and Redis are encrypted and verified: `sslmode=verify-full` in `DATABASE_URL` and `DATABASE_OWNER_URL`, and `rediss://`',
    ),
  CONFAM_QUEUE_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,30}$/)
    .default('confam')
    .describe('Namespace of the queues (Redis key prefix, Postgres schema)'),
  CONFAM_UPSTREAMS: z.string().optional().describe('JSON file of providers for live keys (docs/providers.md)'),
  CONFAM_LISTS: z.string().optional().describe('JSON file that changes the watch lists and adds your own (docs/lists.md)'),
  CONFAM_LISTS_REFRESH_HOURS: z.coerce
    .number()
    .min(0)
    .max(168)
    .default(6)
    .describe('How often watch lists that `confam lists update` fetched are refreshed; 0: never automatically'),
  CONFAM_KEYS: z
    .string()
    .optional()
    .describe(
      'Encryption keys as `id:base64[,id:base64]`, 32 bytes each; the first one encrypts. Generated into the data folder with embedded Postgres',
    ),
  CONFAM_INDEX_KEY: z
    .string()
    .optional()
    .describe(
      'Keys of the HMACs by which subjects are found: 32 bytes in base64, or `id:base64[,id:base64]` with ids from 1 on, the current one first. A single key without an id is key 1. Generated into the data folder with embedded Postgres',
    ),
  CONFAM_TRANSIT_URL: httpAddress
    .optional()
    .describe(
      'Key service that wraps data keys in place of `CONFAM_KEYS`: the mount of a Vault transit engine, such as `https://vault:8200/v1/transit`',
    ),
  CONFAM_TRANSIT_KEY: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,100}$/)
    .default('confam')
    .describe('Name of its key'),
  CONFAM_TRANSIT_TOKEN: z.string().optional().describe('Token that may encrypt, decrypt and rewrap with that key, and read its versions'),
  CONFAM_ADMIN_KEY: secret.optional().describe('Admin key to accept besides those in the database: at least 32 random characters'),
  CONFAM_METRICS_TOKEN: secret
    .optional()
    .describe('Bearer token that may read `/metrics` on the API’s port, as an admin key may: at least 32 random characters'),
  CONFAM_MCP: flag.default(false).describe('Answer at `/mcp` to language models, with the key of whoever runs them (docs/mcp.md)'),
  CONFAM_TRUSTED_PROXIES: addressRanges
    .prefault('')
    .describe('Proxies whose `X-Forwarded-For` is trusted, such as `10.0.0.0/8`; unset: none, so clients behind a proxy share its address'),
  CONFAM_TLS_CERT: z
    .string()
    .optional()
    .describe(
      'File with the certificate and its intermediates (PEM). Every port then speaks HTTPS only ([security](security.md#tls)). Needs the next setting and an https `CONFAM_PUBLIC_URL`',
    ),
  CONFAM_TLS_KEY: z.string().optional().describe('File with its private key (PEM, no passphrase)'),
  CONFAM_PUBLIC_URL: httpAddress.optional().describe('Base URL for printed examples, links and vendors’ callbacks'),
  CONFAM_OIDC_ISSUER: z
    .url()
    .refine(
      (text) => /^https:/.test(text) || /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:|\/|$)/.test(text),
      'must be https, or http on this machine',
    )
    .optional()
    .describe(
      'Issuer of the OpenID Connect provider that people may sign in through (docs/people.md); needs the next two and CONFAM_PUBLIC_URL',
    ),
  CONFAM_OIDC_CLIENT_ID: z.string().optional().describe('Client id that the provider knows this service by'),
  CONFAM_OIDC_CLIENT_SECRET: z.string().optional().describe('Secret of that client'),
  CONFAM_REQUIRE_SECOND_FACTOR: flag
    .default(false)
    .describe('People without a second factor may do nothing except set one up (docs/people.md)'),
  CONFAM_OIDC_SECOND_FACTOR: flag
    .default(false)
    .describe('The identity provider always asks for a second factor, so that all its sign-ins count as ones with it'),
  CONFAM_OIDC_ACR_VALUES: z
    .string()
    .max(500)
    .transform((text) => text.split(/\s+/).filter(Boolean))
    .prefault('')
    .describe(
      'Values of `acr` with which the identity provider says that it asked for a second factor, separated by spaces (docs/people.md)',
    ),
  CONFAM_BREACHED_PASSWORDS: z
    .string()
    .optional()
    .describe(
      'File of breached passwords that nobody may choose (docs/people.md): SHA-1 hashes in order, as Have I Been Pwned distributes them',
    ),
  CONFAM_APPROVALS: approvals
    .prefault('')
    .describe('What a second administrator must approve (docs/approvals.md): `top_up`, `prices`, `app_deletion`, separated by commas'),
  CONFAM_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .optional()
    .describe('Log level on standard output (JSON unless it is a terminal); unset: `info`, in a terminal `warn`'),
  CONFAM_POOLS: perFamily.prefault('').describe('Chunks processed at a time by family, for example `nin=4,bvn=4`'),
  CONFAM_POOL_CONCURRENCY: wholeNumber(1, 64)
    .default(4)
    .describe('Chunks processed at a time for families not in CONFAM_POOLS; chunks that only wait for a vendor do not count'),
  CONFAM_AML_THREADS: wholeNumber(1, 64)
    .optional()
    .describe('Maximum threads that screen names, in each process that screens; unset: one for each processor'),
  CONFAM_FACE_MODELS: z
    .string()
    .optional()
    .describe('Folder of your own set of face models, with a `manifest.json` (docs/biometrics.md); unset: the default set'),
  CONFAM_FACE_THREADS: wholeNumber(1, 64)
    .optional()
    .describe('Threads that compare faces, in each process that compares; unset: one for each processor'),
  CONFAM_DNS_SERVERS: z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((server) => server.trim())
        .filter(Boolean),
    )
    .refine(
      (servers) => servers.length > 0 && servers.every(isNameServer),
      'must be IP addresses, with a port if it is not 53, separated by commas',
    )
    .optional()
    .describe('Name servers for looking up mail domains, such as `192.0.2.53,[2001:db8::53]:5353`; unset: those of the machine'),
  CONFAM_EMAIL_LISTS: z.string().optional().describe('Folder of additions to the lists of mail domains (docs/email.md); unset: none'),
  CONFAM_EMAIL_RDAP: flag.default(true).describe('Ask registries for the age of a mail domain (RDAP)'),
  CONFAM_EMAIL_SMTP: flag
    .default(false)
    .describe('Ask mail hosts whether they accept mail for an address (docs/deliverability.md); needs the next two settings'),
  CONFAM_EMAIL_SMTP_HELO: z
    .string()
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i, 'must be a full host name')
    .optional()
    .describe('EHLO name; must match the reverse DNS of the sending address'),
  CONFAM_EMAIL_SMTP_FROM: z.email().optional().describe('Sender address for mail hosts: one of yours that accepts mail'),
  CONFAM_EMAIL_OUTSIDE: flag
    .optional()
    .describe(
      'Whether addresses of apps that have not decided may be sent to mail hosts and Have I Been Pwned (docs/privacy.md); unset: no',
    ),
  CONFAM_HIBP_KEY: z.string().optional().describe('Key of Have I Been Pwned (API version 3); unset: breaches are not looked up'),
  CONFAM_HIBP_REQUESTS_PER_MINUTE: wholeNumber(1, 100_000)
    .default(10)
    .describe('Requests a minute to Have I Been Pwned that the subscription allows, for each process'),
  CONFAM_CHUNK_MAX: wholeNumber(1, 500).default(500).describe('Maximum jobs in a chunk'),
  CONFAM_WINDOW_CHUNKS: wholeNumber(1, 200).default(8).describe('Chunks of a family that may wait, in the queue or in a pool'),
  CONFAM_LEASE_MS: milliseconds.min(5_000).default(60_000).describe('A chunk without a heartbeat for this long is leased again'),
  CONFAM_MANUAL_HOLD_SECONDS: wholeNumber(1, 30 * 86_400)
    .default(86_400)
    .describe('How long the hold lasts for a batch that waits to be started'),
  CONFAM_JOB_FAILURES_MAX: wholeNumber(1, 20).default(4).describe('Failed attempts after which a job is `failed`'),
  CONFAM_JOB_BACKOFF_MS: milliseconds.default(1_000).describe('Wait after the first failed attempt; doubles each time'),
  CONFAM_SYNC_WAIT_MS: milliseconds.max(60_000).default(5_000).describe('Longest time that a single call waits for a paused provider'),
  CONFAM_CALL_QUEUE_MS: milliseconds
    .max(CALL_QUEUE_MS_MAX)
    .default(60_000)
    .describe('Longest time that a single call waits for busy providers before it is refused'),
  CONFAM_SANDBOX_LATENCY_MS: wholeNumber(0, 60_000)
    .optional()
    .describe('Simulated duration of a sandbox look-up; the specification observes 160 (NIN) and 140 (BVN)'),
  CONFAM_REQUESTS_PER_MINUTE: wholeNumber(0, 100_000_000)
    .default(600_000)
    .describe('Requests a minute that a key may make, unless its app’s settings say otherwise; 0: no limit'),
  CONFAM_MISSES_PER_SUBJECT: wholeNumber(0, 1_000_000)
    .default(10)
    .describe('Look-ups of one subject by one app, a day, that may find nobody or contradict the record; 0: no limit'),
  CONFAM_MISSES_PER_APP: wholeNumber(0, 100_000_000)
    .default(5_000)
    .describe('Single calls and jobs of one app, an hour, that may find nobody or contradict the record; 0: no limit'),
  CONFAM_CALLS_MAX: wholeNumber(1, 100_000)
    .default(4_000)
    .describe('Single calls in progress at a time in one process; one app may have half of them'),
  CONFAM_REQUESTS_MAX: wholeNumber(1, 100_000)
    .default(64)
    .describe('Other requests in progress at a time in one process, half of them from one app; more wait up to 5 s for their turn'),
  CONFAM_WAITS_MAX: wholeNumber(1, 100_000)
    .default(4_000)
    .describe('Requests that wait for news (`?wait`) at a time in one process; one app may have half of them'),
  CONFAM_BODY_BYTES_MAX: wholeNumber(1024 * 1024)
    .default(128 * 1024 * 1024)
    .describe('Bytes of request bodies in memory at a time in one process, half of them from one app; more wait up to 5 s'),
  CONFAM_UPLOAD_BYTES_MAX: wholeNumber(1024)
    .default(500 * 1024 * 1024)
    .describe('Largest upload in bytes'),
  CONFAM_UPLOAD_ROWS_MAX: wholeNumber(1).default(1_000_000).describe('Maximum rows in an upload'),
  CONFAM_UPLOADS_MAX: wholeNumber(1, 32)
    .default(4)
    .describe('Uploads read at a time in one process; four times as many may be arriving, half of them from one app'),
  CONFAM_UPLOAD_STALL_MS: milliseconds
    .default(30_000)
    .describe('An upload that averages less than 8 KiB a second for this long is refused'),
  CONFAM_UPLOAD_MS_MAX: milliseconds.default(3_600_000).describe('Longest time for the body of an upload to arrive'),
  CONFAM_DOWNLOADS_MAX: wholeNumber(1, 1_000)
    .default(64)
    .describe('Result downloads at a time from one process; one app may have half of them'),
  CONFAM_EVENT_STREAMS_MAX: wholeNumber(1, 100_000)
    .default(4_000)
    .describe('Event streams at a time from one process; one app may have half of them'),
  CONFAM_ANSWER_STALL_MS: milliseconds
    .max(2 ** 31 - 1)
    .default(60_000)
    .describe('A client that reads nothing of its answer for this long is disconnected'),
  CONFAM_WEBHOOK_ALLOW_PRIVATE: z
    .enum(['false', 'loopback', 'true'])
    .default('false')
    .transform((text): AllowPrivate => (text === 'loopback' ? text : text === 'true'))
    .describe('Also deliver over plain http and to any port: on this machine only (`loopback`), or at any private address (`true`)'),
  CONFAM_WEBHOOK_HOSTS: z
    .string()
    .regex(/^[a-z0-9.-]+(, *[a-z0-9.-]+)*$/, 'must be host names, separated by commas')
    .transform((text) => text.split(',').map((host) => host.trim()))
    .optional()
    .describe('The only hosts to deliver to, such as `hooks.bank.example,.partner.example` (that name and all below it); unset: any'),
  CONFAM_WEBHOOK_PRIVATE_ANSWERS: flag
    .default(false)
    .describe('Keep and show the first KiB of answers from private addresses too, as for public ones'),
  CONFAM_WEBHOOK_SCHEDULE_MS: z
    .string()
    .regex(/^\d+(,\d+)*$/)
    .default('0,5000,300000,1800000,7200000,18000000,36000000,50400000,72000000,86400000')
    .transform((text) => text.split(',').map(Number))
    .describe('Wait before each delivery attempt'),
  CONFAM_WEBHOOK_DISABLE_MS: milliseconds
    .default(432_000_000)
    .describe('An endpoint whose every attempt has failed for this long is disabled'),
  CONFAM_WEBHOOK_TIMEOUT_MS: milliseconds.max(60_000).default(15_000).describe('Longest time for a receiver to answer'),
  CONFAM_DRAIN_MS: milliseconds.max(60_000).default(12_000).describe('Longest time to finish leased work on SIGTERM'),
});

export type Settings = z.infer<typeof settings>;
