/** What a record has inside: its directors, its shares, the reasons for its score. Members of their members are shown as JSON. */
import { count } from '../format.ts';
import { Scroll } from '../parts/common.tsx';
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
    <details class="body">
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
  const members = Object.entries(entity);
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
