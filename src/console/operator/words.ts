/** Apps, vendors and lists of the deployment as administrators read them. */
import type { App, Providers, WatchList } from '../../client/operator.ts';
import type { Worded } from '../format.ts';

export function appState({ suspended_at, deleted_at }: App): Worded {
  if (deleted_at !== null) return { word: 'Deleted', tone: 'bad' };
  return suspended_at === null ? { word: 'Active', tone: 'good' } : { word: 'Suspended', tone: 'warn' };
}

export const balanceOf = ({ wallets }: App, mode: 'live' | 'test'): number =>
  wallets.find((wallet) => wallet.mode === mode)?.available ?? 0;

type Health = Providers['data'][number]['records'][number]['health'];

export const healthStates: Readonly<Record<Health, Worded>> = {
  well: { word: 'Healthy', tone: 'good' },
  paused: { word: 'Paused', tone: 'warn' },
  down: { word: 'Down', tone: 'bad' },
};

export const listStates: Readonly<Record<WatchList['state'], Worded>> = {
  current: { word: 'Current', tone: 'good' },
  too_old: { word: 'Too old', tone: 'bad' },
  absent: { word: 'Not loaded', tone: 'warn' },
};
