// Recognizes errors caused by an unreachable database node rather than by the failed statement.
import pg from 'pg';

/** Error codes of a server that shuts down, has crashed or starts. */
const STOPPED = new Set(['57P01', '57P02', '57P03']);

/** The coordinator reports a lost node within a statement as an internal error. */
const REMOTE =
  /remote node|could not connect|connection to the|failure on connection|could not receive|server closed the connection/i;

/**
 * Returns true if the error, or its cause, is a report of PostgreSQL or a connection pooler that a
 * server is unavailable: a node of a cluster, or the database itself while it restarts. False for a
 * connection that broke without a report, because the statement may have caused that.
 */
export function isNodeFailure(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof pg.DatabaseError && isOfServer(cause)) return true;
  }
  return false;
}

/**
 * Returns true if the error, or its cause, is the report of a cluster's coordinator that one of the
 * other nodes is unavailable. Statements about accounts on the remaining nodes still succeed then.
 * The codes in `STOPPED`, and 08P01 from a connection pooler, are reports about the coordinator
 * itself, so the result is false.
 */
export function isOtherNodeFailure(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof pg.DatabaseError && isOfServer(cause)) {
      return cause.code !== '08P01' && !STOPPED.has(cause.code ?? '');
    }
  }
  return false;
}

function isOfServer({ code = '', message }: pg.DatabaseError): boolean {
  return code.startsWith('08') || STOPPED.has(code) || (code === 'XX000' && REMOTE.test(message));
}
