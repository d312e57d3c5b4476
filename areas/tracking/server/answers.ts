// Answers of one turn of the event loop leave together, when all that came in with them is taken in. Each
// write wakes whoever waits for it: one by one they wake a proxy or a client on the same machine each time,
// which costs more than all else that a hit needs (docs/benchmarks.md, track); together they find it awake.
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

type Answer = {
  response: ServerResponse;
  status: number;
  headers: OutgoingHttpHeaders;
  /** Latin-1: as a string it leaves in one write with the header; as a buffer it would take two. */
  body: string | undefined;
};

export class Answers {
  private waiting: Answer[] = [];
  private isClosing = false;

  /** Before the loop turns again; at once where the server closes. */
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

  /** What waits leaves, as the last of its connections: an idle one would hold the server up. */
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
