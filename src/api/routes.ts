/** All routes, in the order of the OpenAPI document. */
import { adminRoutes } from './admin.ts';
import { adminKeyRoutes } from './admin-keys.ts';
import { amlRoutes } from './aml.ts';
import { adminApprovalRoutes, approvalRoutes } from './approvals.ts';
import { auditRoutes } from './audit.ts';
import { controlRoutes } from './batch-control.ts';
import { progressRoutes } from './batch-progress.ts';
import { uploadRoutes } from './batches.ts';
import { catalogueRoutes } from './catalogue.ts';
import { checkRoutes } from './checks.ts';
import { compatibilityRoutes } from './compatibility.ts';
import { consentRoutes } from './consents.ts';
import { queueRoutes } from './console/queue-routes.ts';
import { consoleRoutes } from './console/routes.ts';
import { deletionRoutes } from './deletion.ts';
import { docsRoutes } from './docs/routes.ts';
import { doctorRoutes } from './doctor.ts';
import { followRoutes } from './follow-events.ts';
import { jobRoutes } from './jobs.ts';
import { keyRoutes } from './keys.ts';
import { linkRoutes } from './links.ts';
import { listRoutes } from './lists.ts';
import { mappingRoutes } from './mappings.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { offboardingRoutes } from './offboarding.ts';
import type { Operation } from './openapi/operation.ts';
import { operationRoutes } from './operations.ts';
import { overviewRoutes } from './overview.ts';
import { adminPeopleRoutes, peopleRoutes } from './people.ts';
import { portraitRoutes } from './portraits.ts';
import { agreementRoutes, priceRoutes } from './prices.ts';
import { providerRoutes } from './providers.ts';
import { requestRoutes } from './requests.ts';
import { resultRoutes } from './results.ts';
import { retentionRoutes } from './retention.ts';
import { revealRoutes } from './reveal.ts';
import { reviewRoutes } from './reviews.ts';
import type { Route } from './route.ts';
import { oidcRoutes, sessionRoutes } from './session.ts';
import { settingsRoutes } from './settings.ts';
import { signInSettingsRoutes } from './sign-in-settings.ts';
import { subjectExportRoutes } from './subject-exports.ts';
import { subjectHoldRoutes } from './subject-holds.ts';
import { subjectRoutes } from './subjects.ts';
import { usageRoutes } from './usage.ts';
import { walletRoutes } from './wallet.ts';
import { webhookRoutes } from './webhooks.ts';

export const routes: readonly Route[] = [
  ...catalogueRoutes,
  ...checkRoutes,
  ...amlRoutes,
  ...portraitRoutes,
  ...jobRoutes,
  ...revealRoutes,
  ...uploadRoutes,
  ...mappingRoutes,
  ...progressRoutes,
  ...controlRoutes,
  ...deletionRoutes,
  ...resultRoutes,
  ...linkRoutes,
  ...approvalRoutes,
  ...walletRoutes,
  ...usageRoutes,
  ...requestRoutes,
  ...overviewRoutes,
  ...priceRoutes,
  ...reviewRoutes,
  ...webhookRoutes,
  ...followRoutes,
  ...sessionRoutes,
  ...oidcRoutes,
  ...signInSettingsRoutes,
  ...peopleRoutes,
  ...settingsRoutes,
  ...retentionRoutes,
  ...subjectRoutes,
  ...subjectExportRoutes,
  ...subjectHoldRoutes,
  ...consentRoutes,
  ...keyRoutes,
  ...adminRoutes,
  ...offboardingRoutes,
  ...adminKeyRoutes,
  ...adminPeopleRoutes,
  ...adminApprovalRoutes,
  ...agreementRoutes,
  ...auditRoutes,
  ...providerRoutes,
  ...doctorRoutes,
  ...listRoutes,
  ...operationRoutes,
  ...docsRoutes,
  ...mcpRoutes,
  ...queueRoutes,
  ...consoleRoutes,
  ...compatibilityRoutes,
];

export const documentedOperations = (): Operation[] => routes.flatMap(({ operation }) => (operation ? [operation()] : []));
