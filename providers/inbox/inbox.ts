// Starts the built-in inbox: an SMTP server and the store that its page and API read.
import { join } from 'node:path';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import type { SmtpPort } from '../smtp-port.ts';
import { startInboxServer } from './smtp-server.ts';
import { InboxStore } from './store.ts';

const DEFAULT_INBOX_PORT = 1025;

export interface Inbox {
  /** The SMTP port on 127.0.0.1. */
  readonly port: number;
  /** The equivalent SMTP_URL: smtp://127.0.0.1:port?tls=none. */
  readonly url: string;
  readonly store: InboxStore;
  /** Stops listening, and stores the messages that have been received. */
  close(): Promise<void>;
}

interface InboxOptions {
  readonly dataDir: string;
  /** INBOX_SMTP_PORT. If unset, 1025 or, if that is in use, any free port, which is logged. */
  readonly port?: number | undefined;
  readonly log: {
    info(message: string, fields?: Record<string, unknown>): void;
    error(message: string, fields?: Record<string, unknown>): void;
  };
}

/** @throws CannotStart if a configured port is in use */
export async function startInbox({ dataDir, port, log }: InboxOptions): Promise<Inbox> {
  const store = new InboxStore(join(dataDir, 'inbox'));
  const openPort = (number: number) =>
    startInboxServer({
      port: number,
      store: (messages) => store.append(messages),
      onError: (error) => log.error('Inbox could not store messages', { error }),
    });
  const server = await openPreferred(openPort, port, log).catch((error: unknown) => {
    store.close();
    throw error;
  });
  return {
    port: server.port,
    url: `smtp://127.0.0.1:${server.port}?tls=none`,
    store,
    async close() {
      await server.close();
      store.close();
    },
  };
}

async function openPreferred(
  openPort: (port: number) => Promise<SmtpPort>,
  configuredPort: number | undefined,
  log: InboxOptions['log'],
): Promise<SmtpPort> {
  const preferredPort = configuredPort ?? DEFAULT_INBOX_PORT;
  try {
    return await openPort(preferredPort);
  } catch (error) {
    if (!isPortInUse(error)) {
      throw error;
    }
    if (configuredPort !== undefined) {
      throw new CannotStart(
        `INBOX_SMTP_PORT ${configuredPort} is in use or not permitted; choose another port.`,
      );
    }
    const server = await openPort(0);
    log.info(`Port ${preferredPort} is in use; the inbox listens on ${server.port} instead`);
    return server;
  }
}

function isPortInUse(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return code === 'EADDRINUSE' || code === 'EACCES';
}
