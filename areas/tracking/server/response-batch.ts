// Writes the responses of one turn of the event loop together, after all its requests are handled.
// Each write wakes the process that reads it, and waking a proxy or client on the same machine for
// each response would cost more than all other work for a hit (docs/benchmarks.md, track).
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

type PendingResponse = {
  response: ServerResponse;
  status: number;
  headers: OutgoingHttpHeaders;
  /**
   * A Latin-1 string, which is written together with the header; a buffer would take two writes.
   */
  body: string | undefined;
};

export class ResponseBatch {
  private pendingResponses: PendingResponse[] = [];
  private isClosing = false;

  /**
   * Writes a response at the end of this turn of the event loop, or immediately during shutdown.
   */
  add(response: ServerResponse, status: number, headers: OutgoingHttpHeaders, body?: string): void {
    this.pendingResponses.push({ response, status, headers, body });
    if (this.isClosing) this.flush();
    else if (this.pendingResponses.length === 1) setImmediate(() => this.flush());
  }

  /**
   * Writes pending responses and closes their connections because idle ones would delay the
   * shutdown.
   */
  close(): void {
    this.isClosing = true;
    for (const { response } of this.pendingResponses) response.shouldKeepAlive = false;
    this.flush();
  }

  private flush(): void {
    const { pendingResponses } = this;
    this.pendingResponses = [];
    for (const { response, status, headers, body } of pendingResponses) {
      response.writeHead(status, headers);
      response.end(body, 'latin1');
    }
  }
}
