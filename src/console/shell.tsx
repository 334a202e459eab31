/** The frame of every page: app, mode, navigation, person, and what is wrong with connection or session. */
import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Unreachable } from '../client/errors.ts';
import { SessionEnded } from './account/again.tsx';
import { WaitingCount } from './approvals/waiting.tsx';
import type { Page, PageProps } from './page.ts';
import { beside, FIRST_PAGE, pages } from './pages.ts';
import { Empty, Failure, Notice, Waiting } from './parts/common.tsx';
import { Toasts } from './parts/toasts.tsx';
import { match, mayLeave, navigate, place } from './router.ts';
import {
  app,
  chooseApp,
  chooseMode,
  connection,
  epoch,
  isAbsent,
  isReachable,
  lost,
  type Mode,
  may,
  mode,
  phase,
  scope,
  session,
  signOut,
} from './state.ts';
import { subject } from './subject.ts';
import { asRole } from './words.ts';

const isOffered = ({ isOwn, isAdmin, scopes = [] }: Page): boolean =>
  isOwn || (isAdmin ? session.value!.administrator : app.value !== null && may(...scopes));

const modules = new Map<Page, ComponentType<PageProps>>();

/** `isAfterGate`: it takes the place of the page for signing in. */
export function Shell({ isAfterGate }: { isAfterGate: boolean }) {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const isOperatorOnly = app.value === null && session.value?.administrator === true;
  const path = place.value.path || (isOperatorOnly ? 'operator/apps' : FIRST_PAGE);
  useEffect(() => setMenuOpen(false), [path]);
  return (
    <div class={`shell ${mode.value} ${phase.value}`}>
      <SkipLink />
      <Top isMenuOpen={isMenuOpen} onMenu={() => setMenuOpen(!isMenuOpen)} />
      <nav class={isMenuOpen ? 'nav open' : 'nav'} id="navigation" aria-label="Pages">
        <Navigation path={path} />
        {isMenuOpen && <Own />}
      </nav>
      <Main path={path} isFirst={!isAfterGate} />
      <Toasts />
      <SessionEnded />
    </div>
  );
}

/** Past the menu, for the keyboard; seen only while it has the focus. */
const SkipLink = () => (
  <button type="button" class="skip" onClick={() => document.getElementById('main')!.focus()}>
    Skip to content
  </button>
);

function pageAt(path: string): { page: Page; params: Record<string, string> } | undefined {
  for (const page of pages) {
    const params = match(page.path, path);
    if (params) return { page, params };
  }
  return undefined;
}

/**
 * Changes the app or the mode. Items belong to one app and mode, so on an item's page this leads to its list. It stays on pages that need no app, and where the
 * item was not found: a colleague's link may lead to another app or mode. Returns false if the person chose to stay.
 */
function switchTo(change: () => void): boolean {
  const { path, query } = place.value;
  const page = pageAt(path)?.page;
  const [section = ''] = path.split('/');
  const stays = page?.isAdmin || page?.isOwn || isAbsent.value || (path === section && !query);
  if (!(stays ? mayLeave() : navigate(section))) return false;
  change();
  return true;
}

