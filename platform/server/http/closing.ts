// Connections of an HTTP server that closes. It waits for all of them, and Node.js keeps the connection
// of an answer that began before for the whole keep-alive time after its end.
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
        // Such as a stream: only the server can end its connection.
        else response.once('finish', () => server.closeIdleConnections());
      }
    },
  };
}
