/**
 * The pages that sign-in links, invitations and the identity provider lead to. They use the public API as any client does; the rest of the console is not
 * there yet, which the page says. No inline script or style; addresses are relative, for services behind a path prefix.
 */
import type { Http } from './http.ts';
import { lenientRoute } from './route.ts';
import type { Tools } from './tools.ts';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Confam</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="sign-in.css">
</head>
<body>
<main>
<p class="brand">Confam</p>
<h1 id="title">Sign in</h1>
<p id="note"></p>
<p id="problem" role="alert"></p>
<form id="form" hidden>
<label data-for="email">E-mail address<input name="email" type="email" autocomplete="username" required></label>
<label data-for="name">Your name<input name="name" autocomplete="name" maxlength="100"></label>
<label data-for="password">Password<input name="password" type="password" required></label>
<label data-for="code">Six digits from your authenticator app<input name="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9]{6}" required></label>
<button type="submit" id="submit">Sign in</button>
<button type="button" id="provider" class="quiet" hidden>Sign in with your organisation</button>
</form>
<section id="account" hidden>
<dl id="facts"></dl>
<p>The rest of the console is not built yet. Until then this browser's session works with <a href="../docs">the API</a>.</p>
<button type="button" id="sign-out">Sign out</button>
</section>
<noscript><p>This page needs JavaScript. <code>POST /api/v1/session</code> signs in without it.</p></noscript>
</main>
<script type="module" src="sign-in.js"></script>
</body>
</html>
`;

const SCRIPT = `const SESSION = '../api/v1/session';
const part = (id) => document.getElementById(id);
const form = part('form');
const isInvitation = location.pathname.endsWith('/invitation');
// The fragment is sent to nobody; it leaves the address bar, so that it is in no screenshot and no history.
const token = location.hash.slice(1);
if (token) history.replaceState(null, '', location.pathname);
// A link that is opened in the tab that has this page.
addEventListener('hashchange', () => location.reload());

async function ask(method, path, body, headers = {}) {
  try {
    const response = await fetch(path, {
      method,
      headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { ok: response.ok, status: response.status, ...(await response.json()) };
  } catch {
    return { ok: false, error: 'The service cannot be reached. Check your connection and try again' };
  }
}

function show(fields, title, note = '') {
  part('title').textContent = title;
  part('note').textContent = note;
  for (const label of form.querySelectorAll('label')) {
    const isShown = fields.includes(label.dataset.for);
    label.hidden = !isShown;
    label.querySelector('input').disabled = !isShown;
  }
  form.elements.password.autocomplete = isInvitation ? 'new-password' : 'current-password';
  form.elements.password.minLength = isInvitation ? 12 : 0;
  part('submit').textContent = isInvitation ? 'Join' : 'Sign in';
  form.hidden = false;
  form.querySelector('label:not([hidden]) input')?.focus();
}

function showAccount({ person, administrator, apps, csrf_token }) {
  form.hidden = true;
  part('title').textContent = 'You are signed in';
  part('note').textContent = '';
  const facts = [['Person', person.name ? person.name + ' · ' + person.email : person.email]];
  if (administrator) facts.push(['Deployment', 'administrator']);
  for (const app of apps) facts.push([app.name, app.role + ' · ' + app.id]);
  part('facts').replaceChildren(
    ...facts.flatMap(([name, value]) => {
      const [dt, dd] = [document.createElement('dt'), document.createElement('dd')];
      dt.textContent = name;
      dd.textContent = value;
      return [dt, dd];
    }),
  );
  part('account').hidden = false;
  part('sign-out').onclick = async () => {
    await ask('DELETE', SESSION, undefined, { 'X-CSRF-Token': csrf_token });
    location.replace('sign-in');
  };
}

/** What the second factor's form asks again. */
let pending = null;

function conclude(answer, sent) {
  part('problem').textContent = '';
  if (answer.ok) return showAccount(answer.entity);
  if (answer.code === 'second_factor_required' && pending === null) {
    pending = sent;
    return show(['code'], 'One more step', 'Your account has an authenticator app.');
  }
  part('problem').textContent = answer.error + '.';
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const entered = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));
  const body = { ...(token && { token }), ...pending, ...entered };
  part('submit').disabled = true;
  conclude(await ask('POST', token ? SESSION + '/link' : SESSION, body, await csrf()), body);
  part('submit').disabled = false;
});

