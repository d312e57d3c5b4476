// Recognizes exports of other email services by their headings. For each service, lists which
// columns contain internal data, and the targets of all other columns. Some files also indicate the
// status of all their rows.
import type { ColumnTarget, DateOrder, ExportService, FileStatus } from '../shared.ts';
import { foldTitle } from './column-titles.ts';

export interface KnownExport {
  service: ExportService;
  /**
   * Target by folded heading; `own` for internal data of the service: ratings, IDs, guessed
   * locations.
   */
  targets: ReadonlyMap<string, ColumnTarget | 'own'>;
  dateOrder?: DateOrder;
  /** Phone numbers include the country code but no plus. */
  hasBarePhones?: boolean;
  /** Folded headings of columns that identify lists by number. */
  listIdHeadings: ReadonlySet<string>;
  /**
   * The status of all rows, if the service exports each status to a separate file and no column
   * contains it.
   */
  fileStatus?: FileStatus;
}

interface Service {
  service: ExportService;
  /** Headings that are rare elsewhere, and how many of them identify the service. */
  distinctiveHeadings: string;
  requiredCount: number;
  /** If present, the file must also contain at least one of these headings. */
  requiredHeadings?: string;
  targets: Partial<Record<ColumnTarget | 'own', string>>;
  dateOrder?: DateOrder;
  hasBarePhones?: boolean;
  /** Columns that identify lists by number. */
  listIdHeadings?: string;
}

/**
 * Headings of internal data in the exports of many services: the IP address of the sign-up, its
 * location, activity on earlier emails.
 */
const COMMON = `ip ipaddress signupip optinip confirmip latitude longitude timezone gmtoff dstoff sent opens
  opened clicks clicked openrate clickrate lastopen lastclick`;

const SERVICES: readonly Service[] = [
  {
    service: 'mailchimp',
    distinctiveHeadings:
      'memberrating leid euid optintime confirmtime confirmip optinip dstoff gmtoff lastchanged',
    requiredCount: 3,
    targets: {
      email: 'emailaddress',
      firstname: 'firstname fname name',
      lastname: 'lastname lname',
      phone: 'phonenumber phone',
      groups: 'tags',
      consent_at: 'confirmtime',
      unsubscribed_at: 'unsubtime',
      own: `${COMMON} emailtype memberrating optintime leid euid lastchanged cc region unsubcampaigntitle
        unsubcampaignid unsubreason unsubreasonother cleantime cleancampaigntitle cleancampaignid`,
    },
  },
  {
    service: 'klaviyo',
    distinctiveHeadings: `klaviyoid emailmarketingconsent emailmarketingconsenttimestamp emailsuppressions smsmarketingconsent
      profilecreatedon historiccustomerlifetimevalue`,
    requiredCount: 2,
    targets: {
      email: 'email',
      firstname: 'firstname',
      lastname: 'lastname',
      phone: 'phonenumber',
      email_status: 'emailmarketingconsent',
      sms_status: 'smsmarketingconsent',
      consent_at: 'emailmarketingconsenttimestamp',
      email_suppressed: 'emailsuppressions',
      sms_suppressed: 'smssuppressions',
      own: `${COMMON} klaviyoid smsmarketingconsenttimestamp profilecreatedon dateadded firstactive lastactive
        averagedaysbetweenorders predictedcustomerlifetimevalue historiccustomerlifetimevalue
        totalcustomerlifetimevalue averageordervalue historicnumberoforders predictednumberoforders churnrisk
        expecteddateofnextorder predictedgender emailsuppressionstimestamp`,
    },
  },
  {
    service: 'brevo',
    distinctiveHeadings: `addedtime modifiedtime doubleoptin contactid emailblacklisted smsblacklisted extid contacttimezone
      landlinenumber listids`,
    requiredCount: 2,
    requiredHeadings: 'email sms',
    targets: {
      email: 'email',
      firstname: 'firstname prenom vorname nombre',
      lastname: 'lastname nom nachname apellidos',
      phone: 'sms',
      email_status: 'emailmarketing emailsubscriptionstatus',
      sms_status: 'smsmarketing',
      email_suppressed: 'emailblacklisted emailblocklisted blacklisted blocklisted',
      sms_suppressed: 'smsblacklisted smsblocklisted',
      consent_at: 'addedtime',
      groups: 'lists listnames listids',
      own: `${COMMON} contactid modifiedtime doubleoptin optin extid contacttimezone`,
    },
    listIdHeadings: 'lists listids',
    dateOrder: 'day-first',
    hasBarePhones: true,
  },
  {
    service: 'mailerlite',
    distinctiveHeadings:
      'sent opens opened clicks clicked subscribed location groups unsubscribed optinip optedin signupip',
    requiredCount: 3,
    requiredHeadings: 'subscriber',
    targets: {
      email: 'subscriber email',
      firstname: 'name firstname',
      lastname: 'lastname',
      phone: 'phone',
      email_status: 'status type',
      consent_at: 'subscribed subscribedat datesubscribed',
      unsubscribed_at: 'unsubscribed unsubscribedat dateunsubscribed',
      groups: 'groups group segments',
      own: `${COMMON} location optedin optintime confirmationtime source`,
    },
  },
  {
    service: 'getresponse',
    // The service's help lists no headings: these are names from its screens and API.
    distinctiveHeadings: `campaign campaignname listname addedon createdon subscribedon dayofcycle cycleday scoring
      engagementscore origin changedon removedon unsubscribedon removalreason`,
    requiredCount: 2,
    requiredHeadings: 'email emailaddress',
    targets: {
      email: 'email emailaddress',
      firstname: 'name firstname',
      lastname: 'lastname',
      phone: 'phone mobilephone',
      groups: 'campaign campaignname listname list tags',
      consent_at: 'addedon createdon subscribedon',
      unsubscribed_at: 'removedon unsubscribedon',
      email_suppressed: 'removalreason reason unsubscribereason',
      own: `${COMMON} origin dayofcycle cycleday cycle scoring score engagementscore changedon contactid
        campaignid activities href continentcode countrycode dmacode geolocation`,
    },
  },
];

