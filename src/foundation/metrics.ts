/** Prometheus metrics of this process. Labels are check ids, outcomes and the like: never an app's name, never personal data. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof openMetrics>;

/** Seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Why a sign-in failed. An alarm on growth needs the 0 before the first one. */
const SIGN_IN_FAILURES = ['wrong_key', 'wrong_app', 'wrong_password', 'identity_provider', 'held_off'];

export function openMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const metrics = {
    registry,
    ...requestMetrics(registers),
    ...workMetrics(registers),
    ...providerMetrics(registers),
    ...webhookMetrics(registers),
    ...monitorMetrics(registers),
    ...retentionMetrics(registers),
    ...migrationMetrics(registers),
    ...listMetrics(registers),
    ...deploymentMetrics(registers),
  };
  for (const reason of SIGN_IN_FAILURES) metrics.failedSignIns.inc({ reason }, 0);
  for (const result of ['hit', 'miss']) metrics.cacheLookups.inc({ result }, 0);
  return metrics;
}

const requestMetrics = (registers: Registry[]) => ({
  requestsUnlogged: new Counter({
    name: 'confam_requests_unlogged_total',
    help: 'Requests that GET /api/v1/requests does not show, because too many came at once',
    registers,
  }),
  requests: new Counter({ name: 'confam_requests_total', help: 'HTTP requests', labelNames: ['route', 'method', 'status'], registers }),
  requestSeconds: new Histogram({
    name: 'confam_request_seconds',
    help: 'HTTP request time',
    labelNames: ['route'],
    buckets: BUCKETS,
    registers,
  }),
  admissionInUse: new Gauge({
    name: 'confam_admission_in_use',
    help: 'What is in progress at each gate of fair shares; `bodies` in bytes',
    labelNames: ['gate'],
    registers,
  }),
  admissionPart: new Gauge({
    name: 'confam_admission_part',
    help: 'Of its share, what a loud app may use: 1 while the event loop is on time',
    aggregator: 'min',
    registers,
  }),
  admissionWaiting: new Gauge({ name: 'confam_admission_waiting', help: 'Who waits at each gate', labelNames: ['gate'], registers }),
  admissionRefusals: new Counter({
    name: 'confam_admission_refusals_total',
    help: 'Refusals by gate: beyond an app’s share (`app`, 429), or beyond the capacity of the process (`all`, 503)',
    labelNames: ['gate', 'beyond'],
    registers,
  }),
  failedSignIns: new Counter({
    name: 'confam_failed_sign_ins_total',
    help: 'Requests with a wrong or revoked key, or from an address that must wait after too many of them: an alarm',
    labelNames: ['reason'],
    registers,
  }),
});

const workMetrics = (registers: Registry[]) => ({
  jobs: new Counter({ name: 'confam_jobs_total', help: 'Settled jobs and calls', labelNames: ['check', 'outcome', 'source'], registers }),
  chunkSeconds: new Histogram({
    name: 'confam_chunk_seconds',
    help: 'Time from starting a chunk to its last commit',
    labelNames: ['family'],
    buckets: [...BUCKETS, 30, 60],
    registers,
  }),
  cacheLookups: new Counter({ name: 'confam_cache_lookups_total', help: 'Cache look-ups', labelNames: ['result'], registers }),
  billed: new Counter({
    name: 'confam_billed_kobo_total',
    help: 'Charges for live jobs and calls; minus confam_provider_cost_kobo_total this is the margin',
    labelNames: ['check'],
    registers,
  }),
  queueDepth: new Gauge({ name: 'confam_queue_depth', help: 'Chunks leased and not yet finished', labelNames: ['family'], registers }),
  sweepFailures: new Counter({
    name: 'confam_sweep_failures_total',
    help: 'Runs of a sweep in which something failed; the log has the reason: an alarm',
    labelNames: ['sweep'],
    registers,
  }),
  jobsQueued: new Gauge({
    name: 'confam_jobs_queued',
    help: 'Jobs waiting for a lease; those of a batch with checks of several families count in each of them',
    labelNames: ['family'],
    registers,
  }),
});

