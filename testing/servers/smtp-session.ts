// A session of the scriptable SMTP server: each command gets its scripted reply or the default one.
import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { testCertificate } from './certificate.ts';
import type { ScriptedReply, ScriptedServer, ScriptVerb } from './smtp-server.ts';

/** Processes the commands of one connection in order, even if they are pipelined. */
export class ScriptedSession {
  private readonly server: ScriptedServer;
  private readonly number: number;
  private socket: Socket;
  private chunks: Buffer[] = [];
  private receivedBytes = 0;
  private isBusy = false;
  private isInData = false;
  /** The number of bytes that a BDAT announced and are not received yet. */
  private remainingBdatBytes: number | undefined;
  private isSignedIn = false;
  private isEncrypted: boolean;
  private from: string | undefined;
  private parameters = '';
  private to: string[] = [];
  private signIn: { step: 'plain' | 'user' | 'password'; user: string } | undefined;

  constructor(server: ScriptedServer, socket: Socket, number: number) {
    this.server = server;
    this.number = number;
    this.isEncrypted = server.options.tls === 'implicit';
    this.socket = this.isEncrypted ? encryptSocket(socket, server) : socket;
    this.attach();
    void this.respond('banner', '', '220 test.example ESMTP');
  }

  private attach(): void {
    this.socket.setNoDelay(true);
    this.socket.on('error', () => {});
    this.socket.on('data', (bytes) => {
      this.addBytes(bytes);
      void this.processBuffer();
    });
  }

  private addBytes(bytes: Buffer): void {
    this.chunks.push(bytes);
    this.receivedBytes += bytes.length;
  }

  private get input(): Buffer {
    const buffer = this.chunks.length === 1 ? this.chunks[0] : Buffer.concat(this.chunks);
    this.chunks = [buffer ?? Buffer.alloc(0)];
    return this.chunks[0] ?? Buffer.alloc(0);
  }

  private set input(bytes: Buffer) {
    this.chunks = [bytes];
    this.receivedBytes = bytes.length;
  }

  private async processBuffer(): Promise<void> {
    while (!this.isBusy && !this.socket.destroyed) {
      if (!(await this.processInput())) {
        return;
      }
    }
  }

  private async processInput(): Promise<boolean> {
    if (this.remainingBdatBytes !== undefined) {
      return await this.takeChunk(this.remainingBdatBytes);
    }
    return this.isInData ? await this.takeMessage() : await this.takeLine();
  }

  private async takeChunk(size: number): Promise<boolean> {
    if (this.receivedBytes < size) {
      return false;
    }
    const source = this.input.toString('utf8', 0, size);
    this.input = this.input.subarray(size);
    this.remainingBdatBytes = undefined;
    await this.receive(source, true);
    return true;
  }

  private async takeLine(): Promise<boolean> {
    const end = this.input.indexOf('\n');
    if (end < 0) {
      return false;
    }
    const line = this.input.toString('utf8', 0, end).trimEnd();
    this.input = this.input.subarray(end + 1);
    this.server.commands.push(`${this.number} ${line}`);
    await this.command(line);
    return true;
  }

  private async takeMessage(): Promise<boolean> {
    const isEmpty = this.input.subarray(0, 3).equals(Buffer.from('.\r\n'));
    const end = isEmpty ? 0 : this.input.indexOf('\r\n.\r\n');
    if (end < 0) {
      return false;
    }
    const raw = this.input.toString('latin1', 0, isEmpty ? 0 : end + 2);
    this.input = this.input.subarray(isEmpty ? 3 : end + 5);
    this.isInData = false;
    this.socket.resume();
    await this.receive(Buffer.from(raw.replace(/^\./gm, ''), 'latin1').toString('utf8'));
    return true;
  }

