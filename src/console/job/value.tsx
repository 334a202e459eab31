/** A value of a record as it is shown. */
import { Time } from '../parts/common.tsx';
import { pictureUrl } from '../parts/picture.ts';
import { riskWords } from '../words.ts';
import { written } from './agreement.ts';
import { fieldName } from './field-name.ts';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

export const isPlain = (value: unknown): value is string | number | boolean | null =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** Risk levels are the service's own words; what a registry says stays as it is written there. */
export function Value({ of, name }: { of: unknown; name: string }) {
  const picture = pictureUrl(of);
  if (picture !== null) return <img class="thumb" src={picture} alt={fieldName(name)} />;
  return typeof of === 'string' && INSTANT.test(of) ? (
    <Time at={of} />
  ) : (
    <bdi>{(name === 'risk_level' && riskWords[of as keyof typeof riskWords]) || written(of)}</bdi>
  );
}
