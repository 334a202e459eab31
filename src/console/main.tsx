/** The console begins here. */
import { signal } from '@preact/signals';
import { type ComponentType, render } from 'preact';
import { useEffect } from 'preact/hooks';
import { Waiting } from './parts/common.tsx';
import { navigate, place } from './router.ts';
import { Shell } from './shell.tsx';
import { hasToken, LINK_PAGE, SignInPage } from './sign-in.tsx';
import { phase, readSession } from './state.ts';

const isGate = (path: string): boolean => path === 'sign-in' || path === 'invitation';

/** For people without an account: loaded only for them, and not waiting for a session. */
const linkPage = signal<ComponentType | null>(null);
if (place.value.path === LINK_PAGE) void import('./pages/link.tsx').then((module) => (linkPage.value = module.default));

function App() {
  const { path } = place.value;
  const isIn = phase.value === 'in' || phase.value === 'expired';
  useEffect(() => {
    if (isIn && isGate(path) && !hasToken()) navigate('', { replace: true });
  }, [isIn, path]);
  if (path === LINK_PAGE) return linkPage.value ? <linkPage.value /> : <Waiting />;
  if (phase.value === 'starting') return <Waiting what="Connecting" />;
  return !isIn || (isGate(path) && hasToken()) ? <SignInPage /> : <Shell />;
}

void readSession();
render(<App />, document.body);
