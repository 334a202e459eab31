/** The operations of all resources. Separate from the document, whose single-call examples load half of the sandbox. */
import { amlOperations } from './aml.ts';
import { moneyOperations } from './money.ts';
import type { Operation } from './operation.ts';
import { operatorOperations } from './operator.ts';
import { sandboxOperations } from './sandbox.ts';
import { webhookOperations } from './webhooks.ts';
import { workOperations } from './work.ts';

/** Every operation except the single calls. */
export const resourceOperations: readonly Operation[] = [
  ...amlOperations,
  ...sandboxOperations,
  ...workOperations,
  ...moneyOperations,
  ...webhookOperations,
  ...operatorOperations,
];
