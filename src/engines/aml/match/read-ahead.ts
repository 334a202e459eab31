/**
 * Facts that are visited in no order lie far apart in memory, and a loop that works on one after the other waits for each. Where many are needed, a loop
 * that only reads them runs first, so that the waits overlap. `sum` takes what it read: the compiler drops a loop whose result nobody uses.
 */
export const ahead = { sum: 0 };
