/** Names of the families of checks, kept here because settings refer to them. The checks themselves are in `src/checks/`. */
export const FAMILIES = ['nin', 'bvn', 'cac', 'tin', 'credit', 'document', 'face', 'aml', 'email'] as const;
