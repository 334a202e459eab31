/** Who read personal data of the app, and who changed what: by actor, action, object and time, and as a file. */
import { useMemo, useState } from 'preact/hooks';
import type { Action, AuditEntry } from '../../client/audit.ts';
import { DAY_MS, shortId } from '../format.ts';
import { type Actor, actorWords, idsOf, labelOf, type Names, namesOf, useActors } from '../parts/actors.ts';
import { Empty, State, Time } from '../parts/common.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Problem, textIn } from '../parts/form.tsx';
import { Listed, useList } from '../parts/list.tsx';
import { save } from '../parts/save.ts';
import { ActorName } from '../parts/submitter.tsx';
import { Table } from '../parts/table.tsx';
import { attempt } from '../parts/toasts.tsx';
import { query, setQuery } from '../router.ts';
import { client, mode } from '../state.ts';
import { actionWords, purposes, purposeWords } from '../words.ts';

const FILTERS = ['actor', 'action', 'object', 'purpose', 'outcome', 'since', 'until'] as const;
const OUTCOMES = [
  ['', 'Any'],
  ['allowed', 'Done'],
  ['refused', 'Refused'],
] as const;
type Filter = Record<(typeof FILTERS)[number], string>;

/** Days are Lagos days: `until` includes its day. */
const dayBegins = (day: string, plus = 0): string =>
  day === '' ? '' : new Date(Date.parse(`${day}T00:00:00+01:00`) + plus * DAY_MS).toISOString();

const asked = ({ since, until, ...rest }: Filter) => ({ ...rest, since: dayBegins(since), until: dayBegins(until, 1) });

export default function AuditPage() {
  const filter = Object.fromEntries(FILTERS.map((name) => [name, query.value.get(name) ?? ''])) as Filter;
  const entries = useList<AuditEntry>(`audit ${JSON.stringify(filter)}`, (cursor, signal) =>
    client.audit.page({ ...asked(filter), limit: 50, cursor }, signal),
  );
  const actors = useActors();
  const names = useMemo(() => namesOf(actors), [actors]);
  const [opened, setOpened] = useState<AuditEntry | null>(null);
  /** Resets the fields. */
  const [turn, setTurn] = useState(0);
  const find = (changes: Partial<Filter>) => {
    setQuery({ ...Object.fromEntries(FILTERS.map((name) => [name, ''])), ...changes });
    setTurn(turn + 1);
  };
  const download = () =>
    attempt(
      async () => save(await client.audit.file(asked(filter)), `audit-${mode.value}-${new Date().toISOString().slice(0, 10)}.csv`),
      'The file is being saved.',
    );
  return (
    <>
      <div class="head">
        <h1>Audit</h1>
        <div class="actions">
          <button type="button" onClick={() => void download()}>
            Save as CSV
          </button>
        </div>
      </div>
      <Filters key={turn} filter={filter} actors={actors} />
      <Listed
        of={entries}
        empty={
          <Empty title="No entry matches">
            <button type="button" onClick={() => find({})}>
              Show all
            </button>
          </Empty>
        }
      >
        {(items) => <EntryTable entries={items} names={names} onOpen={setOpened} />}
      </Listed>
      {opened && <Entry entry={opened} names={names} onFind={find} onClose={() => setOpened(null)} />}
    </>
  );
}

