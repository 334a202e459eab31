/** An app's settings as an administrator reads them. */
import { expect, test } from 'vitest';
import { settingLines, settingWords } from '../../src/console/operator/settings-words.ts';
import { appPatch } from '../../src/contract/apps.ts';

test('every setting that an app may have is shown in words', () => {
  expect(Object.keys(settingWords).toSorted()).toEqual(Object.keys(appPatch.shape.settings.shape).toSorted());
});

test('amounts are in naira, days are counted, and a setting of a later release keeps its name', () => {
  expect(
    settingLines({
      keepImagesDays: 3,
      approveStartAboveKobo: 1_000_000_000,
      dailyCap: 5_000_000,
      approveExport: true,
      missesPerApp: 0,
      reviews: { liveness: true, amlLevel: 'HIGH', face: false, twoPerson: true },
      retention: { live: { invalid_rows: 60 }, test: { batches: 1 } },
      nextYearsSetting: { a: 1 },
    }),
  ).toEqual([
    ['Daily cap', '₦5,000,000.00'],
    ['A second person approves the start of a batch above', '₦10,000,000.00'],
    ['A second person approves downloads', 'Yes'],
    ['Review cases are opened for', 'selfies that may not be live, screenings with a hit from high risk up; two people decide each'],
    ['Misses an hour of the app', 'No limit'],
    ['Data is kept for', 'invalid rows 60 days in live mode, batches 1 day in test mode'],
    ['Pictures of answered face checks are kept for', '3 days'],
    ['next years setting', '{"a":1}'],
  ]);
});
