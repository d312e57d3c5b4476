// Starts the built-in inbox: an SMTP server and the store that its page and API read.
import { join } from 'node:path';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import { InboxSmtpServer } from './smtp-server.ts';
import { InboxStore } from './store.ts';

const DEFAULT_INBOX_PORT = 1025;

export interface Inbox {
  /** The SMTP port on 127.0.0.1. */
  readonly port: number;
  /** The equivalent SMTP_URL: smtp://127.0.0.1:port?tls=none. */
  readonly url: string;
  readonly store: InboxStore;
  /** Answers received messages, then stops listening. */
  close(): Promise<void>;
}

interface InboxOptions {
  readonly dataDir: string;
  /** INBOX_SMTP_PORT. Without it 1025 or, if that is in use, any free port, which is logged. */
  readonly port?: number | undefined;
  readonly log: {
    info(message: string, fields?: Record<string, unknown>): void;
    error(message: string, fields?: Record<string, unknown>): void;
  };
}

/** @throws CannotStart where a configured port is in use */
export async function startInbox({ dataDir, port, log }: InboxOptions): Promise<Inbox> {
  const store = new InboxStore(join(dataDir, 'inbox'));
  const server = new InboxSmtpServer(
    (messages) => store.append(messages),
    (error) => log.error('Inbox could not store messages', { error }),
  );
  const listening = await listen(server, port, log).catch((error: unknown) => {
    store.close();
    throw error;
  });
  return {
    port: listening,
    url: `smtp://127.0.0.1:${listening}?tls=none`,
    store,
    async close() {
      await server.close();
      store.close();
    },
  };
}

async function listen(
  server: InboxSmtpServer,
  named: number | undefined,
  log: InboxOptions['log'],
): Promise<number> {
  const preferredPort = named ?? DEFAULT_INBOX_PORT;
  try {
    return await server.listen(preferredPort);
  } catch (error) {
    if (!isPortInUse(error)) {
      throw error;
    }
    if (named !== undefined) {
      throw new CannotStart(
        `INBOX_SMTP_PORT ${named} is in use or not permitted; choose another port.`,
      );
    }
    const port = await server.listen(0);
    log.info(`Port ${preferredPort} is in use; the inbox listens on ${port} instead`);
    return port;
  }
}

function isPortInUse(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return code === 'EADDRINUSE' || code === 'EACCES';
}
