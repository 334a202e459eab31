/** Screens a person or an organization against an index. */
import type { Matcher } from '../screening.ts';
import type { ScreeningIndex } from './index.ts';
import { openOrganizationMatcher } from './screen-organizations.ts';
import { openPersonMatcher } from './screen-persons.ts';

/** Changes whenever the same input may get a different score. */
export const ENGINE_VERSION = 'confam-aml-15';

/** A request without a type is mostly about a person, so an organization's name must agree closely: many are named after people. */
const UNTYPED_MIN = 0.9;

/** One for each thread; the index may be shared. */
export function openMatcher({ persons, organizations }: ScreeningIndex): Matcher {
  const person = openPersonMatcher(persons);
  const organization = openOrganizationMatcher(organizations);
  return {
    screen(subject, options) {
      if (subject.type === 'person') return person.screen(subject, options);
      if (subject.type === 'organization') return organization.screen(subject, options);
      const persons = person.screen(subject, options);
      if (!organization.hasWordsOf(subject.name)) return persons;
      const threshold = Math.max(options.threshold, UNTYPED_MIN);
      const found = [...persons, ...organization.screen(subject, { ...options, threshold })];
      return found.sort((a, b) => b.score - a.score);
    },
  };
}
