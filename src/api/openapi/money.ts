/** Wallet, prices and usage. */
import { entriesQuery, statementQuery, usageQuery } from '../../contract/money.ts';
import { answer, type Operation, queryOf } from './operation.ts';
import { envelopeOf, type JsonSchema, listOf, objectOf, refTo } from './schema.ts';

/** JSON, or CSV with `format=csv`. */
const answerOrCsv = (description: string, entity: JsonSchema) => ({
  description,
  content: { 'application/json': { schema: envelopeOf(entity) }, 'text/csv': { schema: { type: 'string' } } },
});

export const moneyOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/v1/wallet',
    id: 'readWallet',
    tag: 'money',
    summary: 'The balance of the key’s wallet',
    who: 'app',
    answers: { 200: answer('The wallet', refTo('Wallet')) },
  },
  {
    method: 'get',
    path: '/api/v1/wallet/entries',
    id: 'listEntries',
    tag: 'money',
    summary: 'Entries of the ledger, newest first',
    who: 'app',
    parameters: queryOf(entriesQuery),
    answers: { 200: answerOrCsv('A page; as CSV, all entries', listOf(refTo('Entry'), true)) },
  },
  {
    method: 'get',
    path: '/api/v1/wallet/statements/:month',
    id: 'readStatement',
    tag: 'money',
    summary: 'The statement of a month',
    who: 'app',
    parameters: [
      { name: 'month', in: 'path', required: true, schema: { type: 'string' }, description: 'YYYY-MM, UTC', example: '2026-11' },
      ...queryOf(statementQuery),
    ],
    answers: { 200: answerOrCsv('The statement', refTo('Statement')) },
  },
  {
    method: 'get',
    path: '/api/v1/usage',
    id: 'readUsage',
    tag: 'money',
    summary: 'What was used, by check and day',
    who: 'app',
    parameters: queryOf(usageQuery),
    answers: { 200: answerOrCsv('The usage', refTo('Usage')) },
  },
  {
    method: 'get',
    path: '/api/v1/prices',
    id: 'listPrices',
    tag: 'money',
    summary: 'Every check with its price for this app',
    who: 'app',
    answers: {
      200: answer(
        'The price list',
        objectOf({ object: { const: 'list' }, currency: { const: 'NGX' }, data: { type: 'array', items: refTo('Price') } }),
      ),
    },
  },
];
