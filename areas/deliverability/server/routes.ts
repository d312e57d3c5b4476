// Serves the deliverability endpoints, except for the autopilot endpoints.
import type { SendingHosts } from '#areas/domains/server/index.ts';
import { AppError } from '#platform/server/errors.ts';
import { readToEndIfRefused } from '#platform/server/http/refused-upload.ts';
import { uploadedBytes } from '#platform/server/http/uploaded-bytes.ts';
import {
  type Handlers,
  type CallLimits,
  type Route,
  createRoutes,
} from '#platform/server/http/serve.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { calls } from '../contract.ts';
import { MAX_UPLOAD_MEGABYTES } from '../shared.ts';
import type { BimiDependencies } from './bimi/bimi.ts';
import { listHealth } from './health/list-health.ts';
import * as overview from './overview.ts';
import { MAX_REPORT_BYTES } from './reading/limits.ts';
import { receiveUpload } from './receive.ts';
import { createSignalHandlers, signalLimits, type SignalDependencies } from './signals/handlers.ts';

type SendingLists = Parameters<typeof overview.readDeliverability>[2]['sending'];

const UPLOADS = { capacity: 100, perSecond: 0.5 };
const CHECKS = { capacity: 20, perSecond: 20 / 3600 };

const limits: CallLimits<typeof calls> = {
  ...signalLimits,
  checkBimi: ({ db, caller }) => requireToken(db, `bimi:${caller.accountId}`, CHECKS),
  uploadReport: ({ db, caller }) => requireToken(db, `report-upload:${caller.accountId}`, UPLOADS),
};

export type RouteDependencies = {
  hosts: SendingHosts;
  sending: SendingLists;
  bimi: BimiDependencies;
  signals: SignalDependencies;
};

export function deliverabilityRoutes({
  hosts,
  sending,
  bimi,
  signals,
}: RouteDependencies): Route[] {
  const handlers: Handlers<typeof calls> = {
    ...createSignalHandlers(signals),
    checkBimi: async ({ db, caller, params }) => {
      await overview.checkBimiNow(db, caller.accountId, params.id, bimi);
    },
    listDeliverability: ({ tx, caller }) =>
      overview.listDeliverability(tx, caller.accountId, hosts),
    listHealth: ({ tx, caller }) => listHealth(tx, caller.accountId),
    getDeliverability: ({ tx, caller, params, query }) =>
      overview.readDeliverability(tx, caller.accountId, {
        ...params,
        ...query,
        hosts,
        sending,
      }),
    setSource: ({ tx, caller, params, body }) =>
      overview.setSource(tx, caller, params.id, body, hosts),
    listReportFiles: ({ tx, caller }) => overview.listFiles(tx, caller.accountId),
    uploadReport: async ({ db, caller, request }) => {
      const upload = request.isMultipart()
        ? await request.file({ limits: { fileSize: MAX_REPORT_BYTES + 1, files: 1, fields: 5 } })
        : undefined;
      if (upload === undefined) throw new AppError('file_missing');
      const row = await readToEndIfRefused(request, async () => {
        const bytes = await readBytes(uploadedBytes(request, upload.file));
        return receiveUpload(db, caller.accountId, { name: upload.filename, bytes });
      });
      return overview.presentFile(row);
    },
  };
  return createRoutes('deliverability', calls, handlers, limits);
}

async function readBytes(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const list: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MAX_REPORT_BYTES) {
      throw new AppError('file_too_large', { values: { megabytes: MAX_UPLOAD_MEGABYTES } });
    }
    list.push(chunk);
  }
  if (size === 0) throw new AppError('file_empty');
  return Buffer.concat(list);
}