function Top({ isMenuOpen, onMenu }: { isMenuOpen: boolean; onMenu: () => void }) {
  const { apps } = session.value!;
  return (
    <header class="top">
      <button type="button" class="menu" aria-expanded={isMenuOpen} aria-controls="navigation" onClick={onMenu}>
        Menu
      </button>
      <a class="brand" href="./">
        Confam
      </a>
      {app.value && apps.length > 1 ? (
        <select
          class="apps"
          aria-label="App"
          value={app.value.id}
          onChange={(event) => {
            const { value } = event.currentTarget;
            if (!switchTo(() => chooseApp(value))) event.currentTarget.value = app.value!.id;
          }}
        >
          {apps.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      ) : (
        <span class="app-name" title={app.value?.name}>
          {app.value?.name}
        </span>
      )}
      {app.value && <ModeSwitch />}
      <Own />
      {app.value && (
        <p class="strip">
          {mode.value === 'live' ? 'LIVE: real people, real vendors, real money' : 'TEST: invented people and play money'}
        </p>
      )}
      {connection.value === 'lost' && (
        <div class="banner" role="status">
          The connection to Confam is lost. Reconnecting; your batches keep running.
        </div>
      )}
      {connection.value === 'back' && (
        <div class="banner good" role="status">
          Connected again.
        </div>
      )}
    </header>
  );
}

/** On a phone it is in the menu: the bar has no room for it. */
function Own() {
  const { person } = session.value!;
  return (
    <div class="end">
      <a class="person" href="account" title={person.email}>
        <span class="unseen">My account: </span>
        <bdi>{person.name ?? person.email}</bdi>
      </a>
      <button type="button" onClick={signOut}>
        Sign out
      </button>
    </div>
  );
}

const MODES: readonly (readonly [Mode, string])[] = [
  ['test', 'Test'],
  ['live', 'Live'],
];

const ModeSwitch = () => (
  <div class="mode" role="radiogroup" aria-label="Mode">
    {MODES.map(([value, name]) => (
      <label key={value}>
        <input
          type="radio"
          name="mode"
          checked={mode.value === value}
          onClick={(event) => {
            // Preventing the click keeps the other mode selected.
            if (mode.value !== value && !switchTo(() => chooseMode(value))) event.preventDefault();
          }}
        />
        {name}
      </label>
    ))}
  </div>
);

function Navigation({ path }: { path: string }) {
  const list = useRef<HTMLUListElement>(null);
  // In a low window the list scrolls: keep the current page's entry in view.
  useEffect(() => list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }), [path]);
  const offered = pages.filter((page) => page.nav && isOffered(page));
  const shown = pageAt(path)?.page.within ?? path;
  const groups = [...new Set(offered.map(({ nav }) => nav!))];
  return (
    <ul ref={list}>
      {groups.flatMap((group) => [
        groups.length > 1 ? (
          <li key={group} class="heading">
            {group}
          </li>
        ) : null,
        ...offered
          .filter(({ nav }) => nav === group)
          .map((page) => (
            <li key={page.path}>
              <a href={page.path} aria-current={shown === page.path || shown.startsWith(`${page.path}/`) ? 'page' : undefined}>
                {page.title}
                {page.path === 'approvals' && may('approve', 'results:read') && <WaitingCount path={path} />}
              </a>
            </li>
          )),
        ...beside
          .filter(({ nav }) => nav === group)
          .map((one) => (
            <li key={one.path}>
              <a href={one.path} target="_self">
                {one.title}
              </a>
            </li>
          )),
      ])}
    </ul>
  );
}

function Main({ path, isFirst: isFirstPage }: { path: string; isFirst: boolean }) {
  const found = pageAt(path);
  const element = useRef<HTMLElement>(null);
  const isFirst = useRef(isFirstPage);
  useEffect(() => {
    const parts = [subject.value, found?.page.title ?? 'No such page', `Confam${mode.value === 'live' ? ' (live)' : ''}`];
    document.title = parts.filter((part) => part !== null).join(' · ');
  }, [found?.page, subject.value, mode.value]);
  // After signing in, or a step within the console, the keyboard and screen readers begin at the new page.
  useEffect(() => {
    // The new page is already at its top: scrolled to, it would begin under the bar.
    if (!isFirst.current) element.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path]);
  return (
    <main class="content" id="main" tabIndex={-1} ref={element}>
      {app.value && (
        <p class="printed">
          Confam · <bdi>{app.value.name}</bdi> · {mode.value} mode
        </p>
      )}
      {!found ? (
        <Empty title="There is no such page">
          <p>
            <a href="./">Go to Home</a>
          </p>
        </Empty>
      ) : !found.page.isAdmin && !found.page.isOwn && app.value === null ? (
        <Empty title="You do not belong to any app">
          {session.value?.administrator ? (
            <p>
              You administer this deployment. Go to its <a href="operator/apps">apps</a>.
            </p>
          ) : (
            <p>Ask an owner of the app, or your administrator, for an invitation.</p>
          )}
        </Empty>
      ) : found.page.isAdmin && !session.value!.administrator ? (
        <Notice tone="warn" title="This page is for the administrators of the deployment.">
          <p>No role in an app includes it. Ask your administrator for what you need from it.</p>
        </Notice>
      ) : !isOffered(found.page) ? (
        <Notice tone="warn" title="Your role does not include this page.">
          <p>
            You are {asRole(app.value!.role)} of <bdi>{app.value!.name}</bdi>. An owner of the app can change your role.
          </p>
        </Notice>
      ) : (
        <Content key={`${scope.value} ${path}`} page={found.page} params={found.params} />
      )}
    </main>
  );
}

function Content({ page, params }: { page: Page } & PageProps) {
  const [error, setError] = useState<unknown>(null);
  const [, setLoaded] = useState(0);
  useEffect(() => {
    if (modules.has(page)) return;
    let isLeft = false;
    page.load().then(
      (module) => {
        modules.set(page, module.default);
        setLoaded((n) => n + 1);
      },
      async (failure: unknown) => {
        const isThere = await isReachable();
        if (isLeft) return;
        // The service has a newer console than this tab: its files have other names. Otherwise the page is loaded once the connection is back.
        setError(isThere ? failure : new Unreachable(failure));
        if (!isThere) lost();
      },
    );
    return () => {
      isLeft = true;
    };
  }, [page, epoch.value]);
  const Component = modules.get(page);
  if (Component) return <Component params={params} />;
  if (error === null) return <Waiting />;
  return <Failure error={error} retry={error instanceof Unreachable ? undefined : () => location.reload()} />;
}
