// Opens an SMTP session: connect, greeting, EHLO or HELO, STARTTLS (RFC 3207), AUTH (RFC 4954).
// Speed does not matter here, so each step is a promise.
import { connect, isIP, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import type { HandoffResult, SmtpStep } from '#areas/delivery/server/relays/provider.ts';
import { classify, noReply } from './classify.ts';
import { isLoopback, type SmtpOptions } from './options.ts';
import { ReplyReader } from './replies.ts';

/** An open session and its capabilities; the socket has no listeners. */
export interface SmtpSession {
  readonly socket: Socket;
  readonly isEncrypted: boolean;
  readonly hasPipelining: boolean;
  /** CHUNKING (RFC 3030) and PIPELINING are offered, and `allowsChunking` is true. */
  readonly hasChunking: boolean;
  readonly hasEightBit: boolean;
  readonly hasUtf8: boolean;
  /** Whether the relay supports SIZE (RFC 1870). */
  readonly hasSize: boolean;
  /** The maximum size of a message that the relay announced with SIZE; 0 = no fixed limit. */
  readonly maxBytes: number;
}

/**
 * An error with the result that explains why no session was opened: usually `deferred` if
 * temporary, `relay_refused` if permanent.
 */
export class OpeningError extends Error {
  readonly result: HandoffResult;

  constructor(result: HandoffResult) {
    super(`${result.step}: ${result.code} ${result.enhancedCode} ${result.reply}`);
    this.result = result;
  }
}

const REPLY_BYTES = 4 * 1024;

interface Reply {
  readonly code: number;
  readonly text: string;
}

export async function openSession(options: SmtpOptions, signal: AbortSignal): Promise<SmtpSession> {
  const { conversation, isEncrypted, extensions } = await openConversation(options, signal);
  return session(conversation.release(), isEncrypted, extensions, options.allowsChunking);
}

/** Receives every command and reply line of a conversation, without its secrets. */
export type SmtpListener = (speaker: 'us' | 'relay' | 'note', text: string) => void;

/**
 * Connects and signs in. The returned conversation sends one command at a time. `listener` receives
 * the transcript, for the test of a relay.
 */
export async function openConversation(
  options: SmtpOptions,
  signal: AbortSignal,
  listener?: SmtpListener,
): Promise<{
  conversation: OpeningConversation;
  isEncrypted: boolean;
  extensions: Map<string, string>;
}> {
  listener?.('note', `connect ${options.host}:${options.port}`);
  let conversation = new OpeningConversation(await openSocket(options, signal), signal, listener);
  try {
    let isEncrypted = options.tls === 'implicit';
    await conversation.expect('banner', options.limits.banner);
    let extensions = await sendEhlo(conversation, options);
    if (
      options.tls === 'required' ||
      (options.tls === 'opportunistic' && extensions.has('STARTTLS'))
    ) {
      const tlsResult = await startTls(conversation, options, extensions, signal, listener);
      if (tlsResult) {
        conversation = tlsResult;
        isEncrypted = true;
        extensions = await sendEhlo(conversation, options);
      }
    }
    if (options.user !== undefined) {
      await signIn(conversation, options, extensions, isEncrypted);
    }
    return { conversation, isEncrypted, extensions };
  } catch (error) {
    conversation.destroy();
    throw error;
  }
}

function session(
  socket: Socket,
  isEncrypted: boolean,
  extensions: Map<string, string>,
  chunking: boolean,
): SmtpSession {
  return {
    socket,
    isEncrypted,
    hasPipelining: extensions.has('PIPELINING'),
    hasChunking: chunking && extensions.has('CHUNKING') && extensions.has('PIPELINING'),
    hasEightBit: extensions.has('8BITMIME'),
    hasUtf8: extensions.has('SMTPUTF8'),
    hasSize: extensions.has('SIZE'),
    maxBytes: Number(extensions.get('SIZE') ?? 0) || 0,
  };
}

function openSocket(options: SmtpOptions, signal: AbortSignal): Promise<Socket> {
  return awaitOpen('connect', options.limits.connect, signal, (onOpen) => {
    const { host, port, lookup } = options;
    const socketOptions = { host, port, lookup, onread: readIntoBuffer(() => socket) };
    const socket: Socket =
      options.tls === 'implicit'
        ? connectTls({ ...socketOptions, ...tlsOptions(options, true) }, onOpen)
        : connect(socketOptions, onOpen);
    socket.setNoDelay(true);
    return socket;
  });
}

/**
 * Replies are short and processed immediately, so all reads of a connection share one buffer
 * instead of 64 KB of heap for each.
 */
function readIntoBuffer(socket: () => Socket): OnReadOpts {
  return {
    buffer: Buffer.allocUnsafeSlow(REPLY_BYTES),
    callback(length, bytes) {
      socket().emit('data', bytes.subarray(0, length));
      return true;
    },
  };
}

async function startTls(
  conversation: OpeningConversation,
  options: SmtpOptions,
  extensions: Map<string, string>,
  signal: AbortSignal,
  listener?: SmtpListener,
): Promise<OpeningConversation | undefined> {
  const isRequired = options.tls === 'required';
  if (!extensions.has('STARTTLS')) {
    throw refusal('starttls', 'The relay offers no STARTTLS, and encryption is required.');
  }
  const reply = await conversation.sendCommand(
    'STARTTLS',
    'starttls',
    options.limits.starttls,
    !isRequired,
  );
  if (reply.code >= 400) {
    return undefined;
  }
  // Plaintext received after the 220 may be injected by an attacker (CVE-2011-0411), so it is
  // dropped with the old conversation.
  const plainSocket = conversation.release();
  const tlsSocket = await awaitOpen('starttls', options.limits.starttls, signal, (onOpen) =>
    // `host` is passed because without it, a relay configured by its IP address would need a
    // certificate for `localhost`.
    connectTls(
      { socket: plainSocket, host: options.host, ...tlsOptions(options, isRequired) },
      onOpen,
    ),
  );
  const protocol = tlsSocket instanceof TLSSocket ? tlsSocket.getProtocol() : null;
  listener?.('note', `encrypted ${protocol ?? ''}`.trim());
  return new OpeningConversation(tlsSocket, signal, listener);
}

function tlsOptions(options: SmtpOptions, isVerified: boolean) {
  return {
    ...(isIP(options.host) ? {} : { servername: options.host }),
    rejectUnauthorized: isVerified,
    ...(options.ca ? { ca: options.ca } : {}),
  };
}

// Resolves to the open socket; errors and timeouts become an OpeningError.
function awaitOpen(
  at: SmtpStep,
  limit: number,
  signal: AbortSignal,
  createSocket: (onOpen: () => void) => Socket,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string, isCertificate = false) => {
      end();
      socket.on('error', () => {});
      socket.destroy();
      reject(isCertificate ? refusal(at, reason) : temporaryError(at, reason));
    };
    const onError = (error: NodeJS.ErrnoException) =>
      fail(error.message || error.code || 'connection failed', isCertificateError(error));
    const onClose = () => fail('The connection was closed.');
    const onAbort = () => fail('Stopped.');
    const timer = setTimeout(() => fail('No reply within the time limit.'), limit);
    const end = () => {
      clearTimeout(timer);
      socket.off('error', onError).off('close', onClose);
      signal.removeEventListener('abort', onAbort);
    };
    const socket = createSocket(() => {
      end();
      resolve(socket);
    });
    socket.on('error', onError).on('close', onClose);
    signal.addEventListener('abort', onAbort);
  });
}

