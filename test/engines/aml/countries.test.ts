import { describe, expect, it } from 'vitest';
import { countryCode } from '../../../src/engines/aml/countries.ts';

describe('country names', () => {
  it.each([
    ['ng', 'NG'],
    ['NGA', 'NG'],
    [' Nigeria ', 'NG'],
    ['NIGERIA', 'NG'],
    ['XK', 'XK'],
    ['Kosovo', 'XK'],
    ['Congo', 'CG'],
    ['Congo, Democratic Republic of the', 'CD'],
    ['Congo (Democratic Republic)', 'CD'],
    ['Democratic Republic of the Congo', 'CD'],
    ['Korea, North', 'KP'],
    ["Democratic People's Republic of Korea", 'KP'],
    ['DPRK', 'KP'],
    ['Korea, South', 'KR'],
    ['Republic of Korea', 'KR'],
    ['Iran (Islamic Republic of)', 'IR'],
    ['Syria', 'SY'],
    ['Syrian Arab Republic', 'SY'],
    ['The Gambia', 'GM'],
    ['Türkiye', 'TR'],
    ['Turkey', 'TR'],
    ["CÔTE D'IVOIRE", 'CI'],
    ['Guinea Bissau', 'GW'],
    ['North Macedonia, The Republic of', 'MK'],
    ['TANZANIA, UNITED REPUBLIC OF', 'TZ'],
    ['State of Palestine', 'PS'],
    ['possibly Palestinian', 'PS'],
    ['Region: Gaza', 'PS'],
    ['UK', 'GB'],
    ['USA', 'US'],
    ['Burma', 'MM'],
    ['Venezuela (Bolivarian Republic of)', 'VE'],
    ['Russian Federation', 'RU'],
  ])('%s is %s', (name, code) => {
    expect(countryCode(name)).toBe(code);
  });

  it.each(['', 'XX', 'ZZZ', '00', 'former Soviet Union', 'Atlantis', '()', ','])('%s is no country', (name) => {
    expect(countryCode(name)).toBeNull();
  });
});
