/** All readable list formats. */
import type { ListFormat } from '../list.ts';
import { canadaXmlFormat } from './canada_xml.ts';
import { euCsvFormat } from './eu_csv.ts';
import { euXmlFormat } from './eu_xml.ts';
import { popoloFormat } from './everypolitician.ts';
import { politiciansCsvFormat } from './everypolitician_csv.ts';
import { genericFormat } from './generic.ts';
import { interpolFormat } from './interpol.ts';
import { ofacCsvFormat } from './ofac_csv.ts';
import { ofacXmlFormat } from './ofac_xml.ts';
import { openSanctionsFormat } from './opensanctions.ts';
import { openSanctionsCsvFormat } from './opensanctions_csv.ts';
import { ukConlistFormat } from './uk_conlist.ts';
import { ukSanctionsCsvFormat, ukSanctionsXmlFormat } from './uk_sanctions_list.ts';
import { unXmlFormat } from './un_xml.ts';

/** The first format that recognises a file reads it, so the least specific ones come last. */
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
