// One connection to the inbox's SMTP server: commands, DATA and BDAT (RFC 3030), with bytes split
// at any position.
import type { Socket } from 'node:net';
import { clock } from '#platform/server/clock.ts';
import { acrossEnd, END_OF_DATA, startEnd, unstuffed } from './end-of-data.ts';
import { fromAndSubject } from './headers.ts';
import type { Incoming } from './segment.ts';

const LARGEST_MESSAGE = 50_000_000;
const MAX_LINE_LENGTH = 8_192;
const MAX_RECIPIENTS = 1_000;
const IDLE = 5 * 60_000;
const CR = 13;
const LF = 10;

const EHLO = [
  '250-inbox.localhost',
  '250-PIPELINING',
  '250-CHUNKING',
  `250-SIZE ${LARGEST_MESSAGE}`,
  '250-8BITMIME',
  '250-SMTPUTF8',
  '250 ENHANCEDSTATUSCODES\r\n',
].join('\r\n');

/** Stores messages and reports the result through `kept`. */
interface Taker {
  take(message: Incoming, session: Session, place: number): void;
}

/** One connection. Replies wait in `out` while an earlier message is not yet on disk. */
export class Session {
  private readonly socket: Socket;
  private readonly server: Taker;
  private out: string[] = [];
  private waiting = 0;
  private isInData = false;
  private isEnding = false;
  /** The current BDAT chunk (RFC 3030) with its bytes still to come. */
  private chunk: { left: number; readonly isLast: boolean; readonly refusal: string } | undefined;
  /** Chunks before the last one. */
  private chunks: Buffer[] = [];
  /** Received and unprocessed bytes; within DATA the pieces of the message so far. */
  private pieces: Buffer[] = [];
  private piecesSize = 0;
  private from: string | undefined;
  private to: string[] = [];

