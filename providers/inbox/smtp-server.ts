// The inbox's SMTP server, on loopback and without authentication. It replies 250 to a message only
// once the message is on disk. All messages of one turn of the event loop are stored together.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { clock } from '#platform/server/clock.ts';
import { openSmtpPort, readMessage, createSmtpRefusal, type SmtpPort } from '../smtp-port.ts';
import { fromAndSubject } from './headers.ts';
import type { Incoming } from './segment.ts';

const MAX_MESSAGE_BYTES = 50_000_000;
const MAX_LINE_LENGTH = 8_192;
const MAX_RECIPIENTS = 1_000;
const IDLE_MS = 5 * 60_000;
/** A stop disconnects the remaining clients after this time. */
const CLOSE_MS = 50;

interface InboxServerOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** Stores messages; throws if that fails. */
  store(messages: readonly Incoming[]): void;
  onError(error: unknown): void;
}

export async function startInboxServer(options: InboxServerOptions): Promise<SmtpPort> {
  const store = batchStore(options);
  const server = new SMTPServer({
    name: 'inbox.localhost',
    disabledCommands: ['AUTH', 'STARTTLS'],
    authOptional: true,
    logger: false,
    size: MAX_MESSAGE_BYTES,
    rejectOversized: true,
    maxCommandLength: MAX_LINE_LENGTH,
    maxRecipients: MAX_RECIPIENTS,
    lenientAddressParsing: true,
    socketTimeout: IDLE_MS,
    closeTimeout: CLOSE_MS,
    disableReverseLookup: true,
    // onMailFrom and onRcptTo are omitted: smtp-server stalls on pipelined messages if they call
    // back immediately.
    async onData(stream, session, done) {
      const message = await receiveMessage(stream, session).catch(() => undefined);
      // The reply to a message that is too large is 552, regardless of the result here.
      const isStored = message && !stream.sizeExceeded && (await store(message));
      if (isStored) done(undefined, '2.0.0 Ok: in the inbox');
      else done(createSmtpRefusal(452, '4.3.1 The inbox could not write to its disk'));
    },
  });
  const { port, close } = await openSmtpPort(server, { port: options.port, host: '127.0.0.1' });
  return {
    port,
    async close() {
      await close();
      // Lets the last batch be stored.
      await nextTurn();
    },
  };
}

async function receiveMessage(
  stream: SMTPServerDataStream,
  { envelope }: SMTPServerSession,
): Promise<Incoming> {
  const bytes = await readMessage(stream, MAX_MESSAGE_BYTES);
  const { from, subject } = fromAndSubject(bytes);
  return {
    bytes,
    from: from || (envelope.mailFrom ? envelope.mailFrom.address : ''),
    to: envelope.rcptTo.map(({ address }) => address).join(', '),
    subject,
    receivedAt: clock.now().getTime(),
  };
}

/** The promise resolves to true once the message is on disk, to false if it could not be stored. */
function batchStore({
  store,
  onError,
}: Omit<InboxServerOptions, 'port'>): (message: Incoming) => Promise<boolean> {
  let batch: Incoming[] = [];
  let storing: Promise<boolean> | undefined;
  const storeBatch = async () => {
    await nextTurn();
    const messages = batch;
    batch = [];
    storing = undefined;
    try {
      store(messages);
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  };
  return (message) => {
    batch.push(message);
    storing ??= storeBatch();
    return storing;
  };
}
