/** The record reader for XML lists, independent of any publisher. */
import { describe, expect, it } from 'vitest';
import { type ListFile, ListFileError } from '../../../src/engines/aml/list.ts';
import { elementsAt, readXml, textAt, textsAt, type XmlElement } from '../../../src/engines/aml/lists/xml.ts';
import { fileOf, streamOf } from '../../setup/list-files.ts';

const layout = { root: 'list', records: ['head', 'people/person'] };

async function read(file: ListFile): Promise<XmlElement[]> {
  const elements: XmlElement[] = [];
  for await (const element of readXml(file, layout)) elements.push(element);
  return elements;
}

async function ruleOf(file: ListFile): Promise<string> {
  const error: unknown = await read(file).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ListFileError)) throw new Error(`the file was not refused: ${String(error)}`);
  expect(error.message).toContain(file.name);
  return error.rule;
}

const person = '<person id="1"><name>Zubanda <![CDATA[& Sons]]></name><name/><alias><name>Zu &lt; &#x42;</name></alias></person>';
const whole = `<?xml version="1.0"?>\n<x:list xmlns:x="urn:x" x:date="2026-01-02">\n<head/><other><person/></other><people>\n${person}</people></x:list>`;

describe('XML lists', () => {
  it('yields the root with its attributes, then each record as a tree, and nothing else', async () => {
    const [root, head, record, ...rest] = await read(fileOf('a.xml', whole));
    expect(root).toMatchObject({ name: 'list', line: 2, children: [], attributes: { date: '2026-01-02' } });
    expect(head).toMatchObject({ name: 'head', line: 3 });
    expect(record).toMatchObject({ name: 'person', line: 4, attributes: { id: '1' } });
    expect(rest).toEqual([]);
    expect(textsAt(record!, 'name')).toEqual(['Zubanda & Sons']);
    expect(textAt(record!, 'alias/name')).toBe('Zu < B');
    expect(elementsAt(record!, 'name')).toHaveLength(2);
  });

  it('reads a file that arrives byte by byte like one that arrives at once', async () => {
    const bytes = [...Buffer.from(whole.replace('Zubanda', 'Зубанда'))].map((byte) => Uint8Array.of(byte));
    expect(textAt((await read(fileOf('a.xml', ...bytes)))[2]!, 'name')).toBe('Зубанда & Sons');
  });

  it.each([
    ['UTF-16 little-endian with a byte-order mark', Buffer.from(`\ufeff${whole}`.replace('Zu', 'Žu'), 'utf16le')],
    ['UTF-16 big-endian with a byte-order mark', Buffer.from(`\ufeff${whole}`.replace('Zu', 'Žu'), 'utf16le').swap16()],
    ['UTF-8 with a byte-order mark', Buffer.from(`\ufeff${whole}`.replace('Zu', 'Žu'))],
    ['declared Windows-1252', Buffer.from(whole.replace('?>', ' encoding="windows-1252"?>').replace('Zu', '\x8eu'), 'latin1')],
  ])('reads %s', async (_encoding, bytes) => {
    expect(textAt((await read(fileOf('a.xml', bytes)))[2]!, 'name')).toBe('Žubanda & Sons');
  });

  const laughs = '<!DOCTYPE list [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>';
  it.each([
    ['entities that multiply', `${laughs}<list><people><person>&c;</person></people></list>`, 'forbidden_markup'],
    ['a DTD elsewhere', '<!DOCTYPE list SYSTEM "file:///etc/passwd"><list/>', 'forbidden_markup'],
    ['an undefined entity', '<list><people><person>&pass;</person></people></list>', 'malformed'],
    ['another root', '<people><person/></people>', 'unknown_format'],
    ['tags that do not match', '<list><people><person></people></person></list>', 'malformed'],
    ['text after the root', '<list/>tail', 'malformed'],
    ['a second root', '<list/><list/>', 'malformed'],
    ['no element at all', '<?xml version="1.0"?>', 'truncated'],
    ['nothing', '', 'empty'],
    ['whitespace', ' \n\t ', 'empty'],
    ['a NUL', '<list>\0</list>', 'not_text'],
    ['an encoding that nobody uses', '<?xml version="1.0" encoding="utf-7"?><list/>', 'not_text'],
    ['endlessly nested elements in a record', `<list><people><person>${'<a>'.repeat(100)}`, 'too_large'],
    ['endlessly nested elements around records', `<list>${'<a>'.repeat(100)}`, 'too_large'],
    ['a million elements in a record', `<list><people><person>${'<a/>'.repeat(1_000_000)}`, 'too_large'],
    ['a thousand elements that are not records', `<list>${'<person/>'.repeat(1_001)}</list>`, 'too_large'],
  ])('refuses %s', async (_case, text, rule) => {
    expect(await ruleOf(fileOf('a.xml', text))).toBe(rule);
  });

  it('refuses broken UTF-8, whatever encoding is declared', async () => {
    for (const head of ['', '<?xml version="1.0" encoding="UTF-8"?>']) {
      expect(await ruleOf(fileOf('a.xml', `${head}<list><people><person>`, Buffer.from([0xc3, 0x28])))).toBe('not_text');
    }
  });

  it('refuses a file that ends before its last tag', async () => {
    for (let end = 60; end < whole.length; end += 7) expect(await ruleOf(fileOf('a.xml', whole.slice(0, end)))).toBe('truncated');
  });

  it.each([
    ['an endless record', 'x'],
    ['an endless attribute', '<a b="'],
    ['an endless comment', '<!-- '],
    ['an endless character data section', '<![CDATA['],
    ['an endless instruction', '<?x '],
    ['an endless tag name', '<x'],
  ])('refuses %s before holding it in memory', async (_case, start) => {
    const startedAt = performance.now();
    expect(['too_large', 'malformed']).toContain(await ruleOf(streamOf('a.xml', 'x', 1024, `<list><people><person>${start}`)));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('refuses an endless document type before holding it in memory', async () => {
    expect(await ruleOf(streamOf('a.xml', 'x', 1024, '<!DOCTYPE list [<!ENTITY a "'))).toBe('too_large');
  });
});
