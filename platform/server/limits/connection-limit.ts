// Limits the connections one network may hold on a TCP server, so that it cannot exhaust the
// server's capacity.
import type { Server, Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { toNetwork } from './visitor-network.ts';

type ConnectionLimit = {
  maxPerNetwork: number;
  /** Sent to a connection above the limit before it is closed. */
  refusalMessage: string;
  /**
   * Networks without a limit; by default private ones, where a load balancer may forward all
   * clients.
   */
  isExempt?: (address: string) => boolean;
};

/** Runs before the listeners registered on the server so far. */
export function limitConnections(
  server: Server,
  { maxPerNetwork, refusalMessage, isExempt = isPrivate }: ConnectionLimit,
): void {
  const handlers = server.listeners('connection') as ((socket: Socket) => void)[];
  const openCounts = new Map<string, number>();
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (!isExempt(address)) {
      const network = toNetwork(address);
      const count = openCounts.get(network) ?? 0;
      if (count >= maxPerNetwork) {
        socket.on('error', () => {});
        socket.end(refusalMessage);
        socket.destroySoon();
        return;
      }
      openCounts.set(network, count + 1);
      socket.once('close', () => {
        const remaining = (openCounts.get(network) ?? 1) - 1;
        if (remaining === 0) openCounts.delete(network);
        else openCounts.set(network, remaining);
      });
    }
    for (const handle of handlers) handle.call(server, socket);
  });
}

function isPrivate(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() !== 'unicast';
}
