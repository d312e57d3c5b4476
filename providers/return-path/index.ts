// The SMTP server of the return path: accepts only email for the addresses of its handlers. It
// relays nothing, has no authentication, and replies 250 at the end of a message only once its
// effects are committed.
import type { Socket } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { openSmtpPort, readMessage, createSmtpRefusal, type SmtpPort } from '../smtp-port.ts';

/** An email as the server received it, with the recipients of one handler. */
export type ReceivedEmail = { from: string; to: readonly string[]; bytes: Buffer };

/** A handler of received email, selected by addresses. */
export type EmailHandler = {
  /** Whether the address belongs to this handler. */
  accepts(address: string): boolean;
  /** Throws if the message cannot be stored now, so that the sending server retries. */
  handle(email: ReceivedEmail): Promise<unknown>;
  /** Maximum bytes of an email that are passed to the handler. */
  maxBytes: number;
  /**
   * If set, the handler needs the whole email: a larger email is refused, and at most this many
   * emails are in memory at the same time. If unset, the handler gets the beginning of a larger
   * email.
   */
  maxInMemory?: number;
};

export type ReturnPathOptions = {
  host: string;
  /** 0 takes any free port. */
  port: number;
  handlers: readonly EmailHandler[];
  onError(error: unknown): void;
  /** Maximum duration of one connection, active or not. */
  maxDurationMs?: number;
};

const MAX_EMAIL_BYTES = 32 * 1024 * 1024;
const MAX_CLIENTS = 50;
const MAX_CLIENTS_PER_NETWORK = 10;
const MAX_RECIPIENTS = 50;
const IDLE_MS = 60_000;
/**
 * Long enough for the largest message over a slow line. Closes connections that only hold a slot.
 */
const MAX_DURATION_MS = 10 * 60_000;
const CLOSE_MS = 5_000;

export async function startReturnPath(options: ReturnPathOptions): Promise<SmtpPort> {
  const slots = new Map<EmailHandler, number>();
  const server = new SMTPServer({
    banner: 'Sendloom return path',
    disabledCommands: ['AUTH', 'STARTTLS'],
    authOptional: true,
    logger: false,
    size: MAX_EMAIL_BYTES,
    rejectOversized: true,
    maxClients: MAX_CLIENTS,
    socketTimeout: IDLE_MS,
    closeTimeout: CLOSE_MS,
    disableReverseLookup: true,
    onRcptTo({ address }, session, done) {
      const { rcptTo } = session.envelope;
      if (rcptTo.length >= MAX_RECIPIENTS)
        done(createSmtpRefusal(452, '4.5.3 Too many recipients'));
      else if (!handlerOf(options, address))
        done(createSmtpRefusal(550, '5.1.1 No such address here'));
      else done();
    },
    async onData(stream, session, done) {
      const error = await receiveEmail(stream, session, options, slots).catch((reason: unknown) => {
        if (isRefusal(reason)) return reason;
        options.onError(reason);
        return createSmtpRefusal(451, '4.3.0 Temporary error, please try again');
      });
      done(error, '2.0.0 Accepted');
    },
  });
  const smtpPort = await openSmtpPort(server, options, MAX_CLIENTS_PER_NETWORK);
  server.server.on('connection', (socket: Socket) =>
    limitDuration(socket, options.maxDurationMs ?? MAX_DURATION_MS),
  );
  return smtpPort;
}

/**
 * Closes a connection after its maximum duration. The client sends an interrupted message again,
 * which takes effect only once.
 */
function limitDuration(socket: Socket, maxDurationMs: number): void {
  const timer = setTimeout(() => {
    socket.write('421 4.4.2 Connection time limit exceeded, try again later\r\n');
    socket.destroySoon();
    setTimeout(() => socket.destroy(), CLOSE_MS).unref();
  }, maxDurationMs).unref();
  socket.once('close', () => clearTimeout(timer));
}

const handlerOf = ({ handlers }: ReturnPathOptions, address: string) =>
  handlers.find((handler) => handler.accepts(address));

const isRefusal = (error: unknown): error is Error =>
  error instanceof Error && 'responseCode' in error;

async function receiveEmail(
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  options: ReturnPathOptions,
  slots: Map<EmailHandler, number>,
): Promise<undefined> {
  const { mailFrom, rcptTo } = session.envelope;
  const groups = Map.groupBy(
    rcptTo.map(({ address }) => address),
    (address) => handlerOf(options, address),
  );
  const handlers = [...groups.keys()].filter((handler) => handler !== undefined);
  const wholeEmailHandlers = handlers.filter(({ maxInMemory }) => maxInMemory !== undefined);
  const isFull = wholeEmailHandlers.some(
    (handler) => (slots.get(handler) ?? 0) >= (handler.maxInMemory ?? 0),
  );
  if (isFull) {
    await readMessage(stream, 0);
    throw createSmtpRefusal(452, '4.3.1 Too many reports at once, please try again');
  }
  for (const handler of wholeEmailHandlers) slots.set(handler, (slots.get(handler) ?? 0) + 1);
  try {
    const limit = Math.max(...handlers.map(({ maxBytes }) => maxBytes));
    // One byte more than the limit shows that the email is larger.
    const bytes = await readMessage(stream, limit + 1);
    // The reply to the end of the data reports that the email is too large.
    if (stream.sizeExceeded) return undefined;
    if (wholeEmailHandlers.some(({ maxBytes }) => bytes.length > maxBytes)) {
      throw createSmtpRefusal(552, '5.3.4 Report too large');
    }
    const sender = mailFrom ? mailFrom.address : '';
    for (const handler of handlers) {
      const recipients = groups.get(handler) ?? [];
      await handler.handle({
        from: sender,
        to: recipients,
        bytes: bytes.subarray(0, handler.maxBytes),
      });
    }
    return undefined;
  } finally {
    for (const handler of wholeEmailHandlers) slots.set(handler, (slots.get(handler) ?? 1) - 1);
  }
}