part('provider').addEventListener('click', async () => {
  const answer = await ask('POST', SESSION + '/oidc');
  if (answer.ok) location.assign(answer.entity.url);
  else part('problem').textContent = answer.error + '.';
});

/** Whoever is signed in already accepts an invitation with that session. */
async function csrf() {
  const session = await ask('GET', SESSION);
  return session.ok ? { 'X-CSRF-Token': session.entity.csrf_token } : {};
}

const session = await ask('GET', SESSION);
if (token && (!isInvitation || session.ok)) {
  const body = { token };
  const answer = await ask('POST', SESSION + '/link', body, session.ok ? { 'X-CSRF-Token': session.entity.csrf_token } : {});
  if (!answer.ok) show([], isInvitation ? 'Invitation' : 'Sign in');
  conclude(answer, body);
  if (!answer.ok && pending === null) form.hidden = true;
} else if (token) show(['name', 'password'], 'You are invited', 'Choose a password of at least 12 characters.');
else if (session.ok) showAccount(session.entity);
else {
  show(['email', 'password'], 'Sign in');
  part('provider').hidden = !('provider' in document.body.dataset);
  if (location.search === '?failed=oidc') part('problem').textContent = 'Your organisation did not sign you in.';
}
`;

const STYLE = `:root {
  color-scheme: light dark;
  --ink: light-dark(#1b1f24, #e8eaed);
  --soft: light-dark(#57606a, #a3abb5);
  --paper: light-dark(#f5f6f8, #14171b);
  --card: light-dark(#fff, #1d2126);
  --line: light-dark(#c9ced6, #49525d);
  --accent: light-dark(#0b6b3a, #58c98b);
  --on-accent: light-dark(#fff, #08170e);
  --bad: light-dark(#a40e26, #ff8f9a);
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; min-height: 100vh; display: grid; place-items: start center; padding: 12vh 16px 32px; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 400px; padding: 32px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
.brand { margin: 0 0 16px; color: var(--accent); font-weight: 700; letter-spacing: .02em; }
h1 { margin: 0 0 16px; font-size: 24px; line-height: 1.2; }
p { margin: 0 0 16px; }
p:empty { margin: 0; }
#note, dt { color: var(--soft); }
#problem { color: var(--bad); font-weight: 600; }
label { display: block; margin: 0 0 16px; font-size: 14px; font-weight: 600; }
input, button { width: 100%; min-height: 44px; padding: 8px 12px; border-radius: 6px; font: inherit; }
input { margin-top: 4px; border: 1px solid var(--soft); background: var(--card); color: inherit; font-size: 16px; font-weight: 400; }
button { border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 600; cursor: pointer; }
button.quiet { margin-top: 12px; background: none; color: var(--accent); }
button:disabled { opacity: .6; cursor: progress; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
a { color: var(--accent); }
dl { margin: 0 0 16px; }
dt { font-size: 14px; }
dd { margin: 0 0 12px; overflow-wrap: anywhere; }
`;

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const html = ({ people }: Pick<Tools, 'people'>): string => (people.oidc === null ? PAGE : PAGE.replace('<body>', '<body data-provider>'));

const send = (c: Http, type: string, text: string): Response =>
  c.body(text, 200, { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'no-cache', 'Content-Security-Policy': POLICY });

const common = { method: 'get', who: 'anyone', audit: { none: 'public' } } as const;

const page = (path: string) => lenientRoute({ ...common, path, handle: (c, tools) => send(c, 'text/html', html(tools)) });

export const signInPageRoutes = [
  lenientRoute({ ...common, path: '/console', handle: (c) => c.redirect('console/', 302) }),
  page('/console/'),
  page('/console/sign-in'),
  page('/console/invitation'),
  lenientRoute({ ...common, path: '/console/sign-in.js', handle: (c) => send(c, 'text/javascript', SCRIPT) }),
  lenientRoute({ ...common, path: '/console/sign-in.css', handle: (c) => send(c, 'text/css', STYLE) }),
];
