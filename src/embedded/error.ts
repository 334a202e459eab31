/** The only error of the embedded Postgres: plain sentences that the operator can act on. Anything else thrown there is a bug. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';
}

/** Another Confam is using the folder. */
export class FolderInUse extends EmbeddedPostgresError {}
