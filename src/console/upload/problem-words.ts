/** What is wrong with a value, with what the page of uploads offers instead of the API's options. */
export const inWords = (message: string): string =>
  message
    .replace('; for 01/31/1990 send date_format=mdy)', '; for 01/31/1990 choose “month, day, year” when you upload)')
    .replace(/, as date_format=\w+ says/, '');
