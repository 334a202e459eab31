/** What a record has inside: its directors, its shares, the reasons for its score. Members of their members are shown as JSON. */
import { count, counted } from '../format.ts';
import { Scroll, State } from '../parts/common.tsx';
import { fieldName } from './field-name.ts';
import { isPlain, Value } from './value.tsx';

type Entity = Readonly<Record<string, unknown>>;

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

export function Members({ name, of: value }: { name: string; of: unknown }) {
  if (isEmpty(value))
    return (
      <p class="body none">
        <strong>{fieldName(name)}</strong> <span class="soft">None</span>
      </p>
    );
  return (
    <details class="body on-paper">
      <summary>
        {fieldName(name)}
        {Array.isArray(value) && <span class="soft">&nbsp;({count(value.length)})</span>}
      </summary>
      <div class="stack">
        {(Array.isArray(value) ? value : [value]).map((one: unknown, at) =>
          isPlain(one) ? (
            <p key={at}>
              <Value of={one} name={name} />
            </p>
          ) : (
            <Entry key={at} of={one as Entity} />
          ),
        )}
      </div>
    </details>
  );
}

function Entry({ of: entity }: { of: Entity }) {
  // Hits have a section of their own on the page.
  const members = Object.entries(entity).filter(([name, value]) => name !== 'hits' && !isScreening(name, value));
  return (
    <div class="entry">
      <dl class="facts">
        {members
          .filter(([, value]) => isPlain(value) && value !== '' && value !== null)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{fieldName(name)}</dt>
              <dd class="when">
                <Value of={value} name={name} />
              </dd>
            </div>
          ))}
        {isScreening('screening', entity.screening) && (
          <div>
            <dt>Screening</dt>
            <dd class="when">
              <Screened of={entity.screening} />
            </dd>
          </div>
        )}
      </dl>
      {members
        .filter(([, value]) => !isPlain(value) && !isEmpty(value))
        .map(([name, value]) => (
          <details key={name}>
            <summary>{fieldName(name)}</summary>
            <Scroll name={name}>
              <pre class="json">{JSON.stringify(value, null, 2)}</pre>
            </Scroll>
          </details>
        ))}
    </div>
  );
}

/** Whether this is what the screening of a company's director or owner found; null where that person could not be screened. */
const isScreening = (name: string, value: unknown): value is { total_hits: number } | null =>
  name === 'screening' && (value === null || (value as Entity | undefined)?.total_hits !== undefined);

function Screened({ of: screening }: { of: { total_hits: number } | null }) {
  if (screening === null) return <State word="Not screened" tone="warn" />;
  const { total_hits } = screening;
  return total_hits === 0 ? <State word="No hits" tone="good" /> : <State word={counted(total_hits, 'hit')} tone="warn" />;
}