function Filters({ filter, actors }: { filter: Filter; actors: readonly Actor[] }) {
  const [problem, setProblem] = useState('');
  const chosen = actors.find(({ id }) => id === filter.actor);
  const find = (entered: FormData) => {
    const who = textIn(entered, 'actor');
    const ids = who === '' ? [''] : idsOf(who, actors);
    setProblem(
      ids.length === 1 ? '' : ids.length === 0 ? 'Nobody in this app has this name or address.' : 'Several have this name: choose one.',
    );
    if (ids.length === 1) setQuery(Object.fromEntries(FILTERS.map((name) => [name, name === 'actor' ? ids[0]! : textIn(entered, name)])));
  };
  return (
    <form
      class="filters many"
      onSubmit={(event) => {
        event.preventDefault();
        find(new FormData(event.currentTarget));
      }}
    >
      <label class="field wide">
        <span>Who</span>
        <input
          name="actor"
          list="actors"
          defaultValue={chosen ? labelOf(chosen) : filter.actor}
          placeholder="Name or id"
          maxLength={360}
          autocomplete="off"
        />
        <datalist id="actors">
          {actors.map((actor) => (
            <option key={actor.id} value={labelOf(actor)} />
          ))}
        </datalist>
      </label>
      <label class="field wide">
        <span>What</span>
        <select name="action" defaultValue={filter.action}>
          <option value="">Everything</option>
          {(Object.keys(actionWords) as Action[]).map((action) => (
            <option key={action} value={action} selected={filter.action === action}>
              {actionWords[action]}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Outcome</span>
        <select name="outcome" defaultValue={filter.outcome}>
          {OUTCOMES.map(([value, name]) => (
            <option key={value} value={value} selected={filter.outcome === value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>What for</span>
        <select name="purpose" defaultValue={filter.purpose}>
          <option value="">Anything</option>
          {purposes.map(([value, name]) => (
            <option key={value} value={value} selected={filter.purpose === value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="field wide">
        <span>On</span>
        <input name="object" defaultValue={filter.object} placeholder="bat_…, job_…" maxLength={100} autocomplete="off" />
      </label>
      <label class="field">
        <span>From</span>
        <input name="since" type="date" defaultValue={filter.since} />
      </label>
      <label class="field">
        <span>To</span>
        <input name="until" type="date" defaultValue={filter.until} />
      </label>
      <button type="submit">Find</button>
      <Problem text={problem} />
    </form>
  );
}

/** Where a target's page is. */
function Target({ id, names }: { id: string | null; names: Names }) {
  if (id === null) return <span class="soft">–</span>;
  const shown = names.get(id) ?? `${id.slice(0, 4)}${shortId(id)}`;
  const page = id.startsWith('bat_') ? 'batches' : id.startsWith('job_') ? 'jobs' : null;
  return page ? (
    <a href={`${page}/${id}`} title={id}>
      {shown}
    </a>
  ) : (
    <span title={id}>{shown}</span>
  );
}

const outcomeOf = ({ outcome }: AuditEntry) =>
  outcome === 'allowed' ? <State word="Done" tone="good" /> : <State word="Refused" tone="bad" />;

function EntryTable({ entries, names, onOpen }: { entries: AuditEntry[]; names: Names; onOpen: (entry: AuditEntry) => void }) {
  return (
    <Table
      caption="Entries, newest first"
      name="Entries of the audit"
      isCard
      rows={entries}
      keyOf={(entry) => `${entry.app} ${entry.seq}`}
      columns={[
        { name: 'When', cell: (entry) => <Time at={entry.at} /> },
        { name: 'Who', style: 'text', cell: ({ actor }) => <ActorName actor={actor} names={names} /> },
        {
          name: 'What',
          cell: (entry) => (
            <>
              {actionWords[entry.action]}
              {entry.purpose && <small class="soft below">{purposeWords(entry.purpose)}</small>}
            </>
          ),
        },
        { name: 'On', style: 'text', cell: (entry) => <Target id={entry.target} names={names} /> },
        { name: 'Outcome', cell: (entry) => outcomeOf(entry) },
        { name: 'Address', style: 'mono small', cell: (entry) => entry.address ?? '–' },
        {
          name: 'Details',
          isNameUnseen: true,
          cell: (entry) => (
            <div class="row-actions">
              <button type="button" class="plain" onClick={() => onOpen(entry)}>
                Details<span class="unseen"> of entry {entry.seq}</span>
              </button>
            </div>
          ),
        },
      ]}
    />
  );
}

interface EntryProps {
  entry: AuditEntry;
  names: Names;
  onFind: (changes: Partial<Filter>) => void;
  onClose: () => void;
}

function Entry({ entry, names, onFind, onClose }: EntryProps) {
  const facts: [string, string | null][] = [
    ['Action', entry.action],
    ['Who', `${actorWords(entry.actor, names)} (${entry.actor.id})`],
    ['On', entry.target],
    ['Subject', entry.subject],
    ['What for', entry.purpose && purposeWords(entry.purpose)],
    ['Refused because', entry.code],
    ['Mode', entry.live === null ? 'Both' : entry.live ? 'Live' : 'Test'],
    ['Request', entry.request_id],
    ['Time (UTC)', entry.at],
    ['Hash', entry.hash],
    ['Hash before', entry.previous],
  ];
  return (
    <Dialog title={`Entry ${entry.seq}: ${actionWords[entry.action].toLowerCase()}`} onClose={onClose}>
      <dl class="lines">
        {facts.map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="mono">{value}</dd>
            </div>
          ),
        )}
        {Object.entries(entry.detail ?? {})
          .filter(([, value]) => value !== null)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name.replaceAll('_', ' ')}</dt>
              <dd class="mono">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
            </div>
          ))}
      </dl>
      <div class="actions">
        {entry.target && (
          <button
            type="button"
            onClick={() => {
              onFind({ object: entry.target! });
              onClose();
            }}
          >
            All about this
          </button>
        )}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