  private async receive(source: string, isChunk = false): Promise<void> {
    const { from = '', to, parameters } = this;
    if (to.length > 0 || !isChunk) {
      this.from = undefined;
      this.to = [];
    }
    if (to.length === 0) {
      // After a refused BDAT the transaction remains open (RFC 3030); a refused dot ends it.
      this.socket.write(`${isChunk ? '503' : '554'} 5.5.1 No valid recipients\r\n`);
      return;
    }
    const moment = { line: '', from, to, message: source };
    const scripted = this.server.chooseReply({ verb: 'dot', connection: this.number, ...moment });
    const reply = scripted.reply ?? '250 2.0.0 Ok: kept';
    if (scripted.isStored ?? (reply.startsWith('2') && scripted.hangUp !== 'instead')) {
      const messageId = /^message-id:\s*<?([^>\r\n]+)>?/im.exec(source)?.[1] ?? '';
      this.server.storeMessage({
        messageId,
        from,
        to,
        source,
        connection: this.number,
        parameters,
      });
    }
    await this.sendReply(scripted, reply);
  }

  private async command(line: string): Promise<void> {
    if (this.signIn) {
      await this.continueSignIn(line);
      return;
    }
    const verb = line.split(/[ :]/)[0]?.toUpperCase() ?? '';
    switch (verb) {
      case 'EHLO':
      case 'HELO':
        await this.respond('ehlo', line, verb === 'EHLO' ? this.greeting() : '250 test.example');
        break;
      case 'STARTTLS':
        await this.startTls(line);
        break;
      case 'AUTH':
        await this.beginSignIn(line);
        break;
      case 'MAIL':
        await this.mail(line);
        break;
      case 'RCPT':
        await this.rcpt(line);
        break;
      case 'DATA':
        await this.data(line);
        break;
      case 'BDAT':
        this.bdat(line);
        break;
      case 'RSET':
        this.from = undefined;
        this.to = [];
        await this.respond('rset', line, '250 2.0.0 Ok');
        break;
      case 'QUIT':
        await this.respond('quit', line, '221 2.0.0 Bye');
        this.socket.end();
        break;
      default:
        this.socket.write('502 5.5.2 Command not recognized\r\n');
    }
  }

  private greeting(): string {
    const { options } = this.server;
    const lines = ['test.example'];
    if (options.pipelining !== false) {
      lines.push('PIPELINING');
    }
    if (options.chunking) {
      lines.push('CHUNKING');
    }
    lines.push('ENHANCEDSTATUSCODES');
    lines.push(...(options.extensions ?? ['SIZE 50000000', '8BITMIME', 'SMTPUTF8']));
    if (options.tls === 'starttls' && !this.isEncrypted) {
      lines.push('STARTTLS');
    }
    if (options.auth) {
      lines.push(`AUTH ${options.auth.mechanisms ?? 'PLAIN LOGIN'}`);
    }
    return lines.map((line) => `250 ${line}`).join('\n');
  }

  private async startTls(line: string): Promise<void> {
    const reply = await this.respond('starttls', line, '220 2.0.0 Go ahead');
    if (reply.startsWith('2')) {
      this.socket.removeAllListeners('data');
      this.input = Buffer.alloc(0);
      this.socket = encryptSocket(this.socket, this.server);
      this.isEncrypted = true;
      this.attach();
    }
  }

  private async beginSignIn(line: string): Promise<void> {
    const [, mechanism = '', first] = line.split(' ');
    if (mechanism.toUpperCase() === 'PLAIN' && first) {
      await this.endSignIn(first, line);
    } else if (mechanism.toUpperCase() === 'LOGIN') {
      this.signIn = { step: 'user', user: '' };
      this.socket.write('334 VXNlcm5hbWU6\r\n');
    } else {
      await this.respond('auth', line, '504 5.5.4 Unrecognized authentication type');
    }
  }

  private async continueSignIn(line: string): Promise<void> {
    if (this.signIn?.step === 'user') {
      this.signIn = { step: 'password', user: decode(line) };
      this.socket.write('334 UGFzc3dvcmQ6\r\n');
      return;
    }
    const user = this.signIn?.user ?? '';
    this.signIn = undefined;
    await this.endSignIn(Buffer.from(`\0${user}\0${decode(line)}`).toString('base64'), line);
  }

  private async endSignIn(credentials: string, line: string): Promise<void> {
    const { auth } = this.server.options;
    const isValid = decode(credentials) === `\0${auth?.user}\0${auth?.password}`;
    const defaultReply = isValid ? '235 2.7.0 Welcome' : '535 5.7.8 Authentication failed';
    this.isSignedIn = (await this.respond('auth', line, defaultReply)).startsWith('2');
  }

