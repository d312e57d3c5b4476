// A scriptable SMTP server for tests: any reply, delay or disconnect at any command, STARTTLS,
// AUTH, with or without PIPELINING, slow reading. It stores every accepted message.
import { createServer, type Server, type Socket } from 'node:net';
import { ScriptedSession } from './smtp-session.ts';

export type ScriptVerb =
  | 'banner'
  | 'ehlo'
  | 'starttls'
  | 'auth'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'dot'
  | 'rset'
  | 'quit';

/**
 * One reply. A string is the text of the reply, with lines separated by LF: '550 5.1.1 No such
 * person'.
 */
export interface ScriptedReply {
  /** The default reply if undefined. With '' the server never replies. */
  readonly reply?: string;
  /** Milliseconds before the reply (and the disconnect). */
  readonly delayMs?: number;
  /** The server replies after this promise resolves. */
  readonly waitFor?: Promise<unknown>;
  /** Disconnects instead of the reply, or after it. */
  readonly hangUp?: 'instead' | 'behind';
  /** At the dot: whether the message is stored although the reply does not accept it. */
  readonly isStored?: boolean;
}

/** The state for choosing a reply. */
export interface ScriptMoment {
  readonly verb: ScriptVerb;
  /** The command as received; '' at banner and dot. */
  readonly line: string;
  /** From 1, in order of connection. */
  readonly connection: number;
  /** Number of times this command was received before, across all connections. */
  readonly previousCount: number;
  readonly from: string;
  readonly to: readonly string[];
  /** The message, at the dot. */
  readonly message: string;
}

type ScriptedEntry = string | ScriptedReply | undefined;
export type SmtpScript = Partial<
  Record<ScriptVerb, ScriptedEntry | ScriptedEntry[] | ((moment: ScriptMoment) => ScriptedEntry)>
>;

export interface ReceivedMessage {
  /** The Message-ID header without angle brackets; '' if the message has none. */
  readonly messageId: string;
  readonly from: string;
  readonly to: readonly string[];
  /** The message without dot stuffing. */
  readonly source: string;
  readonly connection: number;
  /** The parameters after MAIL FROM. */
  readonly parameters: string;
}

export interface TestSmtpServerOptions {
  /**
   * The script may be changed while the server runs: `server.script.rcpt = '450 …'`. A list is
   * consumed one reply at a time.
   */
  readonly script?: SmtpScript;
  readonly port?: number;
  /** Default true. */
  readonly pipelining?: boolean;
  /** BDAT (RFC 3030), scripted like the dot. Default false. */
  readonly chunking?: boolean;
  readonly tls?: 'none' | 'starttls' | 'implicit';
  /** A certificate that replaces the one for localhost and 127.0.0.1. */
  readonly certificate?: { readonly key: string; readonly cert: string };
  /** If set, AUTH is offered and required before MAIL. */
  readonly auth?: {
    readonly user: string;
    readonly password: string;
    readonly mechanisms?: string;
  };
  /** EHLO keywords that replace the default list SIZE, 8BITMIME and SMTPUTF8. */
  readonly extensions?: readonly string[];
  /**
   * After DATA, one byte is read per this many milliseconds; may differ by connection (0 reads
   * normally).
   */
  readonly slowReading?: number | ((connection: number) => number);
}

export interface TestSmtpServer {
  readonly port: number;
  /** smtp://127.0.0.1:port, smtps:// for implicit TLS. */
  readonly url: string;
  readonly script: SmtpScript;
  /** Messages that were accepted or stored, oldest first. */
  readonly accepted: ReceivedMessage[];
  /** Every command line, preceded by the number of its connection: '1 MAIL FROM:<a@b.c>'. */
  readonly commands: string[];
  readonly connections: { total: number; open: number; peak: number };
  /** Number of times each command was received. */
  countCommands(verb: ScriptVerb): number;
  /** Resolves once this many messages are accepted. */
  waitForMessages(count: number): Promise<void>;
  /** Ends every connection and stops listening; `listen` reopens the same port. */
  stop(): Promise<void>;
  listen(): Promise<void>;
  close(): Promise<void>;
}

export async function startSmtpServer(
  options: TestSmtpServerOptions = {},
): Promise<TestSmtpServer> {
  const server = new ScriptedServer(options);
  await server.listen();
  return server;
}

export class ScriptedServer implements TestSmtpServer {
  port: number;
  readonly script: SmtpScript;
  readonly accepted: ReceivedMessage[] = [];
  readonly commands: string[] = [];
  readonly connections = { total: 0, open: 0, peak: 0 };
  readonly options: TestSmtpServerOptions;
  private readonly counts = new Map<ScriptVerb, number>();
  private readonly sockets = new Set<Socket>();
  private listener: Server | undefined;
  private waiters: (() => void)[] = [];

  constructor(options: TestSmtpServerOptions) {
    this.options = options;
    this.script = { ...options.script };
    this.port = options.port ?? 0;
  }

  get url(): string {
    return `${this.options.tls === 'implicit' ? 'smtps' : 'smtp'}://127.0.0.1:${this.port}`;
  }

  countCommands(verb: ScriptVerb): number {
    return this.counts.get(verb) ?? 0;
  }

  async waitForMessages(count: number): Promise<void> {
    while (this.accepted.length < count) {
      await new Promise<void>((resolve) => this.waiters.push(resolve));
    }
  }

  async listen(): Promise<void> {
    const listener = createServer((socket) => this.onConnection(socket));
    this.listener = listener;
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(this.port, '127.0.0.1', resolve);
    });
    const address = listener.address();
    this.port = typeof address === 'object' && address ? address.port : this.port;
  }

  async stop(): Promise<void> {
    const { listener } = this;
    this.listener = undefined;
    for (const socket of this.sockets) {
      socket.destroy();
    }
    if (listener) {
      await new Promise<void>((resolve) => listener.close(() => resolve()));
    }
  }

  async close(): Promise<void> {
    await this.stop();
  }

  storeMessage(message: ReceivedMessage): void {
    this.accepted.push(message);
    for (const resolve of this.waiters.splice(0)) {
      resolve();
    }
  }

  /** Counts the command and returns the scripted reply in this state; empty if none is scripted. */
  chooseReply(moment: Omit<ScriptMoment, 'previousCount'>): ScriptedReply {
    const previousCount = this.countCommands(moment.verb);
    this.counts.set(moment.verb, previousCount + 1);
    const entry = this.script[moment.verb];
    const entryResult =
      typeof entry === 'function'
        ? entry({ ...moment, previousCount })
        : Array.isArray(entry)
          ? entry.shift()
          : entry;
    return typeof entryResult === 'string' ? { reply: entryResult } : (entryResult ?? {});
  }

  private onConnection(socket: Socket): void {
    this.sockets.add(socket);
    this.connections.total++;
    this.connections.open++;
    this.connections.peak = Math.max(this.connections.peak, this.connections.open);
    socket.on('close', () => {
      this.sockets.delete(socket);
      this.connections.open--;
    });
    new ScriptedSession(this, socket, this.connections.total);
  }
}
