// Each role serves monitoring on its own port.
import { expect, test } from 'vitest';
import { loadConfig } from '#platform/server/config.ts';
import { monitorPort } from './ports.ts';
import { ROLES, type Role } from './role.ts';

const portsOf = (METRICS_PORT: string | undefined, names: readonly Role[]) =>
  names.map((role) => monitorPort(loadConfig({ METRICS_PORT }), names, role).METRICS_PORT);

test.each([
  ['9464', ROLES, ['9464', '9465', '9466']],
  ['9464', ['sender', 'worker'], ['9464', '9465']],
  ['9464', ['sender', 'web'], ['9464', '9465']],
  ['9464', ['web'], ['9464']],
  // With METRICS_PORT=0 each role takes a free port.
  ['0', ROLES, [undefined, undefined, undefined]],
  [undefined, ROLES, [undefined, undefined, undefined]],
] as [string | undefined, readonly Role[], (string | undefined)[]][])(
  'with METRICS_PORT %s, the roles %s serve monitoring on the ports %s',
  (port, names, ports) => {
    expect(portsOf(port, names)).toEqual(ports);
  },
);
