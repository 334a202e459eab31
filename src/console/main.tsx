/** The console begins here. */
import { signal } from '@preact/signals';
import { type ComponentType, render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import './double-click.ts';
import { Leaving } from './leaving.tsx';
import { Waiting } from './parts/common.tsx';
import { navigate, place } from './router.ts';
import { Shell } from './shell.tsx';
import { isGate, returnFromOidc } from './sign-in/organization.ts';
import { SignInPage } from './sign-in/page.tsx';
import { hasToken, LINK_PAGE } from './sign-in/sent-token.ts';
import { needsFactor, phase, readSession } from './state.ts';

/** For people without an account: loaded only for them, and not waiting for a session. */
const linkPage = signal<ComponentType | null>(null);
if (place.value.path === LINK_PAGE) void import('./pages/link.tsx').then((module) => (linkPage.value = module.default));

/** For people who must set up a second factor first: loaded only for them. */
const setUpPage = signal<ComponentType | null>(null);

function App() {
  const wasAtGate = useRef(false);
  const { path } = place.value;
  const isIn = phase.value === 'in' || phase.value === 'expired';
  useEffect(() => {
    if (isIn && isGate(path) && !hasToken()) navigate('', { replace: true });
  }, [isIn, path]);
  const mustSetUp = isIn && needsFactor(path);
  useEffect(() => {
    if (mustSetUp) void import('./account/set-up.tsx').then((module) => (setUpPage.value = module.default));
  }, [mustSetUp]);
  if (path === LINK_PAGE) return linkPage.value ? <linkPage.value /> : <Waiting />;
  if (phase.value === 'starting') return <Waiting what="Connecting" />;
  if (phase.value === 'leaving') return <Leaving />;
  if (!isIn || (isGate(path) && hasToken())) {
    wasAtGate.current = true;
    return <SignInPage />;
  }
  if (!mustSetUp) return <Shell isAfterGate={wasAtGate.current} />;
  return setUpPage.value ? <setUpPage.value /> : <Waiting />;
}

returnFromOidc();
void readSession();
render(<App />, document.body);
