// Responses of one turn of the event loop are written together, once all its requests are handled.
// Each write wakes its reader: individual writes would wake a proxy or client on the same machine
// each time, which costs more than all other work for a hit (docs/benchmarks.md, track). With one
// combined write it wakes only once.
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

type Answer = {
  response: ServerResponse;
  status: number;
  headers: OutgoingHttpHeaders;
  /** Latin-1: a string is written together with the header, a buffer would take two writes. */
  body: string | undefined;
};

export class Answers {
  private waiting: Answer[] = [];
  private isClosing = false;

  /** Writes at the end of this turn of the loop; immediately during shutdown. */
  give(
    response: ServerResponse,
    status: number,
    headers: OutgoingHttpHeaders,
    body?: string,
  ): void {
    this.waiting.push({ response, status, headers, body });
    if (this.isClosing) this.flush();
    else if (this.waiting.length === 1) setImmediate(() => this.flush());
  }

  /**
   * Writes pending responses and closes their connections: an idle one would delay the shutdown.
   */
  close(): void {
    this.isClosing = true;
    for (const { response } of this.waiting) response.shouldKeepAlive = false;
    this.flush();
  }

  private flush(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const { response, status, headers, body } of waiting) {
      response.writeHead(status, headers);
      response.end(body, 'latin1');
    }
  }
}
