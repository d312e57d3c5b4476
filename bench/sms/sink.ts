// An SMSC that accepts everything as fast as one process can. It prints its port, and answers bind
// and submit requests without parsing them.
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

const HEADER = 16;

/** Returns complete responses to complete requests. The remaining bytes wait for more data. */
function answerPdus(bytes: Buffer): { out: Buffer; rest: Buffer } {
  const responses: Buffer[] = [];
  let offset = 0;
  while (offset + HEADER <= bytes.length) {
    const length = bytes.readUInt32BE(offset);
    if (offset + length > bytes.length) break;
    const response = Buffer.alloc(HEADER + 9);
    response.writeUInt32BE(response.length, 0);
    response.writeUInt32BE((bytes.readUInt32BE(offset + 4) | 0x80000000) >>> 0, 4);
    bytes.copy(response, 12, offset + 12, offset + 16);
    response.write(bytes.toString('hex', offset + 12, offset + 16), HEADER, 'latin1');
    responses.push(response);
    offset += length;
  }
  return { out: Buffer.concat(responses), rest: bytes.subarray(offset) };
}

const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on('error', () => {});
  let buffer = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    const { out, rest } = answerPdus(buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk]));
    buffer = Buffer.from(rest);
    if (out.length > 0) socket.write(out);
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
