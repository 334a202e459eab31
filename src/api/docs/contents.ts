/** The pages of the documentation in the order in which the site lists them: names below `/docs/`. A page that is not named here comes last, under "More". */
export interface Group {
  title: string;
  pages: readonly string[];
}

export const contents: readonly Group[] = [
  { title: 'Begin', pages: ['readme', 'console', 'cli', 'clients', 'sandbox'] },
  {
    title: 'Guides',
    pages: [
      'guides/customer-file',
      'guides/receive-webhooks',
      'guides/moving',
      'guides/screening-policy',
      'guides/going-live',
      'guides/production',
      'guides/persons-request',
    ],
  },
  {
    title: 'Use the API',
    pages: ['api', 'checks', 'uploads', 'batches', 'webhooks', 'money', 'reviews', 'errors', 'previews', 'compatibility', 'mcp'],
  },
  {
    title: 'How it judges',
    pages: ['aml', 'aml-accuracy', 'lists', 'biometrics', 'biometrics-accuracy', 'email', 'deliverability', 'breaches', 'credit'],
  },
  { title: 'Access and privacy', pages: ['people', 'approvals', 'audit', 'privacy', 'security', 'data-levels', 'security-asvs'] },
  {
    title: 'Operate',
    pages: [
      'deploy',
      'configuration',
      'operations',
      'scaling',
      'providers',
      'vendors/prembly',
      'vendors/smile_id',
      'vendors/youverify',
      'live-vendors',
      'upstream-sim',
    ],
  },
  { title: 'Develop', pages: ['architecture', 'contributing', 'dependencies', 'benchmarks', 'changelog'] },
];
