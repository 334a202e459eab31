// Onboards a file of customers: preview, mapping, quote, upload, progress, results.
// node onboard.mjs customers.csv nin_basic results.csv
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createClient } from 'confam/client';

const [path, checks, target] = process.argv.slice(2);
if (!target) throw new Error('node onboard.mjs FILE CHECKS RESULTS');
const client = createClient({ baseUrl: process.env.CONFAM_URL, key: process.env.CONFAM_KEY, app: process.env.CONFAM_APP });

// A function, so that an upload whose connection breaks is sent again. Of a file of any size only a piece is in memory.
const file = () => createReadStream(path);
const name = path;

const preview = await client.batches.preview(file, { checks, name });
const mapping = {};
for (const { field, column, reason, required } of preview.mapping) {
  if (column !== null) mapping[field] = column;
  else if (required.length > 0) throw new Error(`No column for ${field}: ${reason}`);
  console.log(`${field} is ${column === null ? 'left out' : `"${column}"`}: ${reason}`);
}

const options = { checks, mapping, name, ...(preview.date_format && { date_format: preview.date_format.value }) };
const quote = await client.batches.quote(file, options);
console.log(`${quote.counts.rows} rows, ${quote.counts.invalid} invalid: at most ₦${quote.quote_amount}`);
if (!quote.covered) throw new Error(`The wallet has ₦${quote.available_amount}`);

const batch = await client.batches.upload(file, options);
const ended = await client.batches.wait(batch, {
  onProgress: ({ percent, eta_seconds: left }) => console.log(`${percent} %${left === null ? '' : `, ${left} s left`}`),
});

const { body } = await client.batches.file(batch.id, { format: 'csv' });
await pipeline(Readable.fromWeb(body), createWriteStream(target));
const { found, not_found: missing, failed } = ended.counts;
console.log(`${ended.status}: ${found} found, ${missing} not found, ${failed} failed, ₦${ended.billed_amount}. Results: ${target}`);