const splitWords = (text: string) => text.trim().split(/\s+/);

/** Returns the first service that the headings identify, or undefined if there is none. */
export function detectExport(header: readonly string[], fileName = ''): KnownExport | undefined {
  const headings = new Set(header.map(foldTitle));
  const countTitles = (titles: string) =>
    splitWords(titles).filter((title) => headings.has(title)).length;
  const service = SERVICES.find(
    ({ distinctiveHeadings, requiredCount, requiredHeadings }) =>
      countTitles(distinctiveHeadings) >= requiredCount &&
      (requiredHeadings === undefined || countTitles(requiredHeadings) > 0),
  );
  if (service === undefined) return undefined;
  const status = detectFileStatus(headings, fileName);
  return {
    service: service.service,
    targets: mapTargets(service),
    listIdHeadings: new Set(splitWords(service.listIdHeadings ?? '')),
    ...(service.dateOrder && { dateOrder: service.dateOrder }),
    ...(service.hasBarePhones && { hasBarePhones: true }),
    ...(status && { fileStatus: status }),
  };
}

function mapTargets({ targets }: Service): ReadonlyMap<string, ColumnTarget | 'own'> {
  return new Map(
    Object.entries(targets).flatMap(([target, titles]) =>
      splitWords(titles).map((title): [string, ColumnTarget | 'own'] => [
        title,
        target as ColumnTarget | 'own',
      ]),
    ),
  );
}

/**
 * Returns the status of all rows, by headings or file name: Mailchimp exports each status to a
 * separate file.
 */
function detectFileStatus(header: ReadonlySet<string>, fileName: string): FileStatus | undefined {
  if (header.has('cleantime') || header.has('cleancampaignid')) return 'bounced';
  if (header.has('unsubtime') || header.has('unsubcampaignid')) return 'unsubscribed';
  return detectStatusByName(fileName);
}

/**
 * Returns the status given in a file name, as `unsubscribed_email_audience_export_1a2b.csv` does.
 */
export function detectStatusByName(fileName: string): FileStatus | undefined {
  const name = (fileName.split('/').at(-1) ?? '').toLowerCase();
  if (/^(?:cleaned|bounced|hard[ _-]?bounce)/.test(name)) return 'bounced';
  if (/^non[ _-]?subscribed|^unconfirmed/.test(name)) return 'non-subscribed';
  if (/^(?:unsubscribe[ds]?|removed|suppress|opt[ _-]?outs?)/.test(name)) return 'unsubscribed';
  return /^(?:junk|spam|complain)/.test(name) ? 'reported' : undefined;
}
