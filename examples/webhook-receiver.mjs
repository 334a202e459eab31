// Receives webhooks, verifies them, and handles each event once.
// CONFAM_WEBHOOK_SECRET=whsec_… node webhook-receiver.mjs
import { createServer } from 'node:http';
import { webhooks } from 'confam/client';

// During a rotation: the new and the old one, separated by a comma.
const secrets = (process.env.CONFAM_WEBHOOK_SECRET ?? '').split(',');
// A program that runs on several machines keeps these in its database, for four days.
const seen = new Set();

const server = createServer(async (request, response) => {
  // Anybody can post here, and hang up in the middle.
  const event = await eventOf(request).catch((error) => console.log(`refused: ${error.message}`));
  response.writeHead(event ? 204 : 400).end(); // answer first, work afterwards
  const id = request.headers['webhook-id'];
  if (!event || seen.has(id)) return;
  seen.add(id);
  console.log(`${event.type} ${event.data.id} ${event.data.status}`);
});
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log(`listening on ${server.address().port}`));

async function eventOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return webhooks.verify(Buffer.concat(chunks), request.headers, secrets);
}
