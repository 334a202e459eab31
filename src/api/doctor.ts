/** The state of the running service for administrators: settings, stores, lists, vendors. */
import type { z } from 'zod';
import { findingAnswer } from '../contract/doctor.ts';
import { examineRunning } from '../doctor/running.ts';
import { envelope } from './http.ts';
import { answer } from './openapi/operation.ts';
import { listOf, schemaOf } from './openapi/schema.ts';
import { route } from './route.ts';

export const doctorRoutes = [
  route({
    tag: 'operator',
    who: 'admin',
    method: 'get',
    path: '/api/v1/admin/doctor',
    id: 'examine',
    audit: { none: 'shows nobody' },
    summary: 'The state of the service, as it sees it: settings, processes, stores, watch lists, vendors',
    description:
      'Covers the process that answers, and what all processes share. `confam doctor` on the machine also looks at migrations, the port and the face models.',
    answers: { 200: answer('In a fixed order', listOf(schemaOf(findingAnswer, 'output'))) },
    async handle(c, { service }) {
      const data = (await examineRunning(service)).map((finding): z.infer<typeof findingAnswer> => ({ object: 'finding', ...finding }));
      return envelope(c, { object: 'list', data });
    },
  }),
];
