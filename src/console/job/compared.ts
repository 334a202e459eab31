/** Values that a check has compared with a record. */

/** What a check says of a value that it has compared with the record. `value` is the one that was submitted. */
export interface Compared {
  value: string | null;
  status: boolean;
  /** Of names: how much they are alike, from 0 to 100. */
  confidence_value?: number;
}

export const isCompared = (member: unknown): member is Compared =>
  typeof member === 'object' && member !== null && 'value' in member && 'status' in member && typeof member.status === 'boolean';
