/** The state of the running service, line by line, faults first. */
import type { Finding } from '../../client/operator.ts';
import type { Worded } from '../format.ts';
import { Notice, State } from '../parts/common.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { Table } from '../parts/table.tsx';
import { client } from '../state.ts';

const STATES: Readonly<Record<Finding['state'], Worded>> = {
  broken: { word: 'Broken', tone: 'bad' },
  note: { word: 'Worth knowing', tone: 'warn' },
  ok: { word: 'Fine', tone: 'good' },
};
const ORDER = Object.keys(STATES) as Finding['state'][];

export default function OperatorDoctorPage() {
  const findings = useResource('doctor', async (signal) => (await client.operator.doctor(signal)).data);
  return (
    <>
      <div class="head">
        <h1>Doctor</h1>
        <div class="actions">
          <button type="button" onClick={findings.reload}>
            Check again
          </button>
        </div>
      </div>
      <p class="soft">
        What the service can see while it runs. On the machine, <code>confam doctor</code> also looks at migrations, the port and the face
        models.
      </p>
      <Loaded of={findings}>
        {(data) => {
          const broken = data.filter(({ state }) => state === 'broken').length;
          return (
            <>
              {broken > 0 && <Notice tone="bad" title={broken === 1 ? 'One thing is broken' : `${broken} things are broken`} />}
              <Table
                caption="Checks, faults first"
                isCard
                rows={data.toSorted((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state))}
                keyOf={({ subject }) => subject}
                columns={[
                  {
                    name: 'What',
                    isHead: true,
                    style: 'nowrap',
                    cell: ({ subject }) => subject.replace(/^./, (letter) => letter.toUpperCase()),
                  },
                  { name: 'State', cell: ({ state }) => <State {...STATES[state]} /> },
                  { name: 'Details', style: 'text', cell: ({ says }) => <Says text={says} /> },
                ]}
              />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

/** A command stands between backticks. A name such as `un_sc` keeps its first letter. */
const Says = ({ text }: { text: string }) => (
  <>
    {sentence(text)
      .split('`')
      .map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}
  </>
);

const sentence = (text: string): string => text.replace(/^[a-z](?=[a-z]*[ :,])/, (letter) => letter.toUpperCase());
