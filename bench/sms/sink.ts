// An SMSC that accepts everything as fast as one process can. It answers binds and submits without
// parsing them, and prints its port.
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

const HEADER = 16;

/** Returns complete responses to complete requests. The remaining bytes wait for more data. */
function answers(bytes: Buffer): { out: Buffer; rest: Buffer } {
  const out: Buffer[] = [];
  let at = 0;
  while (at + HEADER <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    if (at + length > bytes.length) break;
    const answer = Buffer.alloc(HEADER + 9);
    answer.writeUInt32BE(answer.length, 0);
    answer.writeUInt32BE((bytes.readUInt32BE(at + 4) | 0x80000000) >>> 0, 4);
    bytes.copy(answer, 12, at + 12, at + 16);
    answer.write(bytes.toString('hex', at + 12, at + 16), HEADER, 'latin1');
    out.push(answer);
    at += length;
  }
  return { out: Buffer.concat(out), rest: bytes.subarray(at) };
}

const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on('error', () => {});
  let buffered = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    const { out, rest } = answers(buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]));
    buffered = Buffer.from(rest);
    if (out.length > 0) socket.write(out);
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
