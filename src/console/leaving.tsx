/** Shown instead of every page while the session is being ended. */
import { isStillIn } from './state.ts';

export const Leaving = () => (
  <div class="gate">
    <main>
      <p class="brand">Confam</p>
      <h1>Signing you out…</h1>
      {isStillIn.value && (
        <p role="alert" class="problem">
          You are still signed in on this browser, because the session could not be ended yet. Keep this page open; it tries again every 2
          seconds.
        </p>
      )}
    </main>
  </div>
);
