/** What docker-compose.yml and the Dockerfile deny every container, and that no password is written in them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../src/foundation/package-root.ts';

interface Service {
  build?: string;
  image?: string;
  user?: string;
  privileged?: boolean;
  cap_add?: string[];
  cap_drop?: string[];
  network_mode?: string;
  pid?: string;
  ports?: string[];
  read_only?: boolean;
  security_opt?: string[];
  pids_limit?: number;
  volumes?: string[];
  environment?: Record<string, string | number>;
  command?: string[];
  secrets?: string[];
}

const read = (name: string): string => readFileSync(join(packageRoot(), name), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
};
const services = Object.entries(compose.services);
const dockerfile = read('Dockerfile')
  .replaceAll(/\\\n/g, '')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
/** Of the stage that is run: the last one. */
const finalStage = dockerfile.slice(dockerfile.findLastIndex((line) => line.startsWith('FROM ')));

describe.each(services)('%s', (_, service) => {
  test('has a read-only root file system, no capabilities, and gains no privileges', () => {
    expect(service.read_only).toBe(true);
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.security_opt).toEqual(['no-new-privileges:true']);
    expect(service.pids_limit).toBeGreaterThan(0);
    expect([service.privileged, service.cap_add, service.network_mode, service.pid]).toEqual([undefined, undefined, undefined, undefined]);
    expect(service.volumes?.join() ?? '').not.toContain('docker.sock');
  });

  test('does not run as root', () => {
    if (service.build === undefined) expect(service.user).toMatch(/^[a-z]+$/);
    // The image's own user.
    else expect(service.user).toBeUndefined();
    expect(service.user).not.toBe('root');
  });

  test('has its passwords and keys from files', () => {
    for (const [name, value] of Object.entries(service.environment ?? {})) {
      if (/_FILE$/.test(name)) expect(value, name).toMatch(/^\/run\/secrets\//);
      else expect(name).not.toMatch(/PASSWORD|SECRET|TOKEN|KEY|DATABASE_URL|REDIS_URL/);
      expect(String(value), name).not.toMatch(/:\/\/[^/]*:[^/]*@/);
    }
    expect((service.command ?? []).join(' ')).not.toMatch(/requirepass|--password/);
    for (const secret of service.secrets ?? []) expect(compose.secrets[secret]).toEqual({ file: `./secrets/${secret}` });
  });

  test('is published on the loopback address at most', () => {
    for (const port of service.ports ?? []) expect(port).toMatch(/^(\$\{\w+:-)?127\.0\.0\.1:/);
  });
});

test('each has only the secrets that it uses', () => {
  const shared = ['confam_index_key', 'confam_keys', 'database_url', 'redis_url'];
  const needed: Record<string, string[]> = {
    postgres: ['postgres_password'],
    valkey: ['valkey.conf'],
    migrate: ['database_owner_url', ...shared],
    api: ['metrics_token', ...shared],
    worker: shared,
    dispatcher: shared,
  };
  for (const [name, service] of services) {
    expect(service.secrets?.toSorted(), name).toEqual(needed[name]!.toSorted());
    // What a setting names is mounted. Valkey is told of its file by the command line.
    const named = Object.values(service.environment ?? {}).flatMap((value) => String(value).match(/(?<=^\/run\/secrets\/).+/) ?? []);
    if (name !== 'valkey') expect(named.toSorted(), name).toEqual(needed[name]!.toSorted());
  }
});

test('there are the services that the documentation names', () => {
  expect(services.map(([name]) => name).sort()).toEqual(['api', 'dispatcher', 'migrate', 'postgres', 'valkey', 'worker']);
});

test('the image runs as `node`, and holds no secret', () => {
  expect(finalStage.filter((line) => line.startsWith('USER '))).toEqual(['USER node']);
  // What follows it runs as that user; before it nothing of ours is run but the making of a folder.
  expect(finalStage.filter((line) => line.startsWith('RUN '))).toEqual(['RUN install -d -o node -g node -m 700 /data']);
  for (const line of dockerfile.filter((one) => /^(ENV|ARG) /.test(one)))
    expect(line).not.toMatch(/PASSWORD|SECRET|TOKEN|_KEY|DATABASE_URL/);
  expect(dockerfile.filter((line) => /^ADD |curl |wget /.test(line))).toEqual([]);
});