function isCertificateError(error: NodeJS.ErrnoException): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(error.code ?? '');
}

async function sendEhlo(
  conversation: OpeningConversation,
  options: SmtpOptions,
): Promise<Map<string, string>> {
  const reply = await conversation.sendCommand(
    `EHLO ${options.name}`,
    'ehlo',
    options.limits.ehlo,
    true,
  );
  if (reply.code < 400) {
    const lines = reply.text.split('\n').slice(1);
    return new Map(lines.map((line) => extension(line)));
  }
  if (reply.code !== 500 && reply.code !== 502) {
    throw new OpeningError(classify('ehlo', reply.code, reply.text));
  }
  await conversation.sendCommand(`HELO ${options.name}`, 'ehlo', options.limits.ehlo);
  return new Map();
}

function extension(line: string): [string, string] {
  const [keyword = '', ...parameters] = line.trim().split(/[ =]+/);
  return [keyword.toUpperCase(), parameters.join(' ')];
}

async function signIn(
  conversation: OpeningConversation,
  options: SmtpOptions,
  extensions: Map<string, string>,
  isEncrypted: boolean,
): Promise<void> {
  const { user = '', password = '' } = options;
  if (!isEncrypted && !isLoopback(options.host)) {
    throw refusal('auth', 'The relay offers no encryption, so the password was not sent.');
  }
  const mechanisms = (extensions.get('AUTH') ?? '').toUpperCase().split(' ');
  const limit = options.limits.auth;
  if (mechanisms.includes('PLAIN')) {
    const secret = base64(`\0${user}\0${password}`);
    expectCode(
      235,
      await conversation.sendCommand(
        `AUTH PLAIN ${secret}`,
        'auth',
        limit,
        false,
        'AUTH PLAIN ***',
      ),
    );
  } else if (mechanisms.includes('LOGIN')) {
    expectCode(334, await conversation.sendCommand('AUTH LOGIN', 'auth', limit));
    expectCode(334, await conversation.sendCommand(base64(user), 'auth', limit, false, '***'));
    expectCode(235, await conversation.sendCommand(base64(password), 'auth', limit, false, '***'));
  } else {
    throw refusal('auth', 'The relay offers neither AUTH PLAIN nor AUTH LOGIN.');
  }
}

