// The parts of npm smpp that the test SMSC uses.
declare module 'smpp' {
  import type { EventEmitter } from 'node:events';
  import type { Server } from 'node:net';

  export type SmppPdu = {
    readonly [field: string]: unknown;
    command_status: number;
    response(fields?: object): SmppPdu;
  };
  export interface SmppSession extends EventEmitter {
    send(pdu: SmppPdu): boolean;
    destroy(): void;
    close(): void;
    submit_sm(fields: object, answered: (pdu: SmppPdu) => void): boolean;
    bind_transceiver(fields: object, answered: (pdu: SmppPdu) => void): boolean;
    deliver_sm(fields: object, answered: (pdu: SmppPdu) => void): boolean;
  }
  const smpp: {
    createServer(onSession: (session: SmppSession) => void): Server;
    connect(options: object, connected?: () => void): SmppSession;
  };
  export default smpp;
}
