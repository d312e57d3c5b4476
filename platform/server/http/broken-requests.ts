// Sends an error code for requests that Node's parser refuses; they have no request object.
import type { Socket } from 'node:net';

/** Node drops headers above this number, so none of them is inspected. */
export const MAX_HEADERS = 200;

const RESPONSES: Record<string, [status: string, code: string, message: string]> = {
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
const MALFORMED: (typeof RESPONSES)[string] = [
  '400 Bad Request',
  'malformed_request',
  'Invalid HTTP request.',
];

export function respondToBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const [status, code, message] = RESPONSES[error.code ?? ''] ?? MALFORMED;
  // The path is unknown. It may be a call of the public API, whose clients check `success`.
  const body = JSON.stringify({ success: false, message, code });
  if (socket.writable) {
    socket.write(
      `HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
        `Content-Type: application/json\r\nConnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroySoon();
}
