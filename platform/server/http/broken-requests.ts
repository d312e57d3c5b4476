// Requests that Node's parser refuses before there is a request: answered with a code, as all others are.
import type { Socket } from 'node:net';

/** Node drops further headers, so that no header beyond these is looked at. */
export const MAX_HEADERS = 200;

const ANSWERS: Record<string, [status: string, code: string, message: string]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'headers_too_large',
    'The address and headers of the request are too large.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    'request_timeout',
    'The request took too long to arrive.',
  ],
};
const MALFORMED: (typeof ANSWERS)[string] = [
  '400 Bad Request',
  'malformed_request',
  'This is no valid HTTP request.',
];

export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const [status, code, message] = ANSWERS[error.code ?? ''] ?? MALFORMED;
  // The path is unknown: `success` is what clients of the public API look at.
  const body = JSON.stringify({ success: false, message, code });
  if (socket.writable) {
    socket.write(
      `HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
        `Content-Type: application/json\r\nConnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroySoon();
}
