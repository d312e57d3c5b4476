// An IMAP server for tests (RFC 3501 over TLS): folders with emails, login, read-only access,
// header fields, and Gmail's categories.
import { createServer, type TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { testCertificate } from './certificate.ts';

type StoredEmail = { headers: string; category?: string };

export type TestImap = {
  host: string;
  port: number;
  ca: string;
  folders: Map<string, { flags: string; emails: StoredEmail[] }>;
  isGmail: boolean;
  /**
   * The access token that opens the mailbox by XOAUTH2. If set, passwords are refused, as at
   * Outlook.com.
   */
  accessToken: string | undefined;
  /** Whether LOGIN is answered with an endless line. */
  isEndless: boolean;
  /** The received commands, without the arguments of LOGIN and AUTHENTICATE. */
  commands: string[];
  close(): Promise<void>;
};

export async function testImap(login: { user: string; password: string }): Promise<TestImap> {
  const sockets = new Set<TLSSocket>();
  const imap: TestImap = {
    ...{ host: 'localhost', port: 0, ca: testCertificate.cert },
    folders: new Map([
      ['INBOX', { flags: '\\HasNoChildren', emails: [] }],
      ['Spam', { flags: '\\HasNoChildren \\Junk', emails: [] }],
    ]),
    ...{ isGmail: false, isEndless: false, accessToken: undefined, commands: [] },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
  const server = createServer({ ...testCertificate }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    new ImapSession(socket, imap, login);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  imap.port = (server.address() as AddressInfo).port;
  return imap;
}

class ImapSession {
  private buffered = '';
  private folderEmails: readonly StoredEmail[] = [];
  private readonly socket: TLSSocket;
  private readonly imap: TestImap;
  private readonly login: { user: string; password: string };

  constructor(socket: TLSSocket, imap: TestImap, login: { user: string; password: string }) {
    this.socket = socket;
    this.imap = imap;
    this.login = login;
    socket.on('data', (chunk) => this.read(chunk.toString('latin1')));
    this.write('* OK ready');
  }

  private write(...lines: string[]): void {
    this.socket.write(lines.map((line) => `${line}\r\n`).join(''));
  }

  private read(text: string): void {
    this.buffered += text;
    for (let end = this.buffered.indexOf('\r\n'); end >= 0; end = this.buffered.indexOf('\r\n')) {
      const line = this.buffered.slice(0, end);
      this.buffered = this.buffered.slice(end + 2);
      const [, tag = '', name = '', rest = ''] = /^(\S+) (?:UID )?(\S+) ?(.*)$/i.exec(line) ?? [];
      const command = name.toUpperCase();
      const isSecret = command === 'LOGIN' || command === 'AUTHENTICATE';
      this.imap.commands.push(isSecret ? command : `${command} ${rest}`.trim());
      const lines = this.handleCommand(command, rest);
      if (lines) this.write(...lines.slice(0, -1), `${tag} ${lines.at(-1) ?? 'OK done'}`);
      if (command === 'LOGOUT') this.socket.end();
    }
  }

  /**
   * Returns the untagged lines and then the tagged one; undefined while an endless line is sent.
   */
  private handleCommand(command: string, argument: string): string[] | undefined {
    const { isGmail } = this.imap;
    if (command === 'CAPABILITY') {
      const gmail = isGmail ? ' X-GM-EXT-1' : '';
      const oauth = this.imap.accessToken === undefined ? '' : ' SASL-IR AUTH=XOAUTH2';
      return [`* CAPABILITY IMAP4rev1 ID NAMESPACE SPECIAL-USE${gmail}${oauth}`, 'OK done'];
    }
    if (command === 'AUTHENTICATE') return this.authenticate(argument);
    if (command === 'LOGIN') return this.signIn(argument);
    if (command === 'NAMESPACE') return ['* NAMESPACE (("" "/")) NIL NIL', 'OK done'];
    if (command === 'LIST' || command === 'LSUB') return this.list(command, argument);
    if (command === 'EXAMINE' || command === 'SELECT') return this.open(argument);
    if (command === 'FETCH') return this.fetch(argument);
    if (command === 'SEARCH') return this.search(argument);
    if (command === 'LOGOUT') return ['* BYE bye', 'OK done'];
    return ['OK done'];
  }

  private signIn(argument: string): string[] | undefined {
    if (this.imap.isEndless) {
      const flood = setInterval(() => this.socket.write('x'.repeat(65_536)), 1);
      this.socket.on('close', () => clearInterval(flood));
      return undefined;
    }
    const isValid =
      this.imap.accessToken === undefined &&
      argument.includes(this.login.user) &&
      argument.includes(this.login.password);
    return [isValid ? 'OK signed in' : 'NO [AUTHENTICATIONFAILED] Invalid credentials'];
  }

  /** XOAUTH2 with an initial response (SASL-IR). */
  private authenticate(argument: string): string[] {
    const [method, response = ''] = argument.split(' ');
    const { accessToken = '' } = this.imap;
    const valid = `user=${this.login.user}\u0001auth=Bearer ${accessToken}\u0001\u0001`;
    const isValid =
      method === 'XOAUTH2' && Buffer.from(response, 'base64').toString('utf8') === valid;
    return [isValid ? 'OK signed in' : 'NO [AUTHENTICATIONFAILED] Invalid credentials'];
  }

  private list(command: string, argument: string): string[] {
    if (argument.endsWith(' ""')) return [`* ${command} (\\Noselect) "/" ""`, 'OK done'];
    const folders = [...this.imap.folders];
    return [
      ...folders.map(([name, { flags }]) => `* ${command} (${flags}) "/" "${name}"`),
      'OK done',
    ];
  }

  private open(argument: string): string[] {
    this.folderEmails = this.imap.folders.get(argument.replaceAll('"', ''))?.emails ?? [];
    const count = this.folderEmails.length;
    return [
      '* FLAGS (\\Seen)',
      `* ${count} EXISTS`,
      '* 0 RECENT',
      '* OK [UIDVALIDITY 1] valid',
      `* OK [UIDNEXT ${count + 1}] next`,
      'OK [READ-ONLY] done',
    ];
  }

  private fetch(argument: string): string[] {
    const firstUid = Number(argument.split(/[:\s]/)[0]);
    const section = /BODY\.PEEK(\[HEADER\.FIELDS \([^)]*\)\])/i.exec(argument)?.[1] ?? '[HEADER]';
    const emails = this.folderEmails.flatMap(({ headers }, index) => {
      if (index + 1 < firstUid) return [];
      const text = `${headers}\r\n\r\n`;
      const size = Buffer.byteLength(text);
      return [`* ${index + 1} FETCH (UID ${index + 1} BODY${section} {${size}}\r\n${text})`];
    });
    return [...emails, 'OK done'];
  }

  private search(argument: string): string[] {
    const category = /category:(\w+)/.exec(argument)?.[1];
    const hits = this.folderEmails.flatMap((email, index) =>
      email.category === category ? [index + 1] : [],
    );
    return [`* SEARCH ${hits.join(' ')}`.trim(), 'OK done'];
  }
}
