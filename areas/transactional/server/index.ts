// Declares the area of transactional emails and SMS: its routes, event handlers and question
// handlers.
import { accessKeysEnded, smtpUsersMade } from '#areas/accounts/server/index.ts';
import { contentsInUse, imageUsedBy, readSendingOptions } from '#areas/content/server/index.ts';
import { domainUsedBy } from '#areas/domains/server/index.ts';
import { fieldUsedBy } from '#areas/fields/server/index.ts';
import { groupUsedBy } from '#areas/groups/server/index.ts';
import { segmentInForce, segmentUsedBy } from '#areas/segments/server/index.ts';
import {
  addressesErased,
  contentsNamingAddresses,
  eraseFromTexts,
} from '#platform/server/erasure/erasure.ts';
import { hasSmsProvider } from '#areas/sms/server/index.ts';
import { type Area, handleQuestion, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { listContents, rewriteEmails } from './emails.sql.ts';
import { publicTransactionalRoutes } from './public-routes.ts';
import { transactionalRoutes } from './routes.ts';
import { smsRoutes } from './sms-routes.ts';
import { endSmtpUsers, listSmtpUsersOfUser } from './smtp-users.ts';
import {
  listEmailsFromDomain,
  listEmailsUsingField,
  listEmailsWithAddress,
  listEmailsUsingGroup,
  listEmailsUsingImage,
  listEmailsUsingSegment,
} from './uses.ts';
import { searchQuestion, searchIn } from '#platform/server/search/search.ts';
import { listSearchableEmails } from './emails.sql.ts';
import { rewriteSms, listSearchableSms } from './sms.sql.ts';
import { rewriteSmtpUsers } from './smtp-users.sql.ts';

export function area(config: Config): Area {
  const options = readSendingOptions(config);
  return {
    name: 'transactional',
    description: 'Transactional email and SMS: templates, messages, reports and SMTP users.',
    routes: [
      ...transactionalRoutes(options, config.submission),
      ...publicTransactionalRoutes(options),
      ...smsRoutes({ publicUrl: config.publicUrl, hasProvider: hasSmsProvider(config) }),
    ],
    eventHandlers: [
      on(accessKeysEnded, endSmtpUsers),
      on(addressesErased, eraseFromTexts(rewriteEmails, rewriteSms, rewriteSmtpUsers)),
    ],
    questionHandlers: [
      handleQuestion(
        searchQuestion,
        searchIn('transactional_email', 'transactional', listSearchableEmails),
      ),
      handleQuestion(
        searchQuestion,
        searchIn('transactional_sms', 'transactional_text', listSearchableSms),
      ),
      handleQuestion(smtpUsersMade, listSmtpUsersOfUser),
      handleQuestion(domainUsedBy, listEmailsFromDomain),
      handleQuestion(fieldUsedBy, listEmailsUsingField),
      handleQuestion(contentsNamingAddresses, listEmailsWithAddress),
      handleQuestion(groupUsedBy, listEmailsUsingGroup),
      handleQuestion(segmentUsedBy, listEmailsUsingSegment),
      handleQuestion(segmentInForce, async (tx, question) => {
        const uses = await listEmailsUsingSegment(tx, question);
        return uses.map((use) => ({ ...use, right: 'transactional' as const }));
      }),
      handleQuestion(imageUsedBy, listEmailsUsingImage),
      handleQuestion(contentsInUse, listContents),
    ],
  };
}

export { sendCall } from './send.ts';
export { signInBySmtp } from './smtp-users.ts';
export { submitEmail } from './submit.ts';
