// Builds every template and system email in every language as it is sent: rendered and signed in
// the same way as by senders, with the headers that a receiving server adds.
import type { KeyObject } from 'node:crypto';
import { renderDocument } from '#areas/content/server/document/render-document.ts';
import { documentTexts } from '#areas/content/server/source-parts.ts';
import {
  compileMessage,
  createSigner,
  type MessageSource,
  messageTexts,
  renderWhole,
} from '#areas/content/server/index.ts';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import { TEMPLATES } from '#areas/content/server/templates/all.ts';
import { templateTexts } from '#areas/content/server/templates/template-texts.ts';
import {
  SYSTEM_EMAIL_KINDS,
  createSystemEmailSource,
} from '#areas/system-emails/server/system-email.ts';
import { createTokens } from '#areas/tracking/server/index.ts';
import { LANGUAGES, type Language } from '#platform/languages.ts';

/** `id` is the part of the Message-ID before the @. */
export type SampleEmail = { name: string; id: string; bytes: Buffer };

export const DOMAIN = 'nordictea.example';
export const SELECTOR = 's1';
/**
 * The IP address of the relay. It is a public address that is never contacted, because reserved
 * addresses would be reported.
 */
export const ADDRESS = '193.0.6.139';
const PUBLIC_URL = `https://links.${DOMAIN}`;

/** The recipients' names. */
const NAMES: Record<Language, string> = {
  eng: 'Sarah',
  nor: 'Ingrid',
  swe: 'Elsa',
  lit: 'Ruta',
  fas: 'Sara',
  lav: 'Liga',
};

export async function buildEmails(key: KeyObject): Promise<SampleEmail[]> {
  const sources = [...(await templateSources()), ...systemEmailSources()];
  return sources.map(({ name, source, values }, i) => deliver(name, source, values, key, i + 1));
}

type NamedEmail = { name: string; source: MessageSource; values: Record<string, string> };

async function templateSources(): Promise<NamedEmail[]> {
  const list: NamedEmail[] = [];
  for (const language of LANGUAGES) {
    for (const template of TEMPLATES) {
      const document = template.create(templateTexts(language));
      const company = 'Nordic Tea';
      const html = await renderDocument(document, {
        language,
        public_url: PUBLIC_URL,
        company,
        logo: null,
        website: `https://www.${DOMAIN}/`,
        texts: documentTexts(language),
      });
      const source = sampleSource({
        ...html,
        company,
        language,
        subject: templateTexts(language).titles[template.id]?.title ?? template.id,
        preheader: document.settings.preheader,
        from: { name: company, email: `news@${DOMAIN}` },
        reply_to: `hello@${DOMAIN}`,
        words: messageTexts(language, company),
        public_url: PUBLIC_URL,
        unsubscribe_mailbox: `unsubscribe@bounce.${DOMAIN}`,
        measures_opens: true,
        measures_clicks: true,
      });
      list.push({ name: `${template.id} ${language}`, source, values: {} });
    }
  }
  return list;
}

function systemEmailSources(): NamedEmail[] {
  const values = {
    token: 'fX3mQ0wzT1kLr8sVb2nD',
    inviter: 'Ingrid Berg',
    company_name: 'Nordic Tea',
    domain: DOMAIN,
    mail_subject: 'A letter from the garden',
    share: '6%',
    limit: '5%',
    figure: '1,200',
    reply: '550 5.7.1 Sender address rejected',
  };
  const options = { publicUrl: `https://mail.${DOMAIN}`, from: `sendloom@${DOMAIN}` };
  return LANGUAGES.flatMap((language) =>
    SYSTEM_EMAIL_KINDS.map((kind) => {
      const source = { ...createSystemEmailSource(7, kind, language, options), message_id: 42 };
      return { name: `letter ${kind} ${language}`, source, values };
    }),
  );
}

function deliver(
  name: string,
  source: MessageSource,
  values: Record<string, string>,
  key: KeyObject,
  ordinal: number,
): SampleEmail {
  const now = new Date();
  const tokens = createTokens('a benchmark');
  const copy = { account: 7, message: 42, subscriber: ordinal, ordinal };
  const id = tokens.make(copy, 'messageId');
  const email = `${NAMES[source.language].toLowerCase()}@home.example`;
  const message = renderWhole(
    compileMessage(source),
    {
      email,
      token: tokens.make(copy),
      message_token: id,
      values: { firstname: NAMES[source.language], email, ...values },
    },
    now,
  );
  const signer = createSigner([{ domain: DOMAIN, selector: SELECTOR, key }]);
  const signedMessage = Buffer.concat([Buffer.alloc(signer.length), message]);
  signer.sign(signedMessage, 0, signedMessage.length, now);
  const returnPath = `b+${tokens.make(copy, 'bounce')}@bounce.${DOMAIN}`;
  const head = `Return-Path: <${returnPath}>
Received: from relay.${DOMAIN} (relay.${DOMAIN} [${ADDRESS}])
 by mx.home.example (Postfix) with ESMTPS id 4XyZ1a2b3c
 for <${email}>; ${now.toUTCString().replace('GMT', '+0000')}
`;
  return {
    name,
    id,
    bytes: Buffer.concat([Buffer.from(head.replaceAll('\n', '\r\n')), signedMessage]),
  };
}
