/** Clearances of hits, and monitors. */
import { clearanceBody, clearancePage } from '../../contract/clearances.ts';
import { monitorPage } from '../../contract/monitors.ts';
import { answer, jsonBody, type Operation, queryOf } from './operation.ts';
import { listOf, objectOf, refTo } from './schema.ts';

const CLEARANCES = '/api/v1/aml/clearances';
const MONITORS = '/api/v1/aml/monitors';

const common = { tag: 'aml', who: 'app' } as const;

export const amlOperations: readonly Operation[] = [
  {
    ...common,
    method: 'post',
    path: CLEARANCES,
    id: 'createClearance',
    summary: 'Clear a hit: the listed person is somebody else. It stays cleared until the listing changes',
    body: jsonBody(clearanceBody, {
      name: 'Morenike Precious Durojaiye',
      date_of_birth: '1991-04-17',
      country: 'NG',
      list: 'un_sc',
      source_id: 'QDi.999',
      reason: 'Born in another year; seen in person',
      cleared_by: 'A. Analyst',
    }),
    answers: { 201: answer('The clearance', refTo('Clearance')) },
    errors: ['resource_not_found'],
  },
  {
    ...common,
    method: 'get',
    path: CLEARANCES,
    id: 'listClearances',
    summary: 'Clearances in force, newest first',
    parameters: queryOf(clearancePage),
    answers: { 200: answer('A page', listOf(refTo('Clearance'), true)) },
  },
  {
    ...common,
    method: 'delete',
    path: `${CLEARANCES}/:id`,
    id: 'revokeClearance',
    summary: 'Revoke a clearance; the hit counts again',
    answers: {
      200: answer('Revoked', objectOf({ id: { type: 'string' }, object: { const: 'aml_clearance' }, revoked: { const: true } })),
    },
  },
  {
    ...common,
    method: 'get',
    path: MONITORS,
    id: 'listMonitors',
    summary: 'Monitors, newest first, including ended ones',
    parameters: queryOf(monitorPage),
    answers: { 200: answer('A page', listOf(refTo('Monitor'), true)) },
  },
  {
    ...common,
    method: 'get',
    path: `${MONITORS}/:id`,
    id: 'readMonitor',
    summary: 'A monitor with the hits found since it began',
    answers: { 200: answer('The monitor', refTo('MonitorWithMatches')) },
  },
  {
    ...common,
    method: 'delete',
    path: `${MONITORS}/:id`,
    id: 'endMonitor',
    summary: 'End a monitor; the submitted details of the person are deleted',
    answers: { 200: answer('The monitor, ended', refTo('Monitor')) },
  },
];