  constructor(socket: Socket, server: Taker) {
    this.socket = socket;
    this.server = server;
    socket.setTimeout(IDLE, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes: Buffer) => {
      this.read(bytes);
      this.send();
    });
    socket.write('220 inbox.localhost ESMTP\r\n');
  }

  kept(place: number, answer: string): void {
    this.out[place] = answer;
    this.waiting--;
    this.send();
  }

  end(): void {
    this.out.push('421 4.3.2 Closing\r\n');
    this.isEnding = true;
    this.send();
    this.socket.destroySoon();
  }

  private send(): void {
    if (this.waiting > 0 || this.out.length === 0) {
      return;
    }
    const answers = this.out.length === 1 ? (this.out[0] ?? '') : this.out.join('');
    this.out = [];
    if (this.isEnding) {
      this.socket.end(answers);
    } else {
      this.socket.write(answers);
    }
  }

  private read(bytes: Buffer): void {
    let rest: Buffer | undefined = bytes;
    while (rest && rest.length > 0 && !this.isEnding) {
      if (this.chunk) {
        rest = this.readChunk(rest, this.chunk);
      } else {
        rest = this.isInData ? this.readMessage(rest) : this.readLine(rest);
      }
    }
  }

  // Each state returns the remaining bytes, or undefined where more are needed.

  private readLine(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf(LF);
    if (end < 0 || this.pieces.length > 0) {
      return this.readCutLine(bytes, end);
    }
    this.command(bytes.toString('utf8', 0, end > 0 && bytes[end - 1] === CR ? end - 1 : end));
    return bytes.subarray(end + 1);
  }

  private readCutLine(bytes: Buffer, end: number): Buffer | undefined {
    this.pieces.push(end < 0 ? bytes : bytes.subarray(0, end));
    this.piecesSize += bytes.length;
    if (end < 0) {
      if (this.piecesSize > MAX_LINE_LENGTH) {
        this.refuseAndEnd('500 5.5.2 Line too long\r\n');
      }
      return undefined;
    }
    const line = this.joined().toString('utf8').trimEnd();
    this.command(line);
    return bytes.subarray(end + 1);
  }

  private readMessage(bytes: Buffer): Buffer | undefined {
    const earlier = this.pieces.length > 0 ? this.tail() : undefined;
    const across = earlier ? acrossEnd(earlier, bytes) : startEnd(bytes);
    if (across !== undefined) {
      return this.endMessage(bytes, across.keep, across.next);
    }
    const end = bytes.indexOf(END_OF_DATA);
    if (end >= 0) {
      return this.endMessage(bytes, end + 2, end + END_OF_DATA.length);
    }
    this.pieces.push(bytes);
    this.piecesSize += bytes.length;
    if (this.piecesSize > LARGEST_MESSAGE) {
      this.refuseAndEnd('552 5.3.4 Message too large\r\n');
    }
    return undefined;
  }

  // `keep` bytes of this piece belong to the message (negative: the last bytes of the previous
  // pieces do not), `next` is where the next command begins.
  private endMessage(bytes: Buffer, messageBytes: number, next: number): Buffer {
    let whole: Buffer;
    if (this.pieces.length === 0) {
      whole = bytes.subarray(0, messageBytes);
    } else {
      if (messageBytes > 0) {
        this.pieces.push(bytes.subarray(0, messageBytes));
      }
      whole = this.joined();
      whole = messageBytes < 0 ? whole.subarray(0, whole.length + messageBytes) : whole;
    }
    this.isInData = false;
    this.takeMessage(unstuffed(whole));
    return bytes.subarray(next);
  }

  private readChunk(bytes: Buffer, chunk: NonNullable<Session['chunk']>): Buffer {
    const part = bytes.subarray(0, chunk.left);
    chunk.left -= part.length;
    if (chunk.refusal === '') {
      this.pieces.push(part);
      this.piecesSize += part.length;
    }
    if (chunk.left === 0) {
      this.chunk = undefined;
      this.endChunk(chunk.isLast, chunk.refusal);
    }
    return bytes.subarray(part.length);
  }

  private endChunk(isLast: boolean, refusal: string): void {
    if (refusal !== '') {
      this.out.push(refusal);
      return;
    }
    const bytes = this.joined();
    if (!isLast) {
      this.chunks.push(bytes);
      this.out.push('250 2.0.0 Ok\r\n');
      return;
    }
    const whole = this.chunks.length > 0 ? Buffer.concat([...this.chunks, bytes]) : bytes;
    this.chunks = [];
    this.takeMessage(whole);
  }

  private takeMessage(bytes: Buffer): void {
    const to = this.to.join(', ');
    const { from, subject } = fromAndSubject(bytes);
    const message: Incoming = {
      bytes,
      from: from || (this.from ?? ''),
      to,
      subject,
      receivedAt: clock.now().getTime(),
    };
    this.from = undefined;
    this.to = [];
    this.waiting++;
    this.server.take(message, this, this.out.push('') - 1);
  }

  private joined(): Buffer {
    const whole = this.pieces.length === 1 ? this.pieces[0] : Buffer.concat(this.pieces);
    this.pieces = [];
    this.piecesSize = 0;
    return whole ?? Buffer.alloc(0);
  }

  // The last four bytes received.
  private tail(): Buffer {
    const last = this.pieces.at(-1) ?? Buffer.alloc(0);
    return last.length >= 4 || this.pieces.length === 1
      ? last.subarray(-4)
      : Buffer.concat(this.pieces.slice(-4)).subarray(-4);
  }

  private command(line: string): void {
    const verb = line.slice(0, 4).toUpperCase();
    switch (verb) {
      case 'MAIL':
        this.mail(line);
        break;
      case 'RCPT':
        this.rcpt(line);
        break;
      case 'DATA':
        this.data();
        break;
      case 'BDAT':
        this.bdat(line);
        break;
      case 'EHLO':
        this.reset(EHLO);
        break;
      case 'HELO':
        this.reset('250 inbox.localhost\r\n');
        break;
      case 'RSET':
        this.reset('250 2.0.0 Ok\r\n');
        break;
      case 'NOOP':
        this.out.push('250 2.0.0 Ok\r\n');
        break;
      case 'QUIT':
        this.refuseAndEnd('221 2.0.0 Bye\r\n');
        break;
      default:
        this.out.push('502 5.5.1 Command not known\r\n');
    }
  }

  private mail(line: string): void {
    const address = addressOf(line, 'from');
    if (this.from !== undefined) {
      this.out.push('503 5.5.1 Nested MAIL command\r\n');
    } else if (address === undefined) {
      this.out.push('501 5.1.7 Not an address\r\n');
    } else {
      this.from = address;
      this.out.push('250 2.1.0 Ok\r\n');
    }
  }

  private rcpt(line: string): void {
    const address = addressOf(line, 'to');
    if (this.from === undefined) {
      this.out.push('503 5.5.1 Send MAIL first\r\n');
    } else if (!address) {
      this.out.push('501 5.1.3 Not an address\r\n');
    } else if (this.to.length >= MAX_RECIPIENTS) {
      this.out.push('452 4.5.3 Too many recipients\r\n');
    } else {
      this.to.push(address);
      this.out.push('250 2.1.5 Ok\r\n');
    }
  }

  private data(): void {
    if (this.to.length === 0 || this.chunks.length > 0) {
      this.out.push('503 5.5.1 Send RCPT first\r\n');
    } else {
      this.isInData = true;
      this.out.push('354 End with a dot\r\n');
    }
  }

  // The client sends the bytes of the chunk whether the command is refused or not.
  private bdat(line: string): void {
    const [, size, last] = /^BDAT (\d{1,9})( LAST)?$/i.exec(line) ?? [];
    if (size === undefined) {
      this.refuseAndEnd('501 5.5.4 BDAT needs a size\r\n');
      return;
    }
    const left = Number(size);
    const earlier = this.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    let refusal = '';
    if (this.to.length === 0) {
      refusal = '503 5.5.1 Send RCPT first\r\n';
    } else if (earlier + left > LARGEST_MESSAGE) {
      refusal = '552 5.3.4 Message too large\r\n';
    }
    const isLast = last !== undefined;
    if (left === 0) {
      this.endChunk(isLast, refusal);
    } else {
      this.chunk = { left, isLast, refusal };
    }
  }

  private reset(answer: string): void {
    this.chunks = [];
    this.from = undefined;
    this.to = [];
    this.out.push(answer);
  }

  private refuseAndEnd(answer: string): void {
    this.out.push(answer);
    this.isEnding = true;
  }
}

function addressOf(line: string, keyword: 'from' | 'to'): string | undefined {
  const start = line.indexOf('<', 5);
  const end = line.indexOf('>', start);
  const isMatch = line.slice(5, start).trim().toLowerCase() === `${keyword}:`;
  return isMatch && start > 0 && end > start ? line.slice(start + 1, end) : undefined;
}
