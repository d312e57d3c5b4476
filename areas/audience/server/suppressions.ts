// The calls of the suppression list.
import { readAccount } from '#areas/accounts/server/index.ts';
import { getAddressField, type Channel } from '#areas/subscribers/shared.ts';
import {
  listAllSuppressions,
  liftSuppression,
  suppressAddresses,
  readSuppressions,
  type Suppression,
} from '#areas/subscribers/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { csvStream } from '#platform/server/files/csv.ts';
import { afterCommit, type Db, type Reader } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { readToEndIfRefused } from '#platform/server/http/refused-upload.ts';
import { uploadedBytes } from '#platform/server/http/uploaded-bytes.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { SUPPRESSION_FILE_MB } from '../shared.ts';
import { suppressionCalls } from '../suppressions-contract.ts';
import { clearCounts } from './list.ts';
import { importSuppressionFile } from './suppression-file.ts';

const MAX_LISTED_INVALID = 20;

export const suppressionRoutes: Route[] = createRoutes(
  'audience',
  suppressionCalls,
  {
    listSuppressions: async ({ tx, caller, query: { list, ...by } }) => {
      const { data, ...rest } = await readSuppressions(tx, caller.accountId, list, by);
      return { data: data.map(present), ...rest };
    },
    addSuppressions: async ({ tx, caller, body: { addresses, ...details } }) => {
      const country = await readCountry(tx, caller.accountId, details.channel);
      const { userId, accountId } = caller;
      const counts = await suppressAddresses(tx, accountId, addresses, {
        ...details,
        userId,
        country,
      });
      afterCommit(() => clearCounts(accountId));
      return presentSuppressed(counts);
    },
    importSuppressions: async ({ db, caller, query, request }) => {
      const fileSize = SUPPRESSION_FILE_MB * 1_048_576;
      const limits = { fileSize: fileSize + 1, files: 1, fields: 10 };
      const filePart = request.isMultipart() ? await request.file({ limits }) : undefined;
      if (filePart === undefined) throw new AppError('file_missing');
      const country = await readCountry(db, caller.accountId, query.channel);
      const options = { ...query, userId: caller.userId, country };
      const bytes = uploadedBytes(request, filePart.file);
      const counts = await readToEndIfRefused(request, () =>
        importSuppressionFile(db, caller.accountId, bytes, fileSize, options),
      );
      clearCounts(caller.accountId);
      return presentSuppressed(counts);
    },
    exportSuppressions: async ({ db, caller, query, reply }) => {
      const t = serverTexts('audience', caller.language);
      const titles = ['address', 'id', 'reason', 'since'].map((column) =>
        t(`suppressed.${column}`),
      );
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="suppressions-${query.channel}.csv"`)
        .send(csvStream(titles, formatLines(db, caller.accountId, query)));
    },
    liftSuppression: async ({ tx, caller, params, body }) => {
      const suppressionKey = { channel: body.channel, hash: params.id };
      await liftSuppression(tx, caller.accountId, suppressionKey, caller.userId);
    },
  },
  {},
  'imports',
);

async function* formatLines(
  db: Db,
  accountId: number,
  filters: Parameters<typeof listAllSuppressions>[2],
): AsyncGenerator<string[][]> {
  for await (const page of listAllSuppressions(db, accountId, filters))
    yield page.map(({ hash, reason, at, subscriber }) => [
      subscriber?.address ?? '',
      hash,
      reason,
      at.toISOString(),
    ]);
}

/** Returns the account's country, used to parse national numbers. */
async function readCountry(db: Reader, accountId: number, channel: Channel) {
  if (getAddressField(channel) === 'email') return undefined;
  return (await readAccount(db, accountId)).country ?? undefined;
}

const presentSuppressed = ({
  added,
  already,
  invalid,
}: {
  added: number;
  already: number;
  invalid: string[];
}) => ({
  added,
  already,
  invalid: invalid.slice(0, MAX_LISTED_INVALID),
  invalid_count: invalid.length,
});

const present = ({ hash, reason, at, subscriber }: Suppression) => ({
  id: hash,
  reason,
  since: at.toISOString(),
  subscriber: subscriber
    ? { id: encodeId('subscriber', subscriber.id), address: subscriber.address }
    : null,
});
