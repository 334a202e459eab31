/** A link to a batch, by the name that its uploader gave it. Until that has been read, and if there is none, by the end of its id. */
import { useEffect, useState } from 'preact/hooks';
import { shortId } from '../format.ts';
import { client, may, scope } from '../state.ts';

/** By scope and id: a page of entries names the same few batches many times. */
const read = new Map<string, Promise<string | null>>();
const READ_MAX = 1_000;

function referenceOf(id: string): Promise<string | null> {
  const key = `${scope.value} ${id}`;
  if (!read.has(key)) {
    if (read.size >= READ_MAX) read.clear();
    const reading = client.batches.read(id).then(({ reference }) => reference);
    read.set(key, reading);
    reading.catch(() => read.delete(key));
  }
  return read.get(key)!;
}

export function BatchName({ id }: { id: string }) {
  const [reference, setReference] = useState<string | null>(null);
  useEffect(() => {
    let isShown = true;
    setReference(null);
    // What cannot be read, such as a batch that was deleted, keeps its id.
    if (may('results:read'))
      void referenceOf(id).then(
        (name) => isShown && setReference(name),
        () => {},
      );
    return () => {
      isShown = false;
    };
  }, [id, scope.value]);
  return <a href={`batches/${id}`}>{reference === null ? <span class="id">Batch {shortId(id)}</span> : <bdi>{reference}</bdi>}</a>;
}
