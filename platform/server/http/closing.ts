// Ends the connections of an HTTP server that shuts down. The server waits until all connections
// are closed, and without this Node keeps the connection of a response that was in progress open
// for the whole keep-alive time.
import type { Server, ServerResponse } from 'node:http';

export type ResponseTracker = {
  add(response: ServerResponse): void;
  /** Each connection is closed after its current response. */
  close(server: Server): void;
};

export function trackResponses(): ResponseTracker {
  const unfinishedResponses = new Set<ServerResponse>();
  let isClosing = false;
  return {
    add(response) {
      if (isClosing) {
        response.shouldKeepAlive = false;
        return;
      }
      unfinishedResponses.add(response);
      response.once('close', () => unfinishedResponses.delete(response));
    },
    close(server) {
      isClosing = true;
      for (const response of unfinishedResponses) {
        // Sends `Connection: close`, so that the client opens another connection.
        if (!response.headersSent) response.shouldKeepAlive = false;
        // The headers of this response were already sent, for example of a stream, so the server
        // must close its connection after the response.
        else response.once('finish', () => server.closeIdleConnections());
      }
    },
  };
}
