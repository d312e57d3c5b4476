// An upload over a separate socket at a speed that the test controls. A response that arrives early
// does not stop the upload.
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import type { TestClient, TestServer } from './server.ts';

const BOUNDARY = 'a-mark-of-the-test';

export interface SocketUpload {
  /** Sends bytes of the file; waits while the server does not read. */
  send: (bytes: Buffer) => Promise<void>;
  /** Sends the end of the form after the file. */
  end: () => Promise<void>;
  /** The response received so far. */
  readResponse: () => string;
  close: () => void;
}

/** Starts uploading a file of `size` bytes. The server must be listening. */
export async function startUpload(
  { app }: TestServer,
  { cookies }: TestClient,
  file: { url: string; name: string; size: number },
): Promise<SocketUpload> {
  const { port } = app.server.address() as AddressInfo;
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${file.name}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const tail = `\r\n--${BOUNDARY}--\r\n`;
  const socket = net.connect(port, '127.0.0.1');
  let response = '';
  socket.on('data', (data) => (response += data));
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  socket.write(
    `POST ${file.url} HTTP/1.1\r\nhost: localhost\r\nx-sendloom: 1\r\ncookie: ${cookie}\r\ncontent-type: multipart/form-data; boundary=${BOUNDARY}\r\ncontent-length: ${head.length + file.size + tail.length}\r\n\r\n${head}`,
  );
  return {
    send: async (bytes) => {
      if (!socket.write(bytes)) await once(socket, 'drain');
    },
    end: () => new Promise((resolve) => socket.write(tail, () => resolve())),
    readResponse: () => response,
    close: () => socket.destroy(),
  };
}
