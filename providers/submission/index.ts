// The SMTP server where programs submit transactional email, authenticated and over TLS only. It
// replies 250 only after the effects are committed, and relays nothing itself.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { createSerialRunner, type SerialRunner } from '#platform/server/limits/one-at-a-time.ts';
import { openSmtpPort, readMessage, createSmtpRefusal, type SmtpPort } from '../smtp-port.ts';
import { createSelfSignedCertificate } from './self-signed.ts';

export type SubmissionOptions<User> = {
  host: string;
  port: number | undefined;
  tlsPort: number | undefined;
  certificate: { cert: string; key: string } | undefined;
  maxEmailBytes: number;
  maxRecipients: number;
  /** Resolves to undefined if the credentials are wrong. */
  signIn(name: string, password: string): Promise<User | undefined>;
  /**
   * @throws SubmissionRefusal with the reason, or another error if the message cannot be stored now
   */
  accept(email: { user: User; recipients: string[]; bytes: Buffer }): Promise<void>;
  onError(error: unknown): void;
};

export type SubmissionServer = { port?: number; tlsPort?: number; close(): Promise<void> };

/** Refuses a message permanently; the error's message is the reason for the client. */
export class SubmissionRefusal extends Error {}

const MAX_CLIENTS = 200;
const MAX_CLIENTS_PER_NETWORK = 40;
const IDLE_MS = 60_000;
const CLOSE_MS = 5_000;
/** After this many wrong passwords, an IP address must wait ten minutes. */
const MAX_WRONG_PASSWORDS = 20;
const FAILURE_MEMORY_MS = 10 * 60_000;
/**
 * After more than this many failures for a user name, further attempts from any IP address are
 * delayed by 1, 2, 4 … seconds up to MAX_DELAY_MS.
 */
const MAX_UNDELAYED_FAILURES = 4;
const MAX_DELAY_MS = 16_000;
const MAX_REMEMBERED = 10_000;

export async function startSubmission<User>(
  options: SubmissionOptions<User>,
): Promise<SubmissionServer> {
  const { certificate } = options;
  const tls = certificate
    ? { cert: readFileSync(certificate.cert), key: readFileSync(certificate.key) }
    : createSelfSignedCertificate();
  const failures = {
    byAddress: new FailureCounts(),
    byName: new FailureCounts(),
    runSerially: createSerialRunner(MAX_CLIENTS),
  };
  const start = (port: number, isSecure: boolean) =>
    openSmtpPort(
      serverOf(options, tls, isSecure, failures),
      { port, host: options.host },
      MAX_CLIENTS_PER_NETWORK,
    );
  const servers: SmtpPort[] = [];
  const submissionServer: SubmissionServer = {
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  };
  if (options.port !== undefined) {
    const plainPort = await start(options.port, false);
    servers.push(plainPort);
    submissionServer.port = plainPort.port;
  }
  if (options.tlsPort !== undefined) {
    const secure = await start(options.tlsPort, true);
    servers.push(secure);
    submissionServer.tlsPort = secure.port;
  }
  return submissionServer;
}

function serverOf<User>(
  options: SubmissionOptions<User>,
  tls: { cert: string | Buffer; key: string | Buffer },
  isSecure: boolean,
  failures: Guesses,
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
    size: options.maxEmailBytes,
    rejectOversized: true,
    maxClients: MAX_CLIENTS,
    socketTimeout: IDLE_MS,
    closeTimeout: CLOSE_MS,
    disableReverseLookup: true,
    onAuth({ username, password }, session, done) {
      const login = { name: username ?? '', password: password ?? '' };
      const authenticate = async () => {
        try {
          users.set(session, await signIn(options, failures, session.remoteAddress, login));
          done(null, { user: username });
        } catch (error) {
          const isReply = error instanceof Error && 'responseCode' in error;
          if (!isReply) options.onError(error);
          done(isReply ? error : createSmtpRefusal(454, '4.7.0 Temporary error, please try again'));
        }
      };
      void authenticate();
    },
    onRcptTo(_, session, done) {
      if (session.envelope.rcptTo.length < options.maxRecipients) done();
      else
        done(createSmtpRefusal(452, '4.5.3 Too many recipients, send the others in another email'));
    },
    onData(stream, session, done) {
      const receive = async () => {
        try {
          await receiveEmail(stream, session, users.get(session), options);
          done(undefined, '2.0.0 Accepted');
        } catch (error) {
          if (error instanceof SubmissionRefusal) {
            done(createSmtpRefusal(550, `5.7.1 ${error.message}`));
            return;
          }
          options.onError(error);
          done(createSmtpRefusal(451, '4.3.0 Temporary error, please try again'));
        }
      };
      void receive();
    },
  });
}

type Guesses = { byAddress: FailureCounts; byName: FailureCounts; runSerially: SerialRunner };

/**
 * Counts failures by IP address or by user name, in this process. A count is dropped after ten
 * minutes without another failure.
 */
class FailureCounts {
  private readonly entries = new Map<string, { count: number; expiresAt: number }>();

  get(key: string): number {
    const entry = this.entries.get(key);
    return entry && entry.expiresAt > Date.now() ? entry.count : 0;
  }

  add(key: string): void {
    const count = this.get(key) + 1;
    if (this.entries.size > MAX_REMEMBERED) this.entries.clear();
    this.entries.set(key, { count, expiresAt: Date.now() + FAILURE_MEMORY_MS });
  }

  remove(key: string): void {
    this.entries.delete(key);
  }
}

/** @throws an error with its response code for wrong credentials or too many attempts */
async function signIn<User>(
  options: SubmissionOptions<User>,
  { byAddress, byName, runSerially }: Guesses,
  address: string,
  { name, password }: { name: string; password: string },
): Promise<User> {
  const tooMany = () => createSmtpRefusal(454, '4.7.0 Too many wrong passwords, please wait');
  const user = await runSerially(name, async () => {
    if (byAddress.get(address) >= MAX_WRONG_PASSWORDS) throw tooMany();
    const failures = byName.get(name);
    if (failures > MAX_UNDELAYED_FAILURES)
      await sleep(Math.min(MAX_DELAY_MS, 1000 * 2 ** (failures - MAX_UNDELAYED_FAILURES - 1)));
    const user = await options.signIn(name, password);
    if (user !== undefined) {
      byName.remove(name);
      return user;
    }
    byName.add(name);
    byAddress.add(address);
    throw createSmtpRefusal(535, '5.7.8 Invalid user name or password');
  });
  if (!user) throw tooMany();
  return user.result;
}

async function receiveEmail<User>(
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  user: User | undefined,
  options: SubmissionOptions<User>,
): Promise<void> {
  const bytes = await readMessage(stream, options.maxEmailBytes);
  if (stream.sizeExceeded) throw new SubmissionRefusal('The email is too large');
  if (user === undefined) throw new Error('An email without a signed-in user was received');
  const recipients = session.envelope.rcptTo.map(({ address }) => address);
  await options.accept({ user, recipients, bytes });
}
