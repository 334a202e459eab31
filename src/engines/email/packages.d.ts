/** What packages without types of their own export, as far as it is used here. */
declare module 'role-based-email-addresses' {
  const localParts: readonly string[];
  export default localParts;
}

declare module 'unicode-confusables' {
  const unicodeConfusables: {
    /** Each character as the one that it is drawn like; not in lower case. */
    rectifyConfusion(text: string): string;
  };
  export default unicodeConfusables;
}
