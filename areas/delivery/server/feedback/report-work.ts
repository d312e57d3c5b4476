// Reads a returned email in a thread of the pool (returned-email.ts).
import { readReport } from './report.ts';

type Input = { bytes: Uint8Array; isUnsubscribeBox: boolean };

export const work = ({ bytes, isUnsubscribeBox }: Input) =>
  readReport(Buffer.from(bytes), isUnsubscribeBox);
