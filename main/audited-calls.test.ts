// The audit log has a label for the area of every audited call, and no writing call is missing.
import { expect, test } from 'vitest';
import { AREAS } from '#areas/audit/web/act-kinds.ts';
import { isAudited } from '#platform/server/audit.ts';
import { loadConfig } from '#platform/server/config.ts';
import { allRoutes } from './wiring.ts';

const auditedRoutes = allRoutes(loadConfig({ NODE_ENV: 'test' })).filter(({ call }) =>
  isAudited(call),
);

test('the audit log names exactly the areas that have audited calls', () => {
  expect([...new Set(auditedRoutes.map(({ area }) => area))].sort()).toEqual([...AREAS].sort());
});

test('calls other than GET are audited unless they only read or are excluded explicitly', () => {
  const writes = allRoutes(loadConfig({ NODE_ENV: 'test' })).filter(
    ({ call }) => call.caller === 'account' && call.method !== 'GET' && !isAudited(call),
  );
  const excludedCalls = writes.filter(({ call }) => call.audit !== 'none');
  expect(
    excludedCalls.map(({ area, name, call }) => [`${area}.${name}`, call.requiredRight]),
  ).toEqual(excludedCalls.map(({ area, name }) => [`${area}.${name}`, 'read']));
});
