/**
 * Reads vitest's reports for `.ci/run`, in FOLDER: `tests.json` and `tests-unhandled.json`, and `again.json` and `again-unhandled.json` if files were run again.
 * `failed-files FOLDER` names the test files that failed, or ran while an error outside of any test was thrown; `summary FOLDER [STEP …]` prints what failed and the
 * last line, and exits with 1 if anything did. STEPs are the other steps that failed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const [command, folder, ...failedSteps] = process.argv.slice(2);
if (command === 'failed-files') {
  const first = readRun('tests');
  const files = [
    ...(first?.files.filter(({ status }) => status === 'failed').map(({ name }) => name) ?? []),
    ...(first?.unhandled.map(({ file }) => file) ?? []),
  ];
  for (const file of new Set(files)) if (file !== null) console.log(relative(process.cwd(), file));
} else {
  process.exitCode = summarize();
}

/** Null if vitest wrote no report. */
function readRun(name) {
  const read = (file) => (existsSync(join(folder, file)) ? JSON.parse(readFileSync(join(folder, file), 'utf8')) : null);
  const report = read(`${name}.json`);
  return report && { files: report.testResults, unhandled: read(`${name}-unhandled.json`) ?? [] };
}

/** Names of what failed in a file: its tests, or the file itself if it failed before or after them. */
function failuresOf({ name, status, message, assertionResults }) {
  if (status !== 'failed') return [];
  const file = relative(process.cwd(), name);
  const tests = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => `${file} > ${fullName}`);
  return tests.length > 0 ? tests : [`${file}: ${message.split('\n')[0]}`];
}

function showUnhandled({ error, file, test, frames }) {
  const ran = file === null ? '' : `, while ${relative(process.cwd(), file)}${test === null ? '' : ` > ${test}`} ran`;
  return [`outside of any test${ran}: ${error}`, ...frames.slice(0, 5).map((frame) => frame.replace(`${process.cwd()}/`, ''))].join('\n');
}

function summarize() {
  const first = readRun('tests');
  if (!first) {
    for (const step of failedSteps) console.log(`--- FAILED: ${step}`);
    console.log('0 passed, 1 failed, 0 skipped');
    return 1;
  }
  const second = readRun('again');
  const secondOf = (file) => second?.files.find(({ name }) => name === file);
  let passed = 0;
  let skipped = 0;
  const atFirst = [];
  const failures = [];
  for (const file of first.files) {
    const again = secondOf(file.name);
    if (again) atFirst.push(...failuresOf(file));
    const counted = again ?? file;
    failures.push(...failuresOf(counted));
    for (const { status } of counted.assertionResults) {
      if (status === 'passed') passed++;
      else if (status !== 'failed') skipped++;
    }
  }
  for (const error of first.unhandled) (secondOf(error.file) ? atFirst : failures).push(showUnhandled(error));
  failures.push(...(second?.unhandled.map(showUnhandled) ?? []), ...failedSteps);
  for (const failure of atFirst) console.log(`--- failed at first, and was run again alone: ${failure}`);
  for (const failure of failures) console.log(`--- FAILED: ${failure}`);
  console.log(`${passed} passed, ${failures.length} failed, ${skipped} skipped`);
  return failures.length > 0 ? 1 : 0;
}
