// The mail server that programs hand in transactional mails to: signed in, over TLS alone, 250 only once
// what follows is in the database. It relays nothing by itself.
import { readFileSync } from 'node:fs';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { selfSigned } from './self-signed.ts';

export type SubmissionOptions<User> = {
  host: string;
  port: number | undefined;
  tlsPort: number | undefined;
  certificate: { cert: string; key: string } | undefined;
  mailMost: number;
  recipientsMost: number;
  /** Undefined where they do not belong together. */
  signIn(name: string, password: string): Promise<User | undefined>;
  /** Throws a Refusal with a sentence, or anything else where it cannot be taken now. */
  take(mail: { user: User; recipients: string[]; bytes: Buffer }): Promise<void>;
  onTrouble(error: unknown): void;
};

export type SubmissionServer = { port?: number; tlsPort?: number; close(): Promise<void> };

/** The mail is refused for good; the sentence says why. */
export class Refusal extends Error {}

const MOST_CLIENTS = 200;
const SILENCE_MS = 60_000;
const CLOSE_MS = 5_000;
/** So many wrong passwords of one address, and it waits. */
const WRONG_MOST = 20;
const WRONG_MS = 10 * 60_000;

export async function startSubmission<User>(
  options: SubmissionOptions<User>,
): Promise<SubmissionServer> {
  const { certificate } = options;
  const tls = certificate
    ? { cert: readFileSync(certificate.cert), key: readFileSync(certificate.key) }
    : selfSigned();
  const wrong = new Map<string, { count: number; until: number }>();
  const start = (port: number, isSecure: boolean) =>
    listen(serverOf(options, tls, isSecure, wrong), port, options.host);
  const servers: Listening[] = [];
  const opened: SubmissionServer = {
    close: async () => void (await Promise.all(servers.map((one) => one.close()))),
  };
  if (options.port !== undefined) {
    const plain = await start(options.port, false);
    servers.push(plain);
    opened.port = plain.port;
  }
  if (options.tlsPort !== undefined) {
    const secure = await start(options.tlsPort, true);
    servers.push(secure);
    opened.tlsPort = secure.port;
  }
  return opened;
}

function serverOf<User>(
  options: SubmissionOptions<User>,
  tls: { cert: string | Buffer; key: string | Buffer },
  isSecure: boolean,
  wrong: Map<string, { count: number; until: number }>,
): SMTPServer {
  const users = new WeakMap<SMTPServerSession, User>();
  return new SMTPServer({
    ...tls,
    banner: 'Sendloom',
    secure: isSecure,
    authMethods: ['PLAIN', 'LOGIN'],
    allowInsecureAuth: false,
    authOptional: false,
    logger: false,
    size: options.mailMost,
    rejectOversized: true,
    maxClients: MOST_CLIENTS,
    socketTimeout: SILENCE_MS,
    closeTimeout: CLOSE_MS,
    disableReverseLookup: true,
    onAuth({ username = '', password = '' }, session, done) {
      const tried = wrong.get(session.remoteAddress);
      if (tried && tried.until > Date.now() && tried.count >= WRONG_MOST) {
        done(answer(454, '4.7.0 Too many wrong passwords, please wait'));
        return;
      }
      const signIn = async () => {
        try {
          const user = await options.signIn(username ?? '', password ?? '');
          if (user === undefined) {
            if (wrong.size > 10_000) wrong.clear();
            const count = tried && tried.until > Date.now() ? tried.count + 1 : 1;
            wrong.set(session.remoteAddress, { count, until: Date.now() + WRONG_MS });
            done(answer(535, '5.7.8 Name and password do not belong together'));
            return;
          }
          users.set(session, user);
          done(null, { user: username });
        } catch (error) {
          options.onTrouble(error);
          done(answer(454, '4.7.0 Not now, please try again'));
        }
      };
      void signIn();
    },
    onRcptTo(_, session, done) {
      if (session.envelope.rcptTo.length < options.recipientsMost) done();
      else done(answer(452, '4.5.3 Too many recipients, send the others by another mail'));
    },
    onData(stream, session, done) {
      const take = async () => {
        try {
          await takeMail(stream, session, users.get(session), options);
          done(undefined, '2.0.0 Taken');
        } catch (error) {
          if (error instanceof Refusal) {
            done(answer(550, `5.7.1 ${error.message}`));
            return;
          }
          options.onTrouble(error);
          done(answer(451, '4.3.0 Not now, please try again'));
        }
      };
      void take();
    },
  });
}

async function takeMail<User>(
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  user: User | undefined,
  options: SubmissionOptions<User>,
): Promise<void> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size <= options.mailMost) pieces.push(piece);
  }
  if (stream.sizeExceeded || size > options.mailMost) throw new Refusal('The mail is too large');
  if (user === undefined) throw new Error('A mail of nobody came in');
  const recipients = session.envelope.rcptTo.map(({ address }) => address);
  await options.take({ user, recipients, bytes: Buffer.concat(pieces) });
}

const answer = (responseCode: number, words: string) =>
  Object.assign(new Error(words), { responseCode });

type Listening = { port: number; close(): Promise<void> };

async function listen(server: SMTPServer, port: number, host: string): Promise<Listening> {
  server.on('error', () => {});
  const taken = await new Promise<number>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(port, host, () => {
      server.server.off('error', reject);
      const address = server.server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
  return { port: taken, close: () => new Promise((resolve) => server.close(() => resolve())) };
}
