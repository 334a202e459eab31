/** Gzip and UTF-16 in front of the row readers, whatever the chunks. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCsv } from '../../src/rows/csv.ts';
import { type Bytes, decodeUtf16, gunzip, peek } from '../../src/rows/decode.ts';
import { type Row, UploadError } from '../../src/rows/row.ts';

async function* feed(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function collect(bytes: Bytes): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks);
}

describe('UTF-16', () => {
  test('any text reads the same in both byte orders and for every chunk size', async () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(texts, fc.boolean(), fc.integer({ min: 1, max: 9 }), async (text, isBig, size) => {
        fc.pre(text.isWellFormed());
        const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
        const decoded = await collect(await decodeUtf16(feed(isBig ? bytes.swap16() : bytes, size)));
        expect(decoded.toString('utf8')).toBe(`\ufeff${text}`);
      }),
      { numRuns: 300 },
    );
  });

  test('everything else passes unchanged', async () => {
    for (const text of ['', 'a', 'nin\n1\n', '\ufeffnin\n', '{"a":1}']) {
      expect((await collect(await decodeUtf16(feed(Buffer.from(text), 2)))).toString('utf8')).toBe(text);
    }
  });

  test.each([1, 7, 64, 65_536])('a broken character is refused with its row, in chunks of %i', async (size) => {
    const lines = Array.from({ length: 50 }, (_, i) => (i === 41 ? 'x\ud800y' : `é${i}`));
    const read = async () => {
      const source = await readCsv(await decodeUtf16(feed(Buffer.from(`\ufeffnin\n${lines.join('\n')}\n`, 'utf16le'), size)));
      const rows: Row<string[]>[] = [];
      for await (const batch of source.rows) rows.push(...batch);
    };
    await expect(read()).rejects.toMatchObject({ rule: 'not_text', row: 42 });
  });
});

test('UTF-32 is refused as such, with and without a byte-order mark', async () => {
  const utf32 = (text: string, isBig: boolean) => {
    const bytes = Buffer.alloc(text.length * 4);
    for (let at = 0; at < text.length; at++) bytes[isBig ? 'writeUInt32BE' : 'writeUInt32LE'](text.charCodeAt(at), at * 4);
    return bytes;
  };
  for (const bytes of ['nin\n1\n', '\ufeffnin\n1\n'].flatMap((text) => [utf32(text, true), utf32(text, false)])) {
    await expect(decodeUtf16(feed(bytes, 3))).rejects.toMatchObject({
      rule: 'not_text',
      message: 'The upload is UTF-32 text. Save the file as UTF-8 text and send it again',
    });
  }
});

describe('gzip', () => {
  const megabytes = (count: number) => Buffer.alloc(count * 1024 * 1024, 'nin\n');

  test('what expands more than 200 times is refused, unless it is small', async () => {
    const refused = await collect(gunzip(feed(gzipSync(megabytes(64)), 1000), 1e9)).catch((error) => error);
    expect(refused).toBeInstanceOf(UploadError);
    expect(refused).toMatchObject({ rule: 'expands_too_far', code: 'payload_too_large' });
    expect((await collect(gunzip(feed(gzipSync(megabytes(1).subarray(0, 65_536)), 1000), 1e9))).length).toBe(65_536);
  });

  test('the ratio is noticed before a small file has been read as a large one, however it arrives', async () => {
    for (const piece of [100, 1e6]) {
      let read = 0;
      const refused = await (async () => {
        for await (const chunk of gunzip(feed(gzipSync(megabytes(12)), piece), 1e9)) read += chunk.length;
      })().catch((error) => error);
      expect(refused).toMatchObject({ rule: 'expands_too_far' });
      expect(read).toBeLessThan(1024 * 1024);
    }
  });

  test('what people write never expands that much', async () => {
    const rows = Array.from({ length: 200_000 }, (_, i) => `${30_000_000_000 + i},Ikeja,ACTIVE,2024-01-01\n`).join('');
    expect((await collect(gunzip(feed(gzipSync(rows), 1000), 1e9))).length).toBe(rows.length);
  });

  test('errors of the byte source come through, and a reader that stops releases it', async () => {
    let released = 0;
    async function* broken(error: Error | null) {
      try {
        yield gzipSync(Buffer.from('x'.repeat(100_000)));
        if (error) throw error;
        yield gzipSync(Buffer.from('y'));
      } finally {
        released++;
      }
    }
    const error = new Error('hung up');
    await expect(collect(gunzip(broken(error), 1e9))).rejects.toBe(error);
    for await (const _ of gunzip(broken(null), 1e9)) break;
    await new Promise((resolve) => setImmediate(resolve));
    expect(released).toBe(2);
  });
});

test('peeking at the first bytes loses none and releases the rest', async () => {
  const bytes = Buffer.from('0123456789');
  for (const [count, size] of [
    [0, 3],
    [2, 3],
    [5, 2],
    [50, 4],
  ] as const) {
    const { head, bytes: all } = await peek(feed(bytes, size), count);
    expect(head.toString()).toBe('0123456789'.slice(0, count));
    expect((await collect(all)).toString()).toBe('0123456789');
  }
  let isReleased = false;
  async function* source() {
    try {
      yield bytes;
      yield bytes;
    } finally {
      isReleased = true;
    }
  }
  await (await peek(source(), 2)).bytes.return?.();
  expect(isReleased).toBe(true);
});
