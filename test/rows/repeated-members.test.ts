import { expect, test } from 'vitest';
import { repeatedMember } from '../../src/rows/repeated-members.ts';

const repeatedIn = (text: string): string | null => repeatedMember(text, JSON.parse(text));

test.each([
  ['{"nin":"1","nin":"2"}', 'nin'],
  ['{"nin" : "1",\n "name": "A", "nin"\t: "1"}', 'nin'],
  ['{"a":"x:y","a":1}', 'a'],
  ['{"a":1,"\\u0061":2}', 'a'],
  ['{"a":{"b":1,"b":2}}', 'b'],
  ['{"a":[{"b":1},{"c":1,"c":{}}]}', 'c'],
  ['{"":1,"":2}', ''],
  ['[{"a":1,"a":1}]', 'a'],
])('%s has a member twice', (text, name) => expect(repeatedIn(text)).toBe(name));

test.each([
  '{}',
  '[]',
  '"a"',
  'null',
  '{"nin":"1","NIN":"2"}',
  '{"a":"b","b":"a"}',
  '{"a":"\\"a\\":1, \\"a\\":2"}',
  '{"a":"ends in a backslash \\\\","b":"a"}',
  '{"at":"12:30:00","url":"https://example.com"}',
  '{"a":{"x":1},"b":{"x":1}}',
  '{"rows":[{"nin":"1"},{"nin":"2"}]}',
  '{"a":["a","a"],"b":{"a":{"a":{}}}}',
])('%s has none', (text) => expect(repeatedIn(text)).toBeNull());
