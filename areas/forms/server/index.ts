// The public interface of forms.
import { contentsInUse, imageUsedBy, readSendingOptions } from '#areas/content/server/index.ts';
import { domainUsedBy } from '#areas/domains/server/index.ts';
import { fieldUsedBy } from '#areas/fields/server/index.ts';
import { groupDeleted, groupUsedBy } from '#areas/groups/server/index.ts';
import { segmentInForce, segmentUsedBy } from '#areas/segments/server/index.ts';
import {
  addressesErased,
  contentsNamingAddresses,
  eraseFromTexts,
} from '#platform/server/erasure/erasure.ts';
import { type Area, handleQuestion, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import type { CaptchaProvider } from './captcha-provider.ts';
import {
  listActiveFormsUsingSegment,
  listFormsFromDomain,
  listFormsUsingField,
  listFormsWithAddress,
  listFormsUsingGroup,
  listFormsUsingImage,
  listFormsUsingSegment,
} from './uses.ts';
import { listContentsOfForms, deleteFormGroup, rewriteTitles } from './forms.sql.ts';
import { formsPlugin } from './public-plugin.ts';
import { publicFormRoutes } from './public-routes.ts';
import { formRoutes } from './routes.ts';
import { configureForms } from './settings.ts';
import { formsPoller } from './settle.ts';
import { searchQuestion, searchIn } from '#platform/server/search/search.ts';
import { searchableForms } from './forms.sql.ts';
import { subscribersErased, subscribersPurged } from '#areas/subscribers/server/index.ts';
import { eraseSubmissions } from './erase-people.sql.ts';

/**
 * @param embedFolder the folder of the built scripts for customers' sites
 * @param captcha replaces the built-in proof of work
 */
export function area(
  config: Config,
  { embedFolder, captcha }: { embedFolder: string; captcha: CaptchaProvider | undefined },
): Area {
  const { publicUrl } = config;
  return {
    name: 'forms',
    description: 'Sign-up forms, popups and prize wheels, with their submissions and reports.',
    routes: [...formRoutes(readSendingOptions(config)), ...publicFormRoutes],
    plugins: [formsPlugin],
    pollers: [formsPoller],
    eventHandlers: [
      on(addressesErased, eraseFromTexts(rewriteTitles)),
      on(subscribersErased, eraseSubmissions),
      on(subscribersPurged, eraseSubmissions),
      on(groupDeleted, async (tx, { accountId, groupId }) => {
        await deleteFormGroup(tx, accountId, groupId);
      }),
    ],
    questionHandlers: [
      handleQuestion(searchQuestion, searchIn('form', 'form', searchableForms)),
      handleQuestion(domainUsedBy, listFormsFromDomain),
      handleQuestion(groupUsedBy, listFormsUsingGroup),
      handleQuestion(segmentUsedBy, listFormsUsingSegment),
      handleQuestion(segmentInForce, listActiveFormsUsingSegment),
      handleQuestion(fieldUsedBy, listFormsUsingField),
      handleQuestion(contentsNamingAddresses, listFormsWithAddress),
      handleQuestion(imageUsedBy, listFormsUsingImage),
      handleQuestion(contentsInUse, listContentsOfForms),
    ],
    setUp: () => configureForms({ publicUrl, embedFolder, captcha }),
  };
}

export { formConfirmed, formSubmitted } from './events.ts';
export { listFormTitles } from './forms.sql.ts';
export { listSignUpsSince } from './submissions.sql.ts';
