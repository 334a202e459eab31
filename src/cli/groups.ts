/**
 * Every command of the first level. Only the flags of the one that was called are loaded (`commands/`); those of an operator's command load its work, and the
 * service with it, when the command line turns out right.
 */
import type { Command } from 'commander';

type Fill = (command: Command) => void;

interface Group {
  name: string;
  description: string;
  /** Heading of the help. */
  part: 'Verify' | 'Account' | 'Run the service' | 'Operate it' | 'Other';
  load(): Promise<Fill>;
}

export const groups: readonly Group[] = [
  {
    name: 'check',
    part: 'Verify',
    description: 'verify one person, company or document now',
    load: async () => (await import('./commands/check.ts')).addCheckCommands,
  },
  {
    name: 'batch',
    part: 'Verify',
    description: 'verify the rows of a file: submit, follow, fetch results',
    load: async () => (await import('./commands/batch.ts')).addBatchCommands,
  },
  {
    name: 'jobs',
    part: 'Verify',
    description: 'single jobs and their results',
    load: async () => (await import('./commands/jobs.ts')).addJobsCommands,
  },
  {
    name: 'reviews',
    part: 'Verify',
    description: 'results that a person must judge',
    load: async () => (await import('./commands/reviews.ts')).addReviewsCommands,
  },
  {
    name: 'webhooks',
    part: 'Verify',
    description: 'receive events on this machine, and cause them',
    load: async () => (await import('./commands/webhooks.ts')).addWebhooksCommands,
  },
  {
    name: 'login',
    part: 'Account',
    description: 'keep the address of a service and a key of an app',
    load: async () => (await import('./commands/login.ts')).addLogin,
  },
  {
    name: 'logout',
    part: 'Account',
    description: 'forget a key',
    load: async () => (await import('./commands/login.ts')).addLogout,
  },
  {
    name: 'whoami',
    part: 'Account',
    description: 'show which service, app and key are used, and whether the key works',
    load: async () => (await import('./commands/login.ts')).addWhoami,
  },
  {
    name: 'wallet',
    part: 'Account',
    description: 'balance, limits and entries',
    load: async () => (await import('./commands/wallet.ts')).addWalletCommands,
  },
  {
    name: 'usage',
    part: 'Account',
    description: 'what was used and what it cost, by check or day',
    load: async () => (await import('./commands/wallet.ts')).addUsageCommand,
  },
  {
    name: 'keys',
    part: 'Account',
    description: 'API keys of the app; encryption keys of a deployment',
    load: async () => (await import('./commands/keys.ts')).addKeysCommands,
  },
  {
    name: 'audit',
    part: 'Account',
    description: 'who read personal data and who changed what (docs/audit.md)',
    load: async () => (await import('./commands/audit.ts')).addAuditCommands,
  },
  {
    name: 'privacy',
    part: 'Account',
    description: 'legal holds of people, withdrawals of consents (docs/privacy.md)',
    load: async () => (await import('./commands/privacy.ts')).addPrivacyCommands,
  },
  {
    name: 'start',
    part: 'Run the service',
    description: 'run API, workers and dispatcher on one machine, with embedded Postgres unless DATABASE_URL is set',
    load: async () => (await import('./commands/service.ts')).addStart,
  },
  {
    name: 'api',
    part: 'Run the service',
    description: 'run only the HTTP API',
    load: async () => (await import('./commands/service.ts')).addApi,
  },
  {
    name: 'worker',
    part: 'Run the service',
    description: 'run pool workers',
    load: async () => (await import('./commands/service.ts')).addWorker,
  },
  {
    name: 'dispatcher',
    part: 'Run the service',
    description: 'run dispatcher and sweeper; several may run, one leads',
    load: async () => (await import('./commands/service.ts')).addDispatcher,
  },
  {
    name: 'migrate',
    part: 'Run the service',
    description: 'bring the database up to date',
    load: async () => (await import('./commands/service.ts')).addMigrate,
  },
  {
    name: 'doctor',
    part: 'Operate it',
    description: 'check everything that Confam needs here, and fetch missing face models; exits with 1 if something is broken',
    load: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  },
  {
    name: 'apps',
    part: 'Operate it',
    description: 'calling applications',
    load: async () => (await import('./commands/apps.ts')).addAppsCommands,
  },
  {
    name: 'people',
    part: 'Operate it',
    description: 'who may sign in (docs/people.md)',
    load: async () => (await import('./commands/people.ts')).addPeopleCommands,
  },
  {
    name: 'backup',
    part: 'Operate it',
    description: 'write the embedded database to a file, while the service runs (docs/operations.md)',
    load: async () => (await import('./commands/backup.ts')).addBackup,
  },
  {
    name: 'restore',
    part: 'Operate it',
    description: 'load a backup into an empty data folder, or into an empty database of your own',
    load: async () => (await import('./commands/backup.ts')).addRestore,
  },
  {
    name: 'erasures',
    part: 'Operate it',
    description: 'after a restore, erase again whoever was erased (docs/privacy.md)',
    load: async () => (await import('./commands/backup.ts')).addErasuresCommands,
  },
  {
    name: 'retention',
    part: 'Operate it',
    description: 'how long data is kept (docs/privacy.md)',
    load: async () => (await import('./commands/retention.ts')).addRetentionCommands,
  },
  {
    name: 'lists',
    part: 'Operate it',
    description: 'watch lists of sanctions, PEPs, wanted persons and adverse media (docs/lists.md)',
    load: async () => (await import('./commands/lists.ts')).addListCommands,
  },
  {
    name: 'breaches',
    part: 'Operate it',
    description: 'addresses from breaches, kept as keyed hashes (docs/breaches.md)',
    load: async () => (await import('./commands/breaches.ts')).addBreachCommands,
  },
  {
    name: 'upstreams',
    part: 'Operate it',
    description: 'the file of vendors for live keys (CONFAM_UPSTREAMS)',
    load: async () => (await import('./commands/upstreams.ts')).addUpstreamCommands,
  },
  {
    name: 'upstream-sim',
    part: 'Operate it',
    description: 'run a simulated vendor for trying out CONFAM_UPSTREAMS, which misbehaves as a script says (docs/upstream-sim.md)',
    load: async () => (await import('./commands/upstreams.ts')).addSimulator,
  },
  {
    name: 'completion',
    part: 'Other',
    description: 'print a script that completes commands and flags in bash, zsh or fish',
    load: async () => (await import('./commands/completion.ts')).addCompletion,
  },
];

/** Whether a command works on the machine or the database and not through the API. */
export const isOperators = (name: string | undefined): boolean =>
  groups.some((group) => group.name === name && (group.part === 'Run the service' || group.part === 'Operate it'));

/** The group named `wanted` in full, the others by name and description alone. `everything` loads all. */
export async function addGroups(program: Command, wanted: string | undefined, { everything = false } = {}): Promise<void> {
  for (const { name, part, description, load } of groups) {
    const command = program.command(name).description(description).helpGroup(`${part}:`);
    if (!everything && name !== wanted) continue;
    (await load())(command);
  }
}
