// Connections of an HTTP server that closes. It waits for all of them, but Node.js keeps a
// connection whose response began before for the whole keep-alive time.
import type { Server, ServerResponse } from 'node:http';

export type Answers = {
  add(response: ServerResponse): void;
  /** From now on each connection ends with its answer. */
  close(server: Server): void;
};

export function trackAnswers(): Answers {
  const unfinished = new Set<ServerResponse>();
  let isClosing = false;
  return {
    add(response) {
      if (isClosing) {
        response.shouldKeepAlive = false;
        return;
      }
      unfinished.add(response);
      response.once('close', () => unfinished.delete(response));
    },
    close(server) {
      isClosing = true;
      for (const response of unfinished) {
        // The header tells the client not to use the connection again.
        if (!response.headersSent) response.shouldKeepAlive = false;
        // A response that has begun, such as a stream: only the server can end its connection.
        else response.once('finish', () => server.closeIdleConnections());
      }
    },
  };
}
