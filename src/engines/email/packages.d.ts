/** Types for packages that ship none, as far as we use them. */
declare module 'role-based-email-addresses' {
  const localParts: readonly string[];
  export default localParts;
}

declare module 'unicode-confusables' {
  const unicodeConfusables: {
    /** Replaces each character by the one that it looks like. The result is not in lower case. */
    rectifyConfusion(text: string): string;
  };
  export default unicodeConfusables;
}
