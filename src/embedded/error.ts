/** The one error of the embedded Postgres: plain sentences for the operator, who can act on them. Anything else thrown there is a bug. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';
}

/** Another Confam works on the folder. */
export class FolderInUse extends EmbeddedPostgresError {}
