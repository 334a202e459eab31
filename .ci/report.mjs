/**
 * Reads vitest's reports for `.ci/run`. `failed-files REPORT` names the test files that failed. `summary FOLDER [STEP …]` prints what failed and the last line, and
 * exits with 1 if anything did: FOLDER has `tests.json` and, if files were run again, `again.json`; STEPs are the other steps that failed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const [command, at, ...failedSteps] = process.argv.slice(2);
if (command === 'failed-files') {
  for (const { name } of failedFiles(at)) console.log(relative(process.cwd(), name));
} else {
  process.exitCode = summarise(at, failedSteps);
}

/** Null if vitest wrote none. */
function read(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
}

function failedFiles(path) {
  return read(path)?.testResults.filter(({ status }) => status === 'failed') ?? [];
}

/** Names of what failed in a file: its tests, or the file itself if it failed before or after them. */
function failuresOf({ name, message, assertionResults }) {
  const file = relative(process.cwd(), name);
  const tests = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => `${file} > ${fullName}`);
  return tests.length > 0 ? tests : [`${file}: ${message.split('\n')[0]}`];
}

function summarise(folder, steps) {
  const tests = read(join(folder, 'tests.json'));
  const again = read(join(folder, 'again.json'));
  if (!tests) {
    for (const step of steps) console.log(`--- FAILED: ${step}`);
    console.log('0 passed, 1 failed, 0 skipped');
    return 1;
  }
  let passed = 0;
  let skipped = 0;
  const failures = [];
  for (const first of tests.testResults) {
    const second = again?.testResults.find(({ name }) => name === first.name);
    for (const failure of second ? failuresIn(first) : []) console.log(`--- failed at first, and was run again alone: ${failure}`);
    const counted = second ?? first;
    failures.push(...failuresIn(counted));
    for (const { status } of counted.assertionResults) {
      if (status === 'passed') passed++;
      else if (status !== 'failed') skipped++;
    }
  }
  for (const failure of [...failures, ...steps]) console.log(`--- FAILED: ${failure}`);
  const failed = failures.length + steps.length;
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed > 0 ? 1 : 0;
}

function failuresIn(file) {
  return file.status === 'failed' ? failuresOf(file) : [];
}
