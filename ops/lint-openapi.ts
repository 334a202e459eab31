/** Lints the answer of `/openapi.json` (`npm run lint:openapi`). Any problem fails, even a warning. */
import { createConfig, formatProblems, getTotals, lintFromString, logger, type NormalizedProblem } from '@redocly/openapi-core';
import { openApiDocument } from '../src/api/openapi/document.ts';
import { documentedOperations } from '../src/api/routes.ts';

const config = await createConfig({
  extends: ['recommended'],
  rules: {
    // The service is self-hosted and unlicensed (package.json).
    'info-license': 'off',
    'info-license-strict': 'off',
  },
});
/** Paths without input that could be wrong, so they have no 4xx. */
const WITHOUT_REFUSALS = ['/healthz', '/readyz', '/openapi.json', '/docs', '/llms.txt'];
const isExcepted = (problem: NormalizedProblem): boolean =>
  problem.ruleId === 'operation-4xx-response' &&
  WITHOUT_REFUSALS.some((path) => problem.location[0]?.pointer === `#/paths/${path.replaceAll('/', '~1')}/get/responses`);

const found = await lintFromString({
  source: JSON.stringify(await openApiDocument(documentedOperations()), null, 1),
  absoluteRef: 'openapi.json',
  config,
});
const problems = found.filter((problem) => !isExcepted(problem));
formatProblems(problems, { format: 'codeframe', totals: getTotals(problems), version: '' });
logger.info(`/openapi.json: ${problems.length} problems\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
