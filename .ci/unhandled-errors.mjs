/**
 * A reporter for vitest that writes errors outside of any test, which its JSON report leaves out, to $UNHANDLED_ERRORS: a JSON array of `{ error, file, test, frames }`.
 * `file` and `test` (null if unknown) are what ran at that moment, which need not be the cause; `frames` are the stack's lines.
 */
import { writeFileSync } from 'node:fs';

export default class {
  onTestRunEnd(_files, errors) {
    const found = errors.map(({ name, message, stack = '', VITEST_TEST_PATH: file = null, VITEST_TEST_NAME: test = null }) => ({
      error: `${name}: ${message}`.split('\n')[0],
      file,
      test,
      frames: stack.split('\n').filter((line) => /^\s+at /.test(line)),
    }));
    writeFileSync(process.env.UNHANDLED_ERRORS, JSON.stringify(found));
  }
}
