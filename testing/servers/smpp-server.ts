// A local SMSC based on an independent implementation (npm smpp). It answers as scripted and sends
// receipts and inbound SMS.
import type { AddressInfo } from 'node:net';
import smpp, { type SmppPdu, type SmppSession } from 'smpp';

export type SubmittedSms = {
  from: string;
  to: string;
  text: string;
  reference: number | undefined;
  part: number;
  parts: number;
  validity: string;
};

export type SmppScript = {
  /** Status of the bind response. */
  bindStatus?: number;
  /**
   * The response to a part: an error status, the ID of the accepted part, 'hang up' to disconnect,
   * or undefined for no response.
   */
  submit?: (sms: SubmittedSms) => number | string | undefined;
};

export type SmppServer = Awaited<ReturnType<typeof startSmppServer>>;

export async function startSmppServer() {
  const submittedSms: SubmittedSms[] = [];
  const sessions = new Set<SmppSession>();
  const script: SmppScript = {};
  const counts = { binds: 0, peak: 0, inFlight: 0 };
  let ids = 0;
  const server = smpp.createServer((session: SmppSession) => {
    session.on('error', () => {});
    session.on('close', () => sessions.delete(session));
    session.on('bind_transceiver', (pdu: SmppPdu) => {
      counts.binds++;
      const isValid = pdu.system_id === 'me' && pdu.password === 'secret';
      const status = script.bindStatus ?? (isValid ? 0 : 0x0e);
      session.send(pdu.response({ command_status: status }));
      if (status === 0) sessions.add(session);
    });
    session.on('enquire_link', (pdu: SmppPdu) => session.send(pdu.response()));
    session.on('unbind', (pdu: SmppPdu) => session.send(pdu.response()));
    session.on('submit_sm', (pdu: SmppPdu) => {
      counts.inFlight++;
      counts.peak = Math.max(counts.peak, counts.inFlight);
      setImmediate(() => {
        counts.inFlight--;
        respond(session, pdu);
      });
    });
  });
  function respond(session: SmppSession, pdu: SmppPdu): void {
    const sms = partOf(pdu);
    const reply = script.submit ? script.submit(sms) : (++ids).toString(16);
    if (reply === undefined) return;
    if (reply === 'hang up') return session.destroy();
    if (typeof reply === 'number')
      return void session.send(pdu.response({ command_status: reply }));
    submittedSms.push(sms);
    session.send(pdu.response({ message_id: reply }));
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const deliver = (fields: object) =>
    new Promise<number>((resolve) => {
      const [session] = sessions;
      session?.deliver_sm(fields, (pdu: SmppPdu) => resolve(pdu.command_status));
    });
  return {
    ...{ port, script, submitted: submittedSms, counts, sessions },
    /** Sends a delivery receipt; returns the status of the product's response. */
    receipt: (id: string, stat: string, from = '15125550101', overrides: object = {}) =>
      deliver({
        ...{ source_addr: from, destination_addr: '15125550177', esm_class: 4 },
        short_message: `id:${id} sub:001 dlvrd:001 submit date:2611230800 done date:2611230801 stat:${stat} err:000 text:`,
        ...overrides,
      }),
    inbound: (text: string, overrides: object = {}) =>
      deliver({
        ...{ source_addr_ton: 1, source_addr: '15125550101' },
        ...{ dest_addr_ton: 1, destination_addr: '15125550177', short_message: text, ...overrides },
      }),
    hangUp: () => {
      for (const session of sessions) session.destroy();
    },
    close: () =>
      new Promise<void>((resolve) => {
        for (const session of sessions) session.destroy();
        server.close(() => resolve());
      }),
  };
}

function partOf(pdu: SmppPdu): SubmittedSms {
  const { message, udh } = pdu.short_message as {
    message: string | Buffer;
    udh?: Buffer[] | Buffer;
  };
  const header = Array.isArray(udh) ? udh[0] : udh?.subarray(1);
  const concatenation = header && header.length >= 5 ? header.subarray(2) : undefined;
  return {
    ...{ from: String(pdu.source_addr), to: String(pdu.destination_addr), text: String(message) },
    ...{
      reference: concatenation?.[0],
      parts: concatenation?.[1] ?? 1,
      part: concatenation?.[2] ?? 1,
    },
    validity: pdu.validity_period instanceof Date ? pdu.validity_period.toISOString() : '',
  };
}
