/** The console begins here. */
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { Waiting } from './parts/common.tsx';
import { navigate, place } from './router.ts';
import { Shell } from './shell.tsx';
import { hasToken, SignInPage } from './sign-in.tsx';
import { phase, readSession } from './state.ts';

const isGate = (path: string): boolean => path === 'sign-in' || path === 'invitation';

function App() {
  const { path } = place.value;
  const isIn = phase.value === 'in' || phase.value === 'expired';
  useEffect(() => {
    if (isIn && isGate(path) && !hasToken()) navigate('', { replace: true });
  }, [isIn, path]);
  if (phase.value === 'starting') return <Waiting what="Connecting" />;
  return !isIn || (isGate(path) && hasToken()) ? <SignInPage /> : <Shell />;
}

void readSession();
render(<App />, document.body);
