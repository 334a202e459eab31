/** Any check, called from a form made from its declaration: what it costs, what it answers, and the same call as code. */
import { useState } from 'preact/hooks';
import type { Check } from '../../client/checks.ts';
import { checkName } from '../format.ts';
import { Empty } from '../parts/common.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { query, setQuery } from '../router.ts';
import { client } from '../state.ts';
import { Answer, type Answered } from '../try/answer.tsx';
import { CallForm } from '../try/form.tsx';

export default function TryPage() {
  const loaded = useResource('checks', async (signal) => {
    const [checks, prices] = await Promise.all([client.checks.all(signal), client.money.prices(signal)]);
    return { checks: checks.data, prices: new Map(prices.data.map((price) => [price.check, price])) };
  });
  return (
    <>
      <div class="head">
        <h1>Try a check</h1>
      </div>
      <Loaded of={loaded}>
        {({ checks, prices }) => {
          const check = checks.find(({ id }) => id === query.value.get('check')) ?? checks[0];
          if (!check) return <Empty title="There are no checks" />;
          return (
            <>
              <Chooser checks={checks} chosen={check} />
              <Tried key={check.id} check={check} price={prices.get(check.id)} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

const FAMILIES: Readonly<Record<string, string>> = {
  nin: 'National identity number',
  bvn: 'Bank verification number',
  cac: 'Companies',
  tin: 'Tax',
  credit: 'Credit',
  document: 'Documents, phone, address',
  face: 'Faces',
  aml: 'Screening',
  email: 'E-mail',
};

function Chooser({ checks, chosen }: { checks: readonly Check[]; chosen: Check }) {
  const families = [...new Set(checks.map(({ family }) => family))];
  return (
    <div class="filters">
      <label class="field wide">
        <span>Check</span>
        <select value={chosen.id} onChange={(event) => setQuery({ check: event.currentTarget.value })}>
          {families.map((family) => (
            <optgroup key={family} label={FAMILIES[family] ?? family}>
              {checks
                .filter((check) => check.family === family)
                .map(({ id, stage, available }) => (
                  <option key={id} value={id}>
                    {checkName(id)}
                    {stage ? ` (${stage})` : ''}
                    {available ? '' : ' – not configured'}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      </label>
      <p class="soft beside">{chosen.summary}</p>
    </div>
  );
}

function Tried({ check, price }: { check: Check; price: Parameters<typeof CallForm>[0]['price'] }) {
  const [answered, setAnswered] = useState<Answered | null>(null);
  return (
    <div class="split">
      <CallForm check={check} price={price} answered={answered} onAnswered={setAnswered} />
      <Answer answered={answered} />
    </div>
  );
}
