// A load of GET requests over keep-alive connections, one at a time on each connection. It counts
// responses exactly, even if the server stops during the load.
import { connect, type Socket } from 'node:net';

export type LoadResult = { answered: number; ms: number };

const END = Buffer.from('\r\n\r\n');

/** Runs the load until its time is over or the server has closed all connections. */
export function runLoad(options: {
  port: number;
  paths: readonly string[];
  connections: number;
  seconds: number;
}): { done: Promise<LoadResult> } {
  const { port, paths, seconds } = options;
  const start = performance.now();
  let nextIndex = 0;
  let answeredCount = 0;
  let lastAnswerAt = start;
  const isOver = () => performance.now() - start > seconds * 1000;

  function next(socket: Socket): void {
    const path = paths[nextIndex++ % paths.length];
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nUser-Agent: Mozilla/5.0 (X11) Gecko\r\n\r\n`);
  }

  const run = () =>
    new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => next(socket));
      let input = Buffer.alloc(0);
      socket.setNoDelay(true);
      socket.on('data', (bytes) => {
        input = input.length === 0 ? bytes : Buffer.concat([input, bytes]);
        const head = input.indexOf(END);
        if (head === -1) return;
        const length = Number(
          /content-length: (\d+)/i.exec(input.toString('latin1', 0, head))?.[1],
        );
        if (input.length < head + END.length + (length || 0)) return;
        input = Buffer.alloc(0);
        answeredCount += 1;
        lastAnswerAt = performance.now();
        if (isOver()) socket.end();
        else next(socket);
      });
      socket.on('error', () => {});
      socket.on('close', resolve);
    });

  const allConnections = Promise.all(Array.from({ length: options.connections }, run));
  return {
    done: allConnections.then(() => ({ answered: answeredCount, ms: lastAnswerAt - start })),
  };
}