/**
 * Requires this code: after any other, it is unknown whether authentication succeeded and what the
 * relay expects next.
 */
function expectCode(code: number, reply: Reply): void {
  if (reply.code === code) return;
  throw refusal('auth', `Authentication failed: ${reply.code} ${reply.text} instead of ${code}.`);
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

function refusal(at: SmtpStep, reply: string): OpeningError {
  return new OpeningError({
    outcome: 'relay_refused',
    scope: 'relay',
    step: at,
    code: 0,
    enhancedCode: '',
    reply,
  });
}

function temporaryError(at: SmtpStep, reason: string): OpeningError {
  return new OpeningError(noReply(at, 'deferred', reason));
}

/** A conversation that sends one command at a time and waits for its reply. */
export class OpeningConversation {
  private readonly socket: Socket;
  private readonly signal: AbortSignal;
  private readonly listener: SmtpListener | undefined;
  private readonly replies: Reply[] = [];
  private onReplyOrEnd: (() => void) | undefined;
  private failureReason: string | undefined;
  private readonly reader = new ReplyReader(() => {
    const { code } = this.reader;
    const text = this.reader.text();
    for (const line of text.split('\n')) this.listener?.('relay', `${code} ${line}`);
    this.replies.push({ code, text });
  });

  constructor(socket: Socket, signal: AbortSignal, listener?: SmtpListener) {
    this.socket = socket;
    this.signal = signal;
    this.listener = listener;
    socket.on('data', this.onData).on('error', this.onError).on('close', this.onClose);
    signal.addEventListener('abort', this.onAbort);
    if (signal.aborted) {
      this.onAbort();
    }
  }

  /**
   * Sends a command and returns its reply.
   * @param displayedCommand what the listener gets instead of a command that contains a secret
   */
  async sendCommand(
    command: string,
    at: SmtpStep,
    limit: number,
    mayRefuse = false,
    displayedCommand = command,
  ): Promise<Reply> {
    this.listener?.('us', displayedCommand);
    this.socket.write(`${command}\r\n`);
    return await this.expect(at, limit, mayRefuse);
  }

  /** Sends bytes that get one reply. */
  async command(bytes: Buffer, at: SmtpStep, limit: number): Promise<Reply> {
    this.socket.write(bytes);
    return await this.expect(at, limit);
  }

  async expect(at: SmtpStep, limit: number, mayRefuse = false): Promise<Reply> {
    const reply = this.replies.shift() ?? (await this.nextReply(at, limit));
    if (reply.code >= 400 && !(mayRefuse && reply.code !== 421)) {
      throw new OpeningError(classify(at, reply.code, reply.text));
    }
    return reply;
  }

  /** Removes the listeners from the socket and returns it for further use. */
  release(): Socket {
    this.socket.off('data', this.onData).off('error', this.onError).off('close', this.onClose);
    this.signal.removeEventListener('abort', this.onAbort);
    return this.socket;
  }

  destroy(): void {
    this.release();
    this.socket.on('error', () => {});
    this.socket.destroy();
  }

  private async nextReply(at: SmtpStep, limit: number): Promise<Reply> {
    const timer = setTimeout(() => this.break('No reply within the time limit.'), limit);
    try {
      for (;;) {
        const reply = this.replies.shift();
        if (reply) {
          return reply;
        }
        if (this.failureReason !== undefined) {
          throw temporaryError(at, this.failureReason);
        }
        await new Promise<void>((resolve) => {
          this.onReplyOrEnd = resolve;
        });
      }
    } finally {
      clearTimeout(timer);
    }
  }

  private readonly onData = (bytes: Buffer) => {
    if (!this.reader.read(bytes)) {
      this.break('The server does not speak SMTP.');
    }
    this.onReplyOrEnd?.();
  };
  private readonly onError = (error: Error) => this.break(error.message);
  private readonly onClose = () => this.break('The connection was closed.');
  private readonly onAbort = () => this.break('Stopped.');

  private break(reason: string): void {
    this.failureReason ??= reason;
    this.onReplyOrEnd?.();
  }
}
