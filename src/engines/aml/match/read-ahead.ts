/**
 * Reading facts in random order means waiting for memory, and a loop that also works on each fact waits for one at a time. So a loop that only reads them
 * runs first, and its waits overlap. It stores what it read in `sum`, because the compiler removes a loop whose result is unused.
 */
export const ahead = { sum: 0 };
