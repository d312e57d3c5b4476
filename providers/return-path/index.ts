// The SMTP server of the return path: accepts bounce reports for our addresses only. It relays
// nothing, has no authentication, and answers 250 to the end of a message only once its effects are
// committed.
import type { Socket } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { ReturnedEmail } from '#areas/delivery/server/feedback/index.ts';
import { openSmtpPort, readMessage, refusal, type SmtpPort } from '../smtp-port.ts';

export type ReturnPathOptions = {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** Whether the address belongs to this installation. */
  accepts(address: string): boolean;
  /** Throws where the message cannot be stored now, so that the other server retries. */
  take(email: ReturnedEmail): Promise<unknown>;
  onTrouble(error: unknown): void;
  /** Maximum duration of one connection, active or not. */
  lifeMs?: number;
};

/** A report may contain the whole message; its beginning is enough. */
const MAX_EMAIL_BYTES = 32 * 1024 * 1024;
const MAX_STORED_BYTES = 512 * 1024;
const MAX_CLIENTS = 50;
const MAX_CLIENTS_PER_NETWORK = 10;
const MAX_RECIPIENTS = 50;
const SILENCE_MS = 60_000;
/**
 * Long enough for the largest message over a slow line; connections that only hold a slot are
 * closed.
 */
const LIFE_MS = 10 * 60_000;
const CLOSE_MS = 5_000;

export async function startReturnPath(options: ReturnPathOptions): Promise<SmtpPort> {
  const server = new SMTPServer({
    banner: 'Sendloom return path',
    disabledCommands: ['AUTH', 'STARTTLS'],
    authOptional: true,
    logger: false,
    size: MAX_EMAIL_BYTES,
    rejectOversized: true,
    maxClients: MAX_CLIENTS,
    socketTimeout: SILENCE_MS,
    closeTimeout: CLOSE_MS,
    disableReverseLookup: true,
    onRcptTo({ address }, session, done) {
      const { rcptTo } = session.envelope;
      if (rcptTo.length >= MAX_RECIPIENTS) done(refusal(452, '4.5.3 Too many recipients'));
      else if (!options.accepts(address)) done(refusal(550, '5.1.1 No such address here'));
      else done();
    },
    async onData(stream, session, done) {
      const error = await receiveEmail(stream, session, options).catch((reason: unknown) => {
        options.onTrouble(reason);
        return refusal(451, '4.3.0 Not now, please try again');
      });
      done(error, '2.0.0 Taken');
    },
  });
  const opened = await openSmtpPort(server, options, MAX_CLIENTS_PER_NETWORK);
  server.server.on('connection', (socket: Socket) => limitLife(socket, options.lifeMs ?? LIFE_MS));
  return opened;
}

/** An interrupted message is sent again and takes effect once. */
function limitLife(socket: Socket, lifeMs: number): void {
  const life = setTimeout(() => {
    socket.write('421 4.4.2 Connection time limit exceeded, try again later\r\n');
    socket.destroySoon();
    setTimeout(() => socket.destroy(), CLOSE_MS).unref();
  }, lifeMs).unref();
  socket.once('close', () => clearTimeout(life));
}

async function receiveEmail(
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  options: ReturnPathOptions,
): Promise<undefined> {
  const bytes = await readMessage(stream, MAX_STORED_BYTES);
  // The reply to the end of data reports this.
  if (stream.sizeExceeded) return undefined;
  const { mailFrom, rcptTo } = session.envelope;
  await options.take({
    from: mailFrom ? mailFrom.address : '',
    to: rcptTo.map(({ address }) => address),
    bytes,
  });
  return undefined;
}
