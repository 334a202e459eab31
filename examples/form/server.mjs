// A plain HTML form that checks a NIN. The key stays here: a page that had it would give it to everybody.
// node server.mjs
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createClient, Refused, Unreachable } from 'confam/client';

const client = createClient({ baseUrl: process.env.CONFAM_URL, key: process.env.CONFAM_KEY, app: process.env.CONFAM_APP });
const page = readFileSync(new URL('form.html', import.meta.url), 'utf8');
const BODY_BYTES_MAX = 10_000;

const server = createServer(async (request, response) => {
  try {
    const [status, message] = request.method === 'POST' ? await check(await formOf(request)) : [200, ''];
    response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8' }).end(page.replace('{{message}}', () => escaped(message)));
  } catch (error) {
    // One request that breaks off must not end the program.
    console.log(`not answered: ${error.message}`);
    response.destroy();
  }
});
server.listen(Number(process.env.PORT ?? 3001), '127.0.0.1', () => console.log(`listening on ${server.address().port}`));

async function check(form) {
  try {
    const { entity } = await client.nin.basic({ nin: form.get('nin') ?? '' });
    const isSame = entity.surname.toLowerCase() === (form.get('surname') ?? '').trim().toLowerCase();
    return isSame ? [200, 'Thank you: your NIN is confirmed.'] : [422, 'The surname is not that of this NIN.'];
  } catch (error) {
    if (error instanceof Refused && error.code === 'record_not_found') return [422, 'There is no such NIN.'];
    if (error instanceof Refused && error.code === 'invalid_request') return [422, 'A NIN has 11 digits.'];
    if (!(error instanceof Refused || error instanceof Unreachable)) throw error;
    // For the log of whoever runs this: a code and a request id, nothing of the person.
    console.log(`not checked: ${error.code ?? error.message} ${error.requestId ?? ''}`);
    return [503, 'We cannot check this now. Please try again later.'];
  }
}

async function formOf(request) {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > BODY_BYTES_MAX) break;
  }
  return new URLSearchParams(text);
}

const escaped = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
