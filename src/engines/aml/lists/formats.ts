/** All list formats that Confam reads. */
import type { ListFormat } from '../list.ts';
import { canadaXmlFormat } from './canada-xml.ts';
import { euCsvFormat } from './eu-csv.ts';
import { euXmlFormat } from './eu-xml.ts';
import { popoloFormat } from './everypolitician.ts';
import { politiciansCsvFormat } from './everypolitician-csv.ts';
import { genericFormat } from './generic.ts';
import { interpolFormat } from './interpol.ts';
import { ofacCsvFormat } from './ofac-csv.ts';
import { ofacXmlFormat } from './ofac-xml.ts';
import { openSanctionsFormat } from './opensanctions.ts';
import { openSanctionsCsvFormat } from './opensanctions-csv.ts';
import { ukConlistFormat } from './uk-conlist.ts';
import { ukSanctionsCsvFormat, ukSanctionsXmlFormat } from './uk-sanctions-list.ts';
import { unXmlFormat } from './un-xml.ts';

/** The first format that recognizes a file reads it, so the least specific ones come last. */
export const formats: readonly ListFormat[] = [
  ofacXmlFormat,
  ofacCsvFormat,
  unXmlFormat,
  ukSanctionsXmlFormat,
  ukSanctionsCsvFormat,
  ukConlistFormat,
  euXmlFormat,
  euCsvFormat,
  canadaXmlFormat,
  openSanctionsFormat,
  openSanctionsCsvFormat,
  popoloFormat,
  politiciansCsvFormat,
  interpolFormat,
  genericFormat,
];
