// Chooses free and distinct ports for roles that start together.
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import type { Config } from '#platform/server/config.ts';
import { print } from '#platform/server/log.ts';
import { findFreePort } from './prepare.ts';
import type { Role } from './role.ts';

const INBOX_PORT = 1025;

/**
 * The web port must be free, as must INBOX_SMTP_PORT if it is set. If it is not set, the inbox
 * takes port 1025 or, if that is in use, any free port.
 */
export async function assignPorts(config: Config, names: Role[]): Promise<NodeJS.ProcessEnv> {
  const ports: NodeJS.ProcessEnv = {};
  if (names.includes('web')) {
    const port = await findFreePort(config.port, config.host);
    if (port === undefined) {
      throw new CannotStart(
        `Port ${config.port} of ${config.host} is in use: stop the process that uses it, or set PORT to another port.`,
      );
    }
    ports.PORT = String(port);
  }
  if (!config.smtpUrl && !config.isProduction) {
    const preferredPort = config.inboxSmtpPort ?? INBOX_PORT;
    const port = await findFreePort(preferredPort, '127.0.0.1');
    if (port === undefined && config.inboxSmtpPort !== undefined) {
      throw new CannotStart(`The port in INBOX_SMTP_PORT (${preferredPort}) is in use.`);
    }
    if (port === undefined) print(`Port ${preferredPort} is in use; the inbox uses another port.`);
    ports.INBOX_SMTP_PORT = String(port ?? (await findFreePort(0, '127.0.0.1')));
  }
  await checkMonitorPorts(config, names, ports);
  return ports;
}

/** The first role gets METRICS_PORT, each further role the next port. */
export function monitorPort(
  { metrics }: Config,
  names: readonly Role[],
  role: Role,
): { METRICS_PORT?: string } {
  if (!metrics || metrics.port === 0) return {};
  return { METRICS_PORT: String(metrics.port + names.indexOf(role)) };
}

async function checkMonitorPorts(
  config: Config,
  names: readonly Role[],
  otherEnv: NodeJS.ProcessEnv,
): Promise<void> {
  const host = config.metrics?.host ?? '';
  for (const role of names) {
    const { METRICS_PORT: text } = monitorPort(config, names, role);
    if (text === undefined) continue;
    const isOurs = Object.values(otherEnv).includes(text);
    if (Number(text) <= 65_535 && !isOurs && (await findFreePort(Number(text), host))) continue;
    throw new CannotStart(
      `METRICS_PORT gives the ${role} port ${text} of ${host}, which is ` +
        `${Number(text) > 65_535 ? 'not a port' : 'in use'}: set METRICS_PORT to another port.`,
    );
  }
}
