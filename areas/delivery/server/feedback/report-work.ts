// Reads a returned email in a worker thread, for returned-email.ts.
import { readReport } from './report.ts';

type Input = { bytes: Uint8Array; isUnsubscribeBox: boolean };

export const work = ({ bytes, isUnsubscribeBox }: Input) =>
  readReport(Buffer.from(bytes), isUnsubscribeBox);
