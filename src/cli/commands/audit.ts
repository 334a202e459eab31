/** `confam audit`: `list` asks the service for the app's audit. `verify`, `export` and `retire` are the operator's (`../audit.ts`), loaded when they are called. */
import type { Command } from 'commander';
import type { AuditEntry } from '../../client/audit.ts';
import type { ExportOptions, VerifyOptions } from '../audit.ts';
import { connect, type ListOptions, listing, pageSize, take } from '../terminal/connection.ts';
import { auditColumns } from '../terminal/tables.ts';

interface Filters extends ListOptions {
  action?: string;
  actor?: string;
  object?: string;
  outcome?: string;
  purpose?: string;
  since?: string;
  until?: string;
}

export function addAuditCommands(audit: Command): void {
  listing(audit.command('list').alias('ls'))
    .description('who read personal data and who changed what in the app, newest first')
    .option('--action <action>', 'such as results.read')
    .option('--actor <id>', 'key_… or per_…')
    .option('--object <id>', 'what was read or changed, such as job_…')
    .option('--outcome <outcome>', 'allowed or refused')
    .option('--purpose <purpose>', 'such as subject_request')
    .option('--since <time>', 'from this time on')
    .option('--until <time>', 'before this time')
    .action(async ({ action, actor, object, outcome, purpose, since, until, ...options }: Filters) => {
      const { client, out } = connect(options);
      const query = { action, actor, object, outcome, purpose, since, until, limit: pageSize(options) };
      out.list(
        await take(client.transport.items<AuditEntry>('api/v1/audit', query), options.limit),
        auditColumns,
        'There is no such entry.',
      );
    });
  audit
    .command('verify')
    .description('recompute every hash, and name each entry that was changed, removed or inserted')
    .option('--copy <path>', 'compare it with this file too, which `audit export --file` has written')
    .option('--json', 'as JSON')
    .action(async (options: VerifyOptions) => (await import('../audit.ts')).verifyEntries(options));
  audit
    .command('export')
    .description('copy the audit out as JSON lines')
    .option('--file <path>', 'append to this file; - for standard output')
    .option('--syslog <address>', 'send to udp://host, tcp://host or tls://host (RFC 5424)')
    .option('--position <path>', 'continue where the last export with this file ended, and record in it how far this one got')
    .action(async (options: ExportOptions) => (await import('../audit.ts')).exportEntries(options));
  audit
    .command('retire <month>')
    .description('check the audit, and record that a month (2026-11) may be dropped, so that `audit verify` accepts that it is gone')
    .action(async (month: string) => (await import('../audit.ts')).retireEntries(month));
}
