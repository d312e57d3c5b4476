// The inbox's SMTP server: loopback, no authentication, PIPELINING, built for about ten thousand
// messages per second (measured in bench/inbox.ts). It answers 250 to a dot only once the message
// is on disk; all messages of one turn of the event loop are stored together.
import { createServer, type Server } from 'node:net';
import type { Incoming } from './segment.ts';
import { Session } from './smtp-session.ts';

/** Stores messages; throws where that fails. */
export type StoreMessages = (messages: readonly Incoming[]) => void;

export class InboxSmtpServer {
  private readonly server: Server;
  private readonly keep: StoreMessages;
  private readonly onTrouble: (error: unknown) => void;
  private readonly sessions = new Set<Session>();
  private arrived: {
    readonly message: Incoming;
    readonly session: Session;
    readonly place: number;
  }[] = [];

  constructor(store: StoreMessages, onTrouble: (error: unknown) => void) {
    this.keep = store;
    this.onTrouble = onTrouble;
    this.server = createServer({ noDelay: true }, (socket) => {
      const session = new Session(socket, this);
      this.sessions.add(session);
      socket.on('close', () => this.sessions.delete(session));
    });
  }

  /** Listens on loopback; 0 takes any free port. Returns the port. */
  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, '127.0.0.1', () => {
        this.server.off('error', reject);
        resolve();
      });
    });
    const address = this.server.address();
    return typeof address === 'object' && address ? address.port : port;
  }

  async close(): Promise<void> {
    this.flush();
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const session of this.sessions) {
      session.end();
    }
    await closed;
  }

  /** Queues a message for storing; the session is notified through `kept`. */
  take(message: Incoming, session: Session, place: number): void {
    this.arrived.push({ message, session, place });
    if (this.arrived.length === 1) {
      setImmediate(() => this.flush());
    }
  }

  private flush(): void {
    const batch = this.arrived;
    this.arrived = [];
    if (batch.length === 0) {
      return;
    }
    let answer = '250 2.0.0 Ok: in the inbox\r\n';
    try {
      this.keep(batch.map(({ message }) => message));
    } catch (error) {
      answer = '452 4.3.1 The inbox could not write to its disk\r\n';
      this.onTrouble(error);
    }
    for (const { session, place } of batch) {
      session.kept(place, answer);
    }
  }
}
