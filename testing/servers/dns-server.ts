// A DNS server for tests: answers over UDP (RFC 1035) from a table, with NXDOMAIN for other names.
// Like any resolver, it follows a CNAME to the records of its target.
import { createSocket } from 'node:dgram';

/** An MX value is '10 host', or '0 .' for a domain that accepts no email. */
type RecordValues = { TXT?: string[]; A?: string[]; PTR?: string[]; MX?: string[] };
export type Records = RecordValues & { CNAME?: string };
export type DnsZone = Map<string, Records>;
/** The records by name; the names are in lower case. */
type ReadableZone = Pick<DnsZone, 'get' | 'has'>;

const TYPES: Record<number, 'CNAME' | keyof RecordValues> = {
  1: 'A',
  5: 'CNAME',
  12: 'PTR',
  15: 'MX',
  16: 'TXT',
};
const NUMBERS = new Map(Object.entries(TYPES).map(([number, kind]) => [kind, Number(number)]));

function writeName(name: string): Buffer {
  const labels = name
    .split('.')
    .filter(Boolean)
    .map((label) => {
      const bytes = Buffer.from(label, 'latin1');
      return Buffer.concat([Buffer.from([bytes.length]), bytes]);
    });
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let offset = 12;
  while (query[offset]) {
    const length = query[offset] as number;
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: query.readUInt16BE(offset + 1),
    end: offset + 5,
  };
}

/** Encodes TXT data: the value in strings of at most 255 bytes. */
function writeTxt(value: string): Buffer {
  const bytes = Buffer.from(value);
  const segments: Buffer[] = [];
  for (let start = 0; start < bytes.length || start === 0; start += 255) {
    const segment = bytes.subarray(start, start + 255);
    segments.push(Buffer.from([segment.length]), segment);
  }
  return Buffer.concat(segments);
}

type ResourceRecord = { kind: 'CNAME' | keyof RecordValues; value: string };

function responsesFor(name: string, type: number, zone: ReadableZone): ResourceRecord[] {
  const recordKind = TYPES[type];
  const records = zone.get(name);
  if (!records || !recordKind) return [];
  const alias: ResourceRecord[] = records.CNAME ? [{ kind: 'CNAME', value: records.CNAME }] : [];
  if (recordKind === 'CNAME') return alias;
  const values = (records.CNAME ? zone.get(records.CNAME) : records)?.[recordKind];
  return [...alias, ...(values ?? []).map((value) => ({ kind: recordKind, value }))];
}

function dataOf({ kind, value }: ResourceRecord): Buffer {
  if (kind === 'TXT') return writeTxt(value);
  if (kind === 'A') return Buffer.from(value.split('.').map(Number));
  if (kind !== 'MX') return writeName(value);
  const [preference = '', exchange = ''] = value.split(' ');
  return Buffer.concat([Buffer.from([0, Number(preference)]), writeName(exchange)]);
}

function writeRecord(record: ResourceRecord): Buffer {
  const data = dataOf(record);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(NUMBERS.get(record.kind) ?? 0, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function responseTo(query: Buffer, zone: ReadableZone): Buffer {
  const { name, type, end } = readQuestion(query);
  const records = responsesFor(name, type, zone).map(writeRecord);
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(zone.has(name) ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, query.subarray(12, end), ...records]);
}

export type TestDns<Z = DnsZone> = {
  address: string;
  zone: Z;
  isSilent: boolean;
  close(): Promise<void>;
};

/** Starts a server on a free loopback port. While `isSilent` is set, queries time out. */
export async function testDns(): Promise<TestDns>;
export async function testDns<Z extends ReadableZone>(zone: Z): Promise<TestDns<Z>>;
export async function testDns(zone: ReadableZone = new Map()): Promise<TestDns<ReadableZone>> {
  const socket = createSocket('udp4');
  const server: TestDns<ReadableZone> = {
    address: '',
    zone,
    isSilent: false,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
  socket.on('message', (query, peer) => {
    if (!server.isSilent) socket.send(responseTo(query, server.zone), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  server.address = `127.0.0.1:${socket.address().port}`;
  return server;
}
