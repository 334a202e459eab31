/** The entries of an index: list, category, gender, births, countries, and what an answer shows of them. */
import { DAY_MS } from '../../../foundation/time.ts';
import { categories } from '../list.ts';
import type { Listing } from '../screening.ts';
import { type EntryDetail, genders, type ListIndex } from './index.ts';
import { bytes, ints, shorts, Texts } from './numbers.ts';

export const countryNumber = (code: string): number => code.charCodeAt(0) * 256 + code.charCodeAt(1);

export class Entries {
  private readonly list = bytes();
  private readonly category = bytes();
  private readonly gender = bytes();
  private readonly birthStart = ints();
  private readonly birthFrom = ints();
  private readonly birthTo = ints();
  private readonly birthCirca = bytes();
  private readonly countryStart = ints();
  private readonly countries = shorts();
  private readonly details = new Texts();
  private readonly detailStart = ints();

  get count(): number {
    return this.list.length;
  }

  /** Returns the number of the entry. */
  add(listNumber: number, { digest, entry }: Listing): number {
    const number = this.count;
    this.list.push(listNumber);
    this.category.push(categories.indexOf(entry.category));
    this.gender.push(genders.indexOf(entry.gender));
    this.birthStart.push(this.birthFrom.length);
    for (const { from, to, circa } of entry.births) {
      this.birthFrom.push(Date.parse(from) / DAY_MS);
      this.birthTo.push(Date.parse(to) / DAY_MS);
      this.birthCirca.push(circa ? 1 : 0);
    }
    this.countryStart.push(this.countries.length);
    for (const country of entry.countries) this.countries.push(countryNumber(country));
    this.detailStart.push(this.details.length);
    const detail: EntryDetail = {
      id: entry.sourceId,
      digest,
      name: entry.names[0]!.text,
      programs: entry.programs,
      listedOn: entry.listedOn,
      endedOn: entry.endedOn,
      url: entry.url,
    };
    this.details.append(JSON.stringify(detail));
    return number;
  }

  /** Called once, after the last entry. */
  end(): void {
    this.birthStart.push(this.birthFrom.length);
    this.countryStart.push(this.countries.length);
    this.detailStart.push(this.details.length);
  }

  shared() {
    return {
      entryList: this.list.shared(),
      entryCategory: this.category.shared(),
      entryGender: this.gender.shared(),
      birthStart: this.birthStart.shared(),
      birthFrom: this.birthFrom.shared(),
      birthTo: this.birthTo.shared(),
      birthCirca: this.birthCirca.shared(),
      countryStart: this.countryStart.shared(),
      countries: this.countries.shared(),
      detailBytes: this.details.shared(),
      detailStart: this.detailStart.shared(),
    } satisfies Partial<ListIndex>;
  }
}
