/** The families of the checks, for settings that name them. What belongs to each is in `src/checks/`. */
export const FAMILIES = ['nin', 'bvn', 'cac', 'tin', 'credit', 'document', 'face', 'aml', 'email'] as const;
