/** What a monitor has found since it began. */
import type { Monitor } from '../../client/aml.ts';
import { alike, categoryName } from '../job/hit-words.ts';
import { Notice, Time } from '../parts/common.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Loaded, useResource } from '../parts/resource.tsx';
import { client } from '../state.ts';
import { useListTitles } from './list-titles.ts';

export function MonitorDialog({ monitor, onClose }: { monitor: Monitor; onClose: () => void }) {
  const read = useResource(`monitor ${monitor.id}`, (signal) => client.aml.monitor(monitor.id, signal));
  const titleOf = useListTitles(!monitor.masked);
  return (
    <Dialog title={`New hits for ${monitor.name ?? 'an ended monitor'}`} onClose={onClose}>
      {monitor.masked && <Notice title="Masked. Show the job in clear first; its hits are then shown in clear for an hour." />}
      <Loaded of={read}>
        {({ matches }) => (
          <ul class="lines plain-list">
            {matches.map((hit, at) => (
              <li key={at}>
                <h3>{hit.name}</h3>
                <p>
                  {categoryName(hit.category)} · {titleOf(hit.list)}, entry {hit.source_id} · {alike(hit.score)}
                </p>
                <p class="soft small">
                  found <Time at={hit.at} />
                  {hit.programs.length > 0 && ` · ${hit.programs.join(', ')}`}
                </p>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <div class="actions">
        <a class="button" href={`jobs/${monitor.job}`}>
          Go to the job
        </a>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
