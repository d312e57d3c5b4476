// Reads a file of reports in a thread of the pool (process-file.ts).
import { type ReadOptions, readReports } from './found-reports.ts';

type Input = { bytes: Uint8Array; options: ReadOptions };

export const work = ({ bytes, options }: Input) =>
  readReports(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), options);
