// Receives webhooks, verifies them, and handles each event once.
// CONFAM_WEBHOOK_SECRET=whsec_… node webhook-receiver.mjs
import { createServer } from 'node:http';
import { WebhookRefused, webhooks } from 'confam/client';

// During a rotation: the new and the old one, separated by a comma.
const secrets = (process.env.CONFAM_WEBHOOK_SECRET ?? '').split(',');
// A program that runs on several machines keeps these in its database, for four days.
const seen = new Set();

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const event = await webhooks.verify(Buffer.concat(chunks), request.headers, secrets);
    response.writeHead(204).end(); // answer first, work afterwards
    const id = request.headers['webhook-id'];
    if (seen.has(id)) return;
    seen.add(id);
    console.log(`${event.type} ${event.data.id} ${event.data.status}`);
  } catch (error) {
    if (!(error instanceof WebhookRefused)) throw error;
    console.log(`refused: ${error.message}`);
    response.writeHead(400).end();
  }
});
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
