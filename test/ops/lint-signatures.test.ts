/** What the check of signatures makes of npm's answers: only a wrong or missing signature fails it. */
import { expect, it } from 'vitest';
import { verdictOf } from '../../ops/lint-signatures.ts';

it('passes when all are verified', () => {
  const output = 'audited 640 packages in 5s\n\n640 packages have verified registry signatures\n';
  expect(verdictOf({ code: 0, output })).toEqual({ failed: false, line: '640 packages have verified registry signatures' });
});

it.each([
  ['wrong', '1 package has an invalid registry signature:\n\nhono@4.13.19 (https://registry.npmjs.org/)\n'],
  ['missing', '2 packages have missing registry signatures but the registry is providing signing keys:\n'],
  ['of a build that was not ours to trust', '1 package has an invalid attestation:\n'],
])('fails for a signature that is %s', (_, output) => {
  expect(verdictOf({ code: 1, output })).toEqual({ failed: true, line: output.trim() });
});

it.each([
  ['does not answer', 1, 'npm error code ENOTFOUND\nnpm error network request failed\n', 'not checked: network request failed'],
  [
    'signs nothing',
    1,
    'npm error found no dependencies to audit that were installed from a supported registry\n',
    expect.stringMatching(/^not checked: found no/),
  ],
  ['answers too slowly', null, 'audited 12 packages', 'not checked: the registry took too long'],
])('passes, and says so, where the registry %s', (_, code, output, line) => {
  expect(verdictOf({ code, output })).toEqual({ failed: false, line });
});
