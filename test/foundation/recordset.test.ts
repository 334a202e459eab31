/** Rows of every type arrive as they were sent. */
import postgres from 'postgres';
import { afterAll, expect, inject, test } from 'vitest';
import { recordset } from '../../src/foundation/recordset.ts';

const sql = postgres(inject('adminUrl'), { max: 1, types: { bigint: postgres.BigInt } }) as unknown as Parameters<typeof recordset>[0];
afterAll(() => (sql as postgres.Sql).end());

const TEXTS = [
  '',
  ' ',
  'NULL',
  'null',
  '{}',
  ',',
  '"',
  '\\',
  '\\\\"',
  "'",
  'a,b"c\\d',
  '\t\n\r',
  'Ọlá',
  '😀',
  '\\x00',
  'x'.repeat(100_000),
];

test('a text arrives as it was sent, whatever is in it', async () => {
  const rows = await sql`select value from ${recordset(sql, TEXTS, { value: ['text', (text) => text] }, 'at')} t order by at`;
  expect(rows.map(({ value }) => value)).toEqual(TEXTS);
});

test('a value of each type arrives as it was sent, and so does null', async () => {
  const id = '0190a0b0-0000-7000-8000-000000000001';
  const bytes = Buffer.from([0, 1, 34, 92, 255]);
  const sent = [
    { id, text: 'x', flag: true, small: -1, large: 2 ** 53 - 1, bytes },
    { id: null, text: null, flag: null, small: null, large: null, bytes: null },
    { id, text: '', flag: false, small: 2 ** 31 - 1, large: -(2 ** 53 - 1), bytes: Buffer.alloc(0) },
  ];
  const rows = await sql`
    select id, text, flag, small, large::text, bytes from ${recordset(
      sql,
      sent,
      {
        id: ['uuid', (row) => row.id],
        text: ['text', (row) => row.text],
        flag: ['bool', (row) => row.flag],
        small: ['int', (row) => row.small],
        large: ['bigint', (row) => row.large],
        bytes: ['bytea', (row) => row.bytes],
      },
      'at',
    )} t order by at`;
  expect([...rows]).toEqual(sent.map((row) => ({ ...row, large: row.large === null ? null : String(row.large) })));
});

test('a recordset may have no rows', async () => {
  expect(await sql`select id from ${recordset(sql, [], { id: ['uuid', () => null] })} t`).toHaveLength(0);
});

test('a value that is missing is refused, not stored as a word', async () => {
  const missing = undefined as unknown as string;
  for (const type of ['text', 'uuid', 'int', 'bool', 'bytea'] as const)
    await expect((async () => sql`select v from ${recordset(sql, [1], { v: [type, () => missing] })} t`)(), type).rejects.toThrow();
});