  private async mail(line: string): Promise<void> {
    const mailFrom = /^MAIL FROM:<([^>]*)>(.*)$/i.exec(line);
    let defaultReply = '250 2.1.0 Ok';
    if (this.server.options.auth && !this.isSignedIn) {
      defaultReply = '530 5.7.0 Authentication required';
    } else if (this.from !== undefined) {
      defaultReply = '503 5.5.1 Nested MAIL command';
    } else if (!mailFrom) {
      defaultReply = '501 5.1.7 Bad sender address syntax';
    }
    if ((await this.respond('mail', line, defaultReply)).startsWith('2')) {
      this.from = mailFrom?.[1] ?? '';
      this.parameters = (mailFrom?.[2] ?? '').trim();
    }
  }

  private async rcpt(line: string): Promise<void> {
    const defaultReply = this.from === undefined ? '503 5.5.1 Need MAIL command' : '250 2.1.5 Ok';
    if ((await this.respond('rcpt', line, defaultReply)).startsWith('2')) {
      this.to.push(/<([^>]*)>/.exec(line)?.[1] ?? '');
    }
  }

  private async data(line: string): Promise<void> {
    const defaultReply =
      this.from === undefined
        ? '503 5.5.1 Need MAIL command'
        : this.to.length === 0
          ? '554 5.5.1 No valid recipients'
          : '354 End data with <CR><LF>.<CR><LF>';
    this.isInData = (await this.respond('data', line, defaultReply)).startsWith('354');
    if (this.isInData) {
      this.mayReadSlowly();
    }
  }

  // Only messages of a single chunk are supported: 'BDAT 1234 LAST'.
  private bdat(line: string): void {
    this.remainingBdatBytes = Number(/^BDAT (\d+) LAST$/i.exec(line)?.[1] ?? 0);
    this.mayReadSlowly();
  }

  private mayReadSlowly(): void {
    const { slowReading = 0 } = this.server.options;
    const pause = typeof slowReading === 'number' ? slowReading : slowReading(this.number);
    if (pause > 0) {
      this.readSlowly(pause);
    }
  }

  private readSlowly(milliseconds: number): void {
    const { socket } = this;
    socket.pause();
    socket.removeAllListeners('data');
    const timer = setInterval(() => {
      const byte: Buffer | null = socket.read(1);
      if (byte) {
        this.addBytes(byte);
        void this.processBuffer();
      }
    }, milliseconds);
    socket.on('close', () => clearInterval(timer));
  }

  private async respond(verb: ScriptVerb, line: string, defaultReply: string): Promise<string> {
    const { from = '', to } = this;
    const scripted = this.server.chooseReply({
      verb,
      line,
      connection: this.number,
      from,
      to,
      message: '',
    });
    return await this.sendReply(scripted, scripted.reply ?? defaultReply);
  }

  private async sendReply(scripted: ScriptedReply, reply: string): Promise<string> {
    this.isBusy = true;
    if (scripted.delayMs) {
      await new Promise((resolve) => setTimeout(resolve, scripted.delayMs));
    }
    await scripted.waitFor;
    if (scripted.hangUp === 'instead') {
      this.socket.destroy();
      return '';
    }
    if (reply === '') {
      await new Promise<void>((resolve) => this.socket.once('close', () => resolve()));
      return '';
    }
    this.socket.write(onWire(reply));
    if (scripted.hangUp === 'behind') {
      this.socket.destroySoon();
    }
    this.isBusy = false;
    setImmediate(() => void this.processBuffer());
    return reply;
  }
}

// Converts '250 a\n250 b' to '250-a\r\n250 b\r\n'.
function onWire(reply: string): string {
  const lines = reply.split('\n');
  return lines
    .map((line, index) => (index < lines.length - 1 ? line.replace(/^(\d{3}) /, '$1-') : line))
    .map((line) => `${line}\r\n`)
    .join('');
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

function encryptSocket(socket: Socket, { options }: ScriptedServer): TLSSocket {
  return new TLSSocket(socket, {
    isServer: true,
    secureContext: createSecureContext(options.certificate ?? testCertificate),
  });
}