const providerMetrics = (registers: Registry[]) => ({
  providerCalls: new Counter({
    name: 'confam_provider_calls_total',
    help: 'Calls to providers',
    labelNames: ['provider', 'result'],
    registers,
  }),
  providerSeconds: new Histogram({
    name: 'confam_provider_seconds',
    help: 'Response time of providers',
    labelNames: ['provider'],
    buckets: BUCKETS,
    registers,
  }),
  providerInFlight: new Gauge({
    name: 'confam_provider_in_flight',
    help: 'Calls in flight',
    labelNames: ['provider', 'process'],
    registers,
  }),
  providerInFlightLimit: new Gauge({
    name: 'confam_provider_in_flight_limit',
    help: 'Adaptive limit of calls in flight in each process',
    labelNames: ['provider', 'process'],
    registers,
  }),
  providerPaused: new Gauge({
    name: 'confam_provider_paused',
    aggregator: 'max',
    help: '1 while a provider is paused or its breaker is open',
    labelNames: ['provider'],
    registers,
  }),
  providerCost: new Counter({
    name: 'confam_provider_cost_kobo_total',
    help: 'Our cost of answered look-ups',
    labelNames: ['provider', 'check'],
    registers,
  }),
  providerRateLimit: new Gauge({
    name: 'confam_provider_requests_per_second_limit',
    help: 'The provider’s rate budget; the rate of confam_provider_calls_total divided by this is its use',
    aggregator: 'max',
    labelNames: ['provider'],
    registers,
  }),
  providerSurprises: new Counter({
    name: 'confam_provider_surprises_total',
    help: 'Answers that do not fit the provider’s documentation: an alarm',
    labelNames: ['provider', 'kind'],
    registers,
  }),
});

const webhookMetrics = (registers: Registry[]) => ({
  webhookBacklog: new Gauge({ name: 'confam_webhook_backlog', help: 'Deliveries waiting or being sent', registers }),
  webhookAttempts: new Counter({ name: 'confam_webhook_attempts_total', help: 'Delivery attempts', labelNames: ['result'], registers }),
});

const retentionMetrics = (registers: Registry[]) => ({
  retentionOverdue: new Gauge({
    name: 'confam_retention_overdue_seconds',
    help: 'How long the oldest data that should be deleted by now has been overdue; `deletions`: since its deletion was asked for',
    aggregator: 'max',
    labelNames: ['kind'],
    registers,
  }),
});

const migrationMetrics = (registers: Registry[]) => ({
  batchesUnmoved: new Gauge({
    name: 'confam_batches_unmoved',
    help: 'Batches whose results, stored one by one by an earlier release, are not all in blocks yet',
    aggregator: 'max',
    registers,
  }),
});

const monitorMetrics = (registers: Registry[]) => ({
  monitorsScreened: new Counter({
    name: 'confam_monitors_screened_total',
    help: 'Monitors screened against changes of a list',
    labelNames: ['list'],
    registers,
  }),
  monitorHits: new Counter({
    name: 'confam_monitor_hits_total',
    help: 'New hits of monitors',
    labelNames: ['list'],
    registers,
  }),
  monitorFailures: new Counter({
    name: 'confam_monitor_failures_total',
    help: 'Monitors that could not be screened: an alarm',
    registers,
  }),
  rescreensOpen: new Gauge({
    name: 'confam_rescreens_open',
    help: 'List versions that monitors have yet to be screened against',
    aggregator: 'max',
    registers,
  }),
});

const listMetrics = (registers: Registry[]) => ({
  listAge: new Gauge({
    name: 'confam_list_age_seconds',
    help: 'Time since the publisher last confirmed the watch list in force; a required list that is too old stops live screenings',
    aggregator: 'max',
    labelNames: ['list'],
    registers,
  }),
  listIndexBehind: new Gauge({
    name: 'confam_list_index_behind_seconds',
    help: 'Time for which screenings have used an index of earlier list versions; after ten minutes live screenings stop',
    aggregator: 'max',
    registers,
  }),
  listEntries: new Gauge({
    name: 'confam_list_entries',
    help: 'Listings (people and organizations) of a watch list in force',
    aggregator: 'max',
    labelNames: ['list'],
    registers,
  }),
  listRefusals: new Counter({
    name: 'confam_list_refusals_total',
    help: 'Refreshes of a watch list that failed or were refused, so that the old version stays in force: an alarm',
    labelNames: ['list', 'reason'],
    registers,
  }),
});

const deploymentMetrics = (registers: Registry[]) => ({
  release: new Gauge({
    name: 'confam_release',
    help: '1 for this process’s release and the newest format of stored work that it reads',
    labelNames: ['release', 'stored_as'],
    aggregator: 'max',
    registers,
  }),
  auditBroken: new Gauge({
    name: 'confam_audit_broken_chains',
    help: 'Chains of the audit that were changed since they were last sealed; anything but 0 is an alarm',
    registers,
  }),
  ledgerDrift: new Gauge({
    name: 'confam_ledger_drift_kobo',
    help: 'Difference between wallets and the ledger; anything but 0 is an alarm',
    registers,
  }),
});
